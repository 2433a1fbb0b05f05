import { ExpressionFault } from './expression-fault.js';

/** A piece of an expression's text. */
export interface Token {
  /** A `name` is a word in back quotes: always a field's. */
  readonly kind: 'number' | 'text' | 'word' | 'name' | 'sign' | 'end';
  /** What it says: a text without its quotes. */
  readonly text: string;
  /** The place of its first character, from 1. */
  readonly at: number;
}

const SPACE = /\s*/y;

/** The first that fits counts. */
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['text', /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy],
  ['name', /`[^`]+`/y],
  ['word', /[\p{L}_$@][\p{L}\p{M}\p{N}_$]*/uy],
  ['sign', /[=!<>]=|[-+*/%<>(),.]/y],
];

/** What a reader of other languages may have meant. */
const HINTS: Readonly<Record<string, string>> = {
  '=': "'=='",
  '!': "'not'",
  '&': "'and'",
  '|': "'or'",
  '?': "'if(condition, then, else)'",
  '[': 'a dotted path, which means each element of a list, or a name in back quotes',
};

/** Takes a text apart; the last token is the `end`. Throws an `ExpressionFault`. */
export function readTokens(text: string): readonly Token[] {
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
