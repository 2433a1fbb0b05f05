import { clearText } from '../clear-text.js';
import { DEEPEST, MOST_PARTS, NotProven, place, quote } from '../not-proven.js';

const SPACE = /[ \t\n]+/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.$])/y;
const DOUBLE_QUOTED = /"((?:[^"\\\n]|\\[^\n])*)"/y;
const SINGLE_QUOTED = /'([^'\\\n]*)'/y;
const NAME = /[A-Za-z_$][\w$]*/y;
const MARK = /[(){}[\].,:;]/y;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** What the shell calls for a value that JSON does not have; with a plain value or with nothing. */
const VALUE_CALLS = new Set(
  'ObjectId ISODate Date NumberInt NumberLong NumberDecimal Int32 Long Double Decimal128 UUID'.split(' '),
);

/**
 * Reads JSON, and in the shell's statements also what JavaScript may write for it: names without quotes, single quotes, calls for
 * values. Never goes back. Refuses what two readers could take for different values: a name that is given twice, quotes in texts.
 */
export class LiteralReader {
  readonly #text: string;
  readonly #isScript: boolean;
  #at = 0;
  #parts = 0;

  constructor(source: string, isScript: boolean) {
    this.#text = clearText(source);
    this.#isScript = isScript;
  }

  /** Reads a value to the end of the text. */
  whole(): unknown {
    const value = this.value();
    this.end();
    return value;
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#refuse();
  }

  value(depth = 0): unknown {
    if (depth > DEEPEST) throw new NotProven(`it is nested deeper than ${DEEPEST} levels`);
    this.#parts += 1;
    if (this.#parts > MOST_PARTS) throw new NotProven(`it has more than ${MOST_PARTS} parts`);
    if (this.takes('{')) return this.#object(depth);
    if (this.takes('[')) return this.#list(depth);
    const number = this.#take(NUMBER);
    if (number !== undefined) return Number(number[0]);
    return this.#string() ?? this.#word();
  }

  /** The values between parentheses; undefined where none are opened. */
  callArguments(): readonly unknown[] | undefined {
    if (!this.takes('(')) return undefined;
    const values: unknown[] = [];
    if (this.takes(')')) return values;
    do values.push(this.value());
    while (this.takes(','));
    this.needs(')');
    return values;
  }

  name(): string {
    const name = this.#takeName();
    if (name === undefined) this.#refuse();
    return name;
  }

  takes(mark: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  needs(mark: string): void {
    if (!this.takes(mark)) this.#refuse();
  }

  #object(depth: number): unknown {
    const members = new Map<string, unknown>();
    if (this.takes('}')) return {};
    do {
      const from = this.#at;
      const name = this.#string() ?? (this.#isScript ? this.#takeName() : undefined);
      if (name === undefined) this.#refuse();
      if (members.has(name)) throw new NotProven(`${quote(name)} ${place(from)} is given twice`);
      this.needs(':');
      members.set(name, this.value(depth + 1));
    } while (this.takes(','));
    this.needs('}');
    return Object.fromEntries(members);
  }

  #list(depth: number): unknown {
    const elements: unknown[] = [];
    if (this.takes(']')) return elements;
    do elements.push(this.value(depth + 1));
    while (this.takes(','));
    this.needs(']');
    return elements;
  }

  #string(): string | undefined {
    this.#skipSpace();
    const from = this.#at;
    const double = this.#take(DOUBLE_QUOTED);
    const content = double === undefined ? this.#singleQuoted() : decode(double[0], from);
    // A server that pastes or splits the text could end it here.
    if (content !== undefined && /['"`;]/.test(content))
      throw new NotProven(`the text ${place(from)} holds a quote or a semicolon`);
    return content;
  }

  #singleQuoted(): string | undefined {
    return this.#isScript ? this.#take(SINGLE_QUOTED)?.[1] : undefined;
  }

  #word(): unknown {
    const from = this.#at;
    let name = this.#takeName();
    if (name !== undefined && CONSTANTS.has(name)) return CONSTANTS.get(name);
    if (this.#isScript && name === 'new') name = this.#takeName();
    if (!this.#isScript || name === undefined || !VALUE_CALLS.has(name)) {
      this.#at = from;
      this.#refuse();
    }
    const values = this.callArguments() ?? this.#refuse();
    const isPlain = values.every((value) => typeof value === 'string' || typeof value === 'number');
    if (values.length > 1 || !isPlain)
      throw new NotProven(`${quote(name)} ${place(from)} is called with more than a value`);
    return values[0] ?? null;
  }

  #takeName(): string | undefined {
    this.#skipSpace();
    return this.#take(NAME)?.[0];
  }

  #skipSpace(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #refuse(): never {
    this.#skipSpace();
    const from = this.#at;
    if (from >= this.#text.length) throw new NotProven('it ends where more is expected');
    const found = this.#take(NAME) ?? this.#take(MARK);
    throw new NotProven(`${quote(found?.[0] ?? this.#text[from] ?? '')} ${place(from)} is not part of a plain read`);
  }
}

function decode(literal: string, from: number): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    throw new NotProven(`the text ${place(from)} is no JSON`);
  }
}
