import { editDistance } from '../lib/names.js';
import { type ExpressionFunction, FUNCTIONS } from './functions.js';
import {
  type Application,
  BINARY_OPERATORS,
  type BinaryOperator,
  COMPARISON_PRECEDENCE,
  type Expression,
  MAX_EXPRESSION_LENGTH,
  NEGATE,
  NOT,
  TIGHTEST_PRECEDENCE,
} from './operators.js';

type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  /** One line: what is wrong, what was expected, and at which character. */
  | { readonly ok: false; readonly problem: string };

/** Levels of parentheses, functions and signs. */
const MAX_DEPTH = 30;
const MAX_EDIT_DISTANCE = 3;
const END: Token = { kind: 'end', text: '', at: 1 };

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads an expression. Never throws, whatever the text. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    return { ok: false, problem: `expected at most ${MAX_EXPRESSION_LENGTH} characters, got ${text.length}` };
  }
  try {
    return { ok: true, expression: new Parser(readTokens(text)).readAll() };
  } catch (cause) {
    if (cause instanceof ExpressionFault) return { ok: false, problem: cause.message };
    throw cause;
  }
}

/** Recursive descent; operators by their precedence. */
class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  readAll(): Expression {
    const expression = this.#readOperation(0);
    if (this.#next.kind !== 'end') throw this.#unexpected('an operator or the end');
    return expression;
  }

  #readOperation(precedence: number): Expression {
    let left = this.#readOperand();
    let most = Number.POSITIVE_INFINITY;
    for (;;) {
      const operator = this.#nextOperator;
      if (operator === undefined || operator.precedence < precedence) return left;
      if (operator.precedence > most) throw this.#unexpected("'and', 'or' or the end");
      this.#position += 1;
      const right = this.#readOperation(operator.precedence + 1);
      left = { kind: 'application', does: operator, operands: [left, right] };
      most = operator.single ? operator.precedence - 1 : operator.precedence;
    }
  }

  #readOperand(): Expression {
    const { kind, text } = this.#next;
    if (kind === 'number') return this.#readNumber();
    if (kind === 'text') return this.#readConstant(text);
    if (kind === 'name') return this.#readField();
    if (kind === 'word') return this.#readWord();
    if (text === '-') return this.#readPrefixed(NEGATE, TIGHTEST_PRECEDENCE);
    if (text === '(') return this.#nested(() => this.#readParenthesised());
    throw this.#unexpected('a value');
  }

  #readWord(): Expression {
    const { text } = this.#next;
    const constant = CONSTANTS.get(text);
    if (constant !== undefined) return this.#readConstant(constant);
    if (text === 'not') return this.#readPrefixed(NOT, COMPARISON_PRECEDENCE);
    if (BINARY_OPERATORS.has(text)) throw this.#unexpected('a value');
    return this.#isAt('(', 1) ? this.#nested(() => this.#readCall()) : this.#readField();
  }

  #readNumber(): Expression {
    const value = Number(this.#next.text);
    if (!Number.isFinite(value)) throw this.#unexpected('a smaller number');
    return this.#readConstant(value);
  }

  #readConstant(value: string | number | boolean | null): Expression {
    this.#position += 1;
    return { kind: 'value', value };
  }

  #readPrefixed(does: Application, precedence: number): Expression {
    this.#position += 1;
    return this.#nested(() => ({ kind: 'application', does, operands: [this.#readOperation(precedence)] }));
  }

  #readParenthesised(): Expression {
    this.#expect('(');
    const expression = this.#readOperation(0);
    this.#expect(')');
    return expression;
  }

  #readField(): Expression {
    const { at } = this.#next;
    const path: string[] = [];
    do {
      const { kind, text } = this.#next;
      if (kind !== 'word' && kind !== 'name') throw this.#unexpected('the name of a field');
      path.push(text);
      this.#position += 1;
    } while (this.#skip('.'));
    if (path[0] === '_computed')
      throw new ExpressionFault('a computed field cannot use another one; repeat its expression', at);
    return { kind: 'field', path };
  }

  #readCall(): Expression {
    const name = this.#next;
    const does = FUNCTIONS.get(name.text);
    if (does === undefined) throw describeUnknown(name);
    this.#position += 1;
    this.#expect('(');
    const operands: Expression[] = [];
    if (!this.#skip(')')) {
      do operands.push(this.#readOperation(0));
      while (this.#skip(','));
      this.#expect(')', "',' or ')'");
    }
    if (operands.length < does.least || operands.length > does.most)
      throw describeArity(does, operands.length, name.at);
    return { kind: 'application', does, operands };
  }

  #nested(read: () => Expression): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw new ExpressionFault(`expected at most ${MAX_DEPTH} levels of nesting`, this.#next.at);
    }
    const expression = read();
    this.#depth -= 1;
    return expression;
  }

  get #next(): Token {
    return this.#peek(0);
  }

  #peek(distance: number): Token {
    return this.#tokens[this.#position + distance] ?? END;
  }

  get #nextOperator(): BinaryOperator | undefined {
    const { kind, text } = this.#next;
    return kind === 'word' || kind === 'sign' ? BINARY_OPERATORS.get(text) : undefined;
  }

  #isAt(sign: string, distance = 0): boolean {
    const { kind, text } = this.#peek(distance);
    return kind === 'sign' && text === sign;
  }

  #skip(sign: string): boolean {
    const isThere = this.#isAt(sign);
    if (isThere) this.#position += 1;
    return isThere;
  }

  #expect(sign: string, expected = `'${sign}'`): void {
    if (!this.#skip(sign)) throw this.#unexpected(expected);
  }

  #unexpected(expected: string): ExpressionFault {
    const { kind, text, at } = this.#next;
    return new ExpressionFault(`expected ${expected}, got ${kind === 'end' ? 'the end' : `'${text}'`}`, at);
  }
}

function describeUnknown({ text, at }: Token): ExpressionFault {
  const names = [...FUNCTIONS.keys()];
  const nearest = names
    .map((name) => ({ name, distance: editDistance(name, text.toLowerCase()) }))
    .reduce((best, other) => (other.distance < best.distance ? other : best));
  const advice =
    nearest.distance <= Math.min(MAX_EDIT_DISTANCE, Math.floor(text.length / 2))
      ? `did you mean '${nearest.name}'?`
      : `use one of ${names.join(', ')}`;
  return new ExpressionFault(`there is no function '${text}'; ${advice}`, at);
}

function describeArity({ usage, least, most }: ExpressionFunction, given: number, at: number): ExpressionFault {
  const expected = most === least ? `${least}` : Number.isFinite(most) ? `${least} to ${most}` : `at least ${least}`;
  return new ExpressionFault(`expected ${expected} argument(s) for ${usage}, got ${given}`, at);
}

/** A piece of an expression's text. */
interface Token {
  /** A `name` is a word in back quotes: always a field's. */
  readonly kind: 'number' | 'text' | 'word' | 'name' | 'sign' | 'end';
  /** Its content: a text without its quotes. */
  readonly text: string;
  /** The place of its first character, from 1. */
  readonly at: number;
}

const SPACE = /\s*/y;

/** In order: the first pattern that matches decides. */
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['text', /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy],
  ['name', /`[^`]+`/y],
  ['word', /[\p{L}_$@][\p{L}\p{M}\p{N}_$]*/uy],
  ['sign', /[=!<>]=|[-+*/%<>(),.]/y],
];

/** What a user of other languages may have meant. */
const HINTS: Readonly<Record<string, string>> = {
  '=': "'=='",
  '!': "'not'",
  '&': "'and'",
  '|': "'or'",
  '?': "'if(condition, then, else)'",
  '[': 'a dotted path, which means each element of a list, or a name in back quotes',
};

/** Splits a text into tokens; the last one is the `end`. Throws an `ExpressionFault`. */
function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = skipSpace(text, 0);
  while (position < text.length) {
    const { kind, raw } = readRaw(text, position);
    tokens.push({ kind, text: QUOTED.has(kind) ? unquote(raw) : raw, at: position + 1 });
    position = skipSpace(text, position + raw.length);
  }
  return [...tokens, { kind: 'end', text: '', at: text.length + 1 }];
}

const QUOTED: ReadonlySet<Token['kind']> = new Set(['text', 'name']);

function skipSpace(text: string, position: number): number {
  SPACE.lastIndex = position;
  return position + (SPACE.exec(text)?.[0].length ?? 0);
}

function readRaw(text: string, position: number): { kind: Token['kind']; raw: string } {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = position;
    const raw = pattern.exec(text)?.[0];
    if (raw !== undefined) return { kind, raw };
  }
  const sign = String.fromCodePoint(text.codePointAt(position) ?? 0);
  if (/['"`]/.test(sign)) throw new ExpressionFault(`expected a closing ${sign}`, position + 1);
  const hint = Object.hasOwn(HINTS, sign) ? `; expected ${HINTS[sign]}` : '';
  throw new ExpressionFault(`unexpected '${sign}'${hint}`, position + 1);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

function unquote(raw: string): string {
  return raw.slice(1, -1).replace(/\\(.)/gs, (_, sign: string) => ESCAPES[sign] ?? sign);
}

/** Why a text is not an expression. Only this file sees it. */
class ExpressionFault extends Error {
  /** @param at the place of the character, from 1 */
  constructor(message: string, at: number) {
    super(`at character ${at}: ${message}`);
    this.name = 'ExpressionFault';
  }
}
