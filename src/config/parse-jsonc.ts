import type { JsonPath } from './json-path.js';

/** A parsed document, and the keys that stood twice in one object: `JSON.parse` would silently drop the first. */
export interface ParsedJsonc {
  readonly value: unknown;
  readonly duplicates: readonly JsonPath[];
}

/** Text that is not JSON, with the place where reading stopped; both count from 1. */
export class JsoncSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    this.name = 'JsoncSyntaxError';
    const before = text.slice(0, offset).split('\n');
    this.line = before.length;
    this.column = (before.at(-1) ?? '').length + 1;
  }
}

interface Cursor {
  readonly text: string;
  readonly duplicates: JsonPath[];
  at: number;
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\]+|\\[\s\S])*"/y;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;

/** No honest configuration nests deeper; bounds the recursion. */
const MAX_DEPTH = 100;

/**
 * Parses JSON with the comments and trailing commas that editors allow in their MCP files (JSONC).
 * @throws JsoncSyntaxError
 */
export function parseJsonc(text: string): ParsedJsonc {
  const cursor: Cursor = { text, duplicates: [], at: 0 };
  const value = parseValue(cursor, []);
  skipBlank(cursor);
  if (cursor.at < text.length) fail(cursor, 'expected the end of the file');
  return { value, duplicates: cursor.duplicates };
}

function parseValue(cursor: Cursor, path: JsonPath): unknown {
  if (path.length > MAX_DEPTH) fail(cursor, `expected at most ${MAX_DEPTH} levels of nesting`);
  skipBlank(cursor);
  const start = cursor.text[cursor.at];
  if (start === '{') return parseObject(cursor, path);
  if (start === '[') return parseArray(cursor, path);
  if (start === '"') return parseToken(cursor, STRING, 'a string that ends on its line');
  return parseToken(cursor, SCALAR, 'a value');
}

function parseObject(cursor: Cursor, path: JsonPath): unknown {
  const members = new Map<string, unknown>();
  cursor.at += 1;
  while (!takeIf(cursor, '}')) {
    const key = String(parseToken(cursor, STRING, 'a key in double quotes'));
    if (members.has(key)) cursor.duplicates.push([...path, key]);
    if (!takeIf(cursor, ':')) fail(cursor, "expected ':' after the key");
    members.set(key, parseValue(cursor, [...path, key]));
    if (!takeIf(cursor, ',') && !sees(cursor, '}')) fail(cursor, "expected ',' or '}'");
  }
  // Not assignment: a key called __proto__ must stay a key.
  return Object.fromEntries(members);
}

function parseArray(cursor: Cursor, path: JsonPath): unknown {
  const items: unknown[] = [];
  cursor.at += 1;
  while (!takeIf(cursor, ']')) {
    items.push(parseValue(cursor, [...path, items.length]));
    if (!takeIf(cursor, ',') && !sees(cursor, ']')) fail(cursor, "expected ',' or ']'");
  }
  return items;
}

/** Takes one string, number or literal; JSON.parse decides whether it is well formed. */
function parseToken(cursor: Cursor, pattern: RegExp, expected: string): unknown {
  pattern.lastIndex = cursor.at;
  const token = pattern.exec(cursor.text)?.[0];
  if (token === undefined) return fail(cursor, `expected ${expected}`);
  try {
    const value: unknown = JSON.parse(token);
    cursor.at += token.length;
    return value;
  } catch {
    return fail(cursor, `expected ${expected}, well formed`);
  }
}

function sees(cursor: Cursor, character: string): boolean {
  skipBlank(cursor);
  return cursor.text[cursor.at] === character;
}

function takeIf(cursor: Cursor, character: string): boolean {
  const seen = sees(cursor, character);
  if (seen) cursor.at += 1;
  return seen;
}

function skipBlank(cursor: Cursor): void {
  BLANK.lastIndex = cursor.at;
  cursor.at += BLANK.exec(cursor.text)?.[0].length ?? 0;
}

function fail(cursor: Cursor, expected: string): never {
  const found = cursor.text.slice(cursor.at).match(/^(?:[\w$]+|\S)/u)?.[0];
  // Long words may be secrets that lost their quotes; one character shows the place as well.
  const shown = found === undefined ? 'the end of the file' : `'${found.slice(0, 1)}'`;
  throw new JsoncSyntaxError(`${expected}, found ${shown}`, cursor.text, cursor.at);
}
