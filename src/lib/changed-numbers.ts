import type { JsonPath } from './json-path.js';

/** A number of a JSON text that a double does not hold. */
export interface ChangedNumber {
  readonly path: JsonPath;
  /** As it was written. */
  readonly literal: string;
}

/** Fifteen digits are always held, and so is what has no exponent: most texts need no second look. */
const CANDIDATE = /[\d.]{16}|\d[eE][+-]?\d/;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

/** More are not named. */
const MOST_NAMED = 10;

/** An object or a list around the current place of the text. */
interface Level {
  readonly isList: boolean;
  index: number;
  key: string;
  /** Whether the next text is a member's name. */
  isAtName: boolean;
}

/**
 * The numbers of a valid JSON text whose value changes when they are read as doubles: `9007199254740993` would become another
 * number, and 1e-999 nothing. `1.0`, `1e2` and `0.1` are what is written. Infinite ones are not among them: they do not pass
 * for a value anywhere. Linear in the text, and one search where nothing is suspicious.
 */
export function findChangedNumbers(text: string): readonly ChangedNumber[] {
  if (!CANDIDATE.test(text)) return [];
  const found: ChangedNumber[] = [];
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (isNumber(token)) {
      if (changes(token)) found.push({ path: pathOf(levels), literal: token });
      if (found.length >= MOST_NAMED) break;
    } else {
      step(token, level, levels);
    }
  }
  return found;
}

function step(token: string, level: Level | undefined, levels: Level[]): void {
  if (token === '{' || token === '[') {
    levels.push({ isList: token === '[', index: 0, key: '', isAtName: token === '{' });
  } else if (token === '}' || token === ']') {
    levels.pop();
  } else if (level === undefined) {
    return;
  } else if (token === ',') {
    level.index += 1;
    level.isAtName = !level.isList;
  } else if (level.isAtName) {
    level.key = token;
    level.isAtName = false;
  }
}

function isNumber(token: string): boolean {
  const [first = ''] = token;
  return first === '-' || (first >= '0' && first <= '9');
}

function pathOf(levels: readonly Level[]): JsonPath {
  return levels.map(({ isList, index, key }) => (isList ? index : String(JSON.parse(key))));
}

function changes(literal: string): boolean {
  if (!CANDIDATE.test(literal)) return false;
  const held = Number(literal);
  return Number.isFinite(held) && !isSameNumber(literal, String(held));
}

/** Whether two decimal spellings are one number. */
function isSameNumber(a: string, b: string): boolean {
  const [first, second] = [readDecimal(a), readDecimal(b)];
  return first.digits === second.digits && (first.digits === '' || first.exponent === second.exponent);
}

/** Digits without zeros around them, and the power of ten of the last one. */
function readDecimal(literal: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === 0x30) end -= 1;
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + (all.length - end) };
}
