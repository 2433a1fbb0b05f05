import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { JsonPath } from '../lib/json-path.js';
import { type ConfigReport, openDiagnostics } from './diagnostics.js';
import { faultCode } from './secrets.js';

/** A document as it was read, before validation. */
interface RawDocument {
  /** The file as the operator knows it. */
  readonly source: string;
  /** The file's name without `.json`. */
  readonly stem: string;
  readonly document: unknown;
}

/** Reads a JSON or JSONC file. What is wrong goes into the report, and the document is then empty. */
export async function readDocument(file: string, cwd: string, report: ConfigReport): Promise<RawDocument> {
  const source = nameFile(file, cwd);
  return { source, stem: basename(file, '.json'), document: await readJson(file, source, report) };
}

async function readJson(file: string, source: string, report: ConfigReport): Promise<unknown> {
  const diagnostics = openDiagnostics(report, source);
  try {
    const { fault, isOpen } = await inspect(file);
    if (fault !== undefined) {
      diagnostics.problem([], fault);
      return {};
    }
    if (isOpen) diagnostics.warning([], 'every user of this machine may write it, and so run commands: chmod o-w');
    const { value, duplicates } = parseJsonc(await readFile(file, 'utf8'));
    for (const path of duplicates)
      diagnostics.problem(path, 'the key is given twice; only one can count', 'rename or remove one');
    return value;
  } catch (cause) {
    if (cause instanceof JsoncSyntaxError) {
      const path = `line ${cause.line}, column ${cause.column}`;
      report.problems.push({ file: source, path, message: cause.message });
    } else if (faultCode(cause) === 'ENOENT') {
      diagnostics.problem([], 'there is no such file', "write one with 'mcp-aql-gateway init'");
    } else {
      diagnostics.problem([], `the file cannot be read (${faultCode(cause)})`);
    }
    return {};
  }
}

/** A longer file is no configuration, and reading it could take all memory. */
const MAX_BYTES = 1_048_576;

/** Looks at a file before it is read: a pipe or a device might never end. @throws where there is none */
async function inspect(file: string): Promise<{ readonly fault?: string; readonly isOpen: boolean }> {
  const status = await stat(file);
  const isOpen = (status.mode & 0o002) !== 0 && process.platform !== 'win32';
  if (!status.isFile()) return { fault: 'expected a regular file', isOpen };
  if (status.size > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES} bytes`, isOpen };
  return { isOpen };
}

/** Reads every `*.json` of a folder, by name. Undefined when there is no such folder. */
export async function readDocumentsIn(
  directory: string,
  cwd: string,
  report: ConfigReport,
): Promise<readonly RawDocument[] | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  const files = names?.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return files && Promise.all(files.map((name) => readDocument(join(directory, name), cwd, report)));
}

/** The path for messages: relative where the file is below the working directory. */
function nameFile(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('..') ? file : path;
}

/** A parsed document, and the keys that are given twice in one object: `JSON.parse` would silently drop the first. */
interface ParsedJsonc {
  readonly value: unknown;
  readonly duplicates: readonly JsonPath[];
}

/** Text that is not JSON, with the line and column where parsing stopped, both from 1. */
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

/** Bounds the recursion; real configurations nest less. */
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
  // `fromEntries` keeps a key called __proto__ as a key; an assignment would not.
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
  // A word may be a secret without its quotes, so only its first character is shown.
  const shown = found === undefined ? 'the end of the file' : `'${found.slice(0, 1)}'`;
  throw new JsoncSyntaxError(`${expected}, found ${shown}`, cursor.text, cursor.at);
}
