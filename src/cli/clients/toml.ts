import type { JsonObject } from '../../base/json/json.js';

/** One statement of a TOML text, with the part of the text that it takes up. */
export type TomlStatement =
  | { readonly kind: 'table'; readonly path: readonly string[]; readonly start: number; readonly end: number }
  | {
      readonly kind: 'value';
      /** With the path of its table. */
      readonly path: readonly string[];
      readonly value: unknown;
      readonly start: number;
      readonly end: number;
    };

/** A text that is no TOML, as far as it is read here. */
class TomlFault extends Error {
  constructor(what: string, text: string, offset: number) {
    super(`${what} in line ${text.slice(0, offset).split('\n').length}`);
    this.name = 'TomlFault';
  }
}

/**
 * Reads the statements of a TOML text (https://toml.io/en/v1.0.0). Dates and special numbers are given as their text, as no
 * setting of an MCP server is one.
 * @throws TomlFault
 */
export function readToml(text: string): readonly TomlStatement[] {
  return new TomlReader(text).statements();
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BLANK = /[ \t]*/y;
const BLANK_LINES = /(?:[ \t\r\n]|#[^\n]*)*/y;
const SCALAR = /[^\s,\]}#][^,\]}#\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001B',
  '"': '"',
  '\\': '\\',
};

class TomlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, ' ');
  }

  statements(): readonly TomlStatement[] {
    const statements: TomlStatement[] = [];
    let table: readonly string[] = [];
    for (this.#take(BLANK_LINES); this.#at < this.#text.length; this.#take(BLANK_LINES)) {
      const start = this.#at;
      if (this.#text[this.#at] === '[') {
        table = this.#header();
        statements.push({ kind: 'table', path: table, start, end: this.#at });
      } else {
        const path = [...table, ...this.#keys()];
        this.#expect('=');
        const value = this.#value();
        statements.push({ kind: 'value', path, value, start, end: this.#at });
      }
      this.#take(BLANK);
      if (this.#at < this.#text.length && !/[\r\n#]/.test(this.#text[this.#at] ?? ''))
        this.#fail('expected a line end');
    }
    return statements;
  }

  #header(): readonly string[] {
    const isList = this.#text.startsWith('[[', this.#at);
    this.#at += isList ? 2 : 1;
    const path = this.#keys();
    this.#expect(isList ? ']]' : ']');
    // Entries of a list of tables have no path of their own; none of a server's settings is in one.
    return isList ? [...path, '[]'] : path;
  }

  #keys(): readonly string[] {
    const keys: string[] = [];
    do {
      this.#take(BLANK);
      const quote = this.#text[this.#at];
      keys.push(quote === '"' || quote === "'" ? this.#string() : this.#take(BARE_KEY));
      if (keys.at(-1) === '' && quote !== '"' && quote !== "'") this.#fail('expected a key');
      this.#take(BLANK);
    } while (this.#skip('.'));
    return keys;
  }

  #value(): unknown {
    this.#take(BLANK);
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#string();
    if (first === '[') return this.#list();
    if (first === '{') return this.#inlineTable();
    const scalar = this.#take(SCALAR).trim();
    if (scalar === '') this.#fail('expected a value');
    if (scalar === 'true' || scalar === 'false') return scalar === 'true';
    const digits = scalar.replaceAll('_', '');
    return /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(digits) ? Number(digits) : scalar;
  }

  #list(): readonly unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    for (this.#take(BLANK_LINES); !this.#skip(']'); this.#take(BLANK_LINES)) {
      items.push(this.#value());
      this.#take(BLANK_LINES);
      if (!this.#skip(',') && this.#text[this.#at] !== ']') this.#fail("expected ',' or ']'");
    }
    return items;
  }

  #inlineTable(): JsonObject {
    const members = new Map<string, unknown>();
    this.#at += 1;
    for (this.#take(BLANK_LINES); !this.#skip('}'); this.#take(BLANK_LINES)) {
      const keys = this.#keys();
      this.#expect('=');
      members.set(keys.join('.'), this.#value());
      this.#take(BLANK_LINES);
      if (!this.#skip(',') && this.#text[this.#at] !== '}') this.#fail("expected ',' or '}'");
    }
    return Object.fromEntries(members);
  }

  #string(): string {
    const quote = this.#text[this.#at] ?? '';
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const end = isLong ? quote.repeat(3) : quote;
    this.#at += end.length;
    if (isLong) this.#take(/\r?\n?/y);
    let content = '';
    while (!this.#text.startsWith(end, this.#at)) {
      const character = this.#text[this.#at];
      if (character === undefined || (character === '\n' && !isLong)) this.#fail('expected the end of a string');
      else if (character === '\\' && quote === '"') content += this.#escape();
      else {
        content += character;
        this.#at += 1;
      }
    }
    this.#at += end.length;
    return content;
  }

  #escape(): string {
    const code = this.#take(/\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y);
    if (code !== '') return String.fromCodePoint(Number.parseInt(code.slice(2), 16));
    // A backslash at the end of a line joins it with the next one.
    if (this.#take(/\\[ \t]*\r?\n\s*/y) !== '') return '';
    const escaped = ESCAPES[this.#text[this.#at + 1] ?? ''];
    if (escaped === undefined) this.#fail('an unknown escape');
    this.#at += 2;
    return escaped ?? '';
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    this.#take(BLANK);
    if (!this.#skip(text)) this.#fail(`expected '${text}'`);
  }

  #fail(what: string): never {
    throw new TomlFault(what, this.#text, this.#at);
  }
}
