import jsonc, { type Node, type ParseError } from 'jsonc-parser';
import type { JsonPath } from '../../base/json/json-path.js';

/** A parsed document, and the keys that are given twice in one object: `JSON.parse` would silently drop the first. */
interface ParsedJsonc {
  readonly value: unknown;
  readonly duplicates: readonly JsonPath[];
}

/** Text that is not JSON, with the line and column where parsing stopped, both from 1. */
export class JsoncSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(expected: string, text: string, offset: number) {
    super(`${expected}, found ${describeFound(text, offset)}`);
    this.name = 'JsoncSyntaxError';
    const before = text.slice(0, offset).split('\n');
    this.line = before.length;
    this.column = (before.at(-1) ?? '').length + 1;
  }
}

/** Real configurations nest less. */
const MAX_DEPTH = 100;

const TOO_DEEP = `expected at most ${MAX_DEPTH} levels of nesting`;

/** What stands where something else was expected; a value where the library's code is not among these. */
const EXPECTED: Readonly<Partial<Record<string, string>>> = {
  PropertyNameExpected: 'expected a key in double quotes',
  ColonExpected: "expected ':' after the key",
  CommaExpected: "expected ',' or a closing bracket",
  CloseBraceExpected: "expected ',' or '}'",
  CloseBracketExpected: "expected ',' or ']'",
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfComment: 'expected the end of the comment',
  UnexpectedEndOfString: 'expected a string that ends on its line',
  InvalidUnicode: 'expected a string, well formed',
  InvalidEscapeCharacter: 'expected a string, well formed',
  InvalidCharacter: 'expected a string, well formed',
};

/**
 * Parses JSON with the comments and trailing commas that editors allow in their MCP files (JSONC).
 * @throws JsoncSyntaxError
 */
export function parseJsonc(file: string): ParsedJsonc {
  const text = file.replace(/^\uFEFF/, ' ');
  const errors: ParseError[] = [];
  const root = parseTree(text, errors);
  const [first, second] = errors;
  if (root === undefined || first !== undefined) throw describeError(text, first, second);
  const duplicates: JsonPath[] = [];
  return { value: readNode(root, [], { text, duplicates }), duplicates };
}

function parseTree(text: string, errors: ParseError[]): Node | undefined {
  try {
    return jsonc.parseTree(text, errors, { allowTrailingComma: true });
  } catch (cause) {
    // The library recurses: a text that exhausts the stack is nested too deeply.
    if (cause instanceof RangeError) throw new JsoncSyntaxError(TOO_DEEP, text, 0);
    throw cause;
  }
}

/** A word that is no JSON is an invalid symbol first; what was expected in its place is the next error. */
function describeError(text: string, first: ParseError | undefined, second: ParseError | undefined): JsoncSyntaxError {
  const isSymbol = first !== undefined && codeOf(first) === 'InvalidSymbol';
  const code = isSymbol ? (second === undefined ? 'EndOfFileExpected' : codeOf(second)) : first && codeOf(first);
  return new JsoncSyntaxError(EXPECTED[code ?? ''] ?? 'expected a value', text, first?.offset ?? 0);
}

function codeOf({ error }: ParseError): string {
  return jsonc.printParseErrorCode(error);
}

interface Reading {
  readonly text: string;
  readonly duplicates: JsonPath[];
}

function readNode(node: Node, path: JsonPath, reading: Reading): unknown {
  if (path.length > MAX_DEPTH) throw new JsoncSyntaxError(TOO_DEEP, reading.text, node.offset);
  const { type, children = [] } = node;
  if (type === 'array') return children.map((item, index) => readNode(item, [...path, index], reading));
  if (type !== 'object') return node.value;
  const members = new Map<string, unknown>();
  for (const { children: [key, value] = [] } of children) {
    const name = String(key?.value);
    if (members.has(name)) reading.duplicates.push([...path, name]);
    members.set(name, value === undefined ? undefined : readNode(value, [...path, name], reading));
  }
  // `fromEntries` keeps a key called __proto__ as a key; an assignment would not.
  return Object.fromEntries(members);
}

/** A word may be a secret without its quotes, so only its first character is shown. */
function describeFound(text: string, offset: number): string {
  const found = text.slice(offset).match(/\S/u)?.[0];
  return found === undefined ? 'the end of the file' : `'${found}'`;
}
