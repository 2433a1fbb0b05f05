import type { JsonPath } from './json-path.js';
import { endOfString } from './scan.js';

/** A number of a JSON text that a double does not hold. */
export interface ChangedNumber {
  readonly path: JsonPath;
  /** As it was written. */
  readonly literal: string;
}

/** Fifteen digits are always held, where there is no exponent. A number ends with a digit too: most texts need no second look. */
const MAY_CHANGE = /\d[\d.]{14}\d|\d[eE][+-]?\d/;

/** More are not named. */
const MOST_NAMED = 10;

/** An object or a list around the current place of the text. */
interface Level {
  isList: boolean;
  index: number;
  /** Where the member's name stands in the text, quotation marks included. */
  keyStart: number;
  keyEnd: number;
  /** Whether the next text is a member's name. */
  isAtName: boolean;
}

const [QUOTE, COMMA, MINUS, ZERO, NINE] = [0x22, 0x2c, 0x2d, 0x30, 0x39] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * The numbers of a valid JSON text whose value changes when they are read as doubles: `9007199254740993` would become another
 * number, and 1e-999 nothing. `1.0`, `1e2` and `0.1` are what is written. Infinite ones are not among them: they do not pass
 * for a value anywhere. Linear in the text, and one search where nothing is suspicious.
 */
export function findChangedNumbers(
  text: string,
  { isChanged = changes, isWanted = () => true }: NumberSearch = {},
): readonly ChangedNumber[] {
  if (!MAY_CHANGE.test(text)) return [];
  const found: ChangedNumber[] = [];
  const levels = new Levels();
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at);
      levels.passText(at, end);
      at = end - 1;
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, at);
      if (end - at > LONGEST_HELD || hasExponent(text, at, end)) {
        const literal = text.slice(at, end);
        const number = isChanged(literal) ? { path: levels.path(text), literal } : undefined;
        if (number !== undefined && isWanted(number)) found.push(number);
        if (found.length >= MOST_NAMED) break;
      }
      at = end - 1;
    } else levels.pass(unit);
  }
  return found;
}

interface NumberSearch {
  /** Whether a number that is written so counts; where absent, whether it changes. */
  readonly isChanged?: (literal: string) => boolean;
  /** Whether it is looked for: others do not keep it from being found, however many they are. */
  readonly isWanted?: (number: ChangedNumber) => boolean;
}

/** What is open around the current place. Entries are used again, since a text may open hundreds of thousands. */
class Levels {
  readonly #levels: Level[] = [];
  #depth = 0;

  pass(unit: number): void {
    if (unit === OPEN_LIST || unit === OPEN_OBJECT) this.#open(unit === OPEN_LIST);
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) this.#depth -= 1;
    else if (unit === COMMA) this.#next();
  }

  passText(start: number, end: number): void {
    const level = this.#levels[this.#depth - 1];
    if (level === undefined || !level.isAtName) return;
    level.keyStart = start;
    level.keyEnd = end;
    level.isAtName = false;
  }

  path(text: string): JsonPath {
    return this.#levels
      .slice(0, this.#depth)
      .map(({ isList, index, keyStart, keyEnd }) =>
        isList ? index : String(JSON.parse(text.slice(keyStart, keyEnd))),
      );
  }

  #open(isList: boolean): void {
    const level = this.#levels[this.#depth];
    this.#depth += 1;
    if (level === undefined) this.#levels.push({ isList, index: 0, keyStart: 0, keyEnd: 0, isAtName: !isList });
    else {
      level.isList = isList;
      level.index = 0;
      level.isAtName = !isList;
    }
  }

  #next(): void {
    const level = this.#levels[this.#depth - 1];
    if (level === undefined) return;
    level.index += 1;
    level.isAtName = !level.isList;
  }
}

/** Everything but the mark that follows it belongs to a number: signs, the point, the exponent. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const unit = text.charCodeAt(end);
    if (unit === COMMA || unit === CLOSE_LIST || unit === CLOSE_OBJECT || unit <= SPACE) break;
  }
  return end;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((text.charCodeAt(at) | LOWER_CASE) === LETTER_E) return true;
  return false;
}

const [SPACE, LOWER_CASE, LETTER_E] = [0x20, 0x20, 0x65] as const;

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** A shorter literal has at most fifteen digits. */
const LONGEST_HELD = 15;

/** Whether a number is not the same, or infinite, when it is written again. */
export function isLost(literal: string): boolean {
  return changes(literal) || !Number.isFinite(Number(literal));
}

function changes(literal: string): boolean {
  const held = Number(literal);
  if (!Number.isFinite(held)) return false;
  const written = String(held);
  return written !== literal && !isPadded(literal, written) && !isSameNumber(literal, written);
}

/** Most that differ have zeros at the end of their fraction, and there may be tens of thousands. */
function isPadded(literal: string, written: string): boolean {
  if (!literal.startsWith(written) || written.includes('e') || !literal.includes('.')) return false;
  return /^\.?0+$/.test(literal.slice(written.length));
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
