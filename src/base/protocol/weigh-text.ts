import { endOfString } from '../json/scan.js';
import { type MessageLimits, payloadTooLarge } from './limits.js';
import type { OperationError } from './operation-error.js';

/** What is known of a JSON text before it is parsed. */
interface WeighedText {
  /** Why it is not parsed: it holds more than it may, or is nested too deeply. */
  readonly tooLarge: OperationError | undefined;
  readonly values: number;
  /** Whether parsing may change a number of it. */
  readonly hasFragileNumber: boolean;
}

/**
 * Holds a JSON text against the limits of requests before anything of it is parsed, in whichever thread it is.
 * @param text each byte of it as a character, or the text itself: what is in texts does not count
 * @param envelope levels of nesting that are not the request's own
 */
export function weighText(
  text: string,
  limits: Pick<MessageLimits, 'maxArrayElements' | 'maxNestingDepth' | 'maxValues'>,
  envelope = 0,
): WeighedText {
  const { maxArrayElements, maxNestingDepth, maxValues } = limits;
  const found = walkStructure(text, { depth: maxNestingDepth + envelope, values: maxValues });
  const { depth, hasFragileNumber, members, values } = found;
  const refuse = (): OperationError | undefined => {
    if (members > maxArrayElements) return payloadTooLarge('object_members', members, limits);
    if (depth > maxNestingDepth + envelope) return payloadTooLarge('nesting_depth', depth - envelope, limits);
    return values > maxValues ? payloadTooLarge('values', values, limits) : undefined;
  };
  return { tooLarge: refuse(), values, hasFragileNumber };
}

/** So many levels every function goes through without an end of its stack. */
const MOST_LEVELS = 1_000;

/**
 * Parses JSON that somebody else may have written in our place: what holds more than ours can is not parsed.
 * @param left how many values may be read; those of this text are taken from it
 * @throws OperationError, SyntaxError
 */
export function parseBounded(text: string, left: { values: number }): unknown {
  const limits = { maxArrayElements: left.values, maxNestingDepth: MOST_LEVELS, maxValues: left.values };
  const { tooLarge, values } = weighText(text, limits);
  if (tooLarge !== undefined) throw tooLarge;
  left.values -= values;
  return JSON.parse(text);
}

const QUOTE = 0x22;
const COMMA = 0x2c;

/** Digits of a number, its point included, that a double always holds. */
const SAFE_DIGITS = 15;

/** An object of a shorter text has not too many members. */
const LEAST_COUNTED = 128 * 1024;

/** What the signs of a JSON text say of it without being parsed. What is in texts passes unseen. */
interface Structure {
  /** Of the object that has most, where the text is long: the members of a huge one take long to be listed. */
  members: number;
  /** Of the deepest place that was looked at: beyond the limit, where nothing more is. */
  depth: number;
  /** Up to the limit, beyond which nothing is looked at. */
  values: number;
  /** Whether a number has so many digits, or an exponent, that parsing may change it: `MAY_CHANGE` outside of texts. */
  hasFragileNumber: boolean;
}

/** Keeps nothing, and ends where the text is nested beyond the limit, or holds more values. */
function walkStructure(text: string, limit: Pick<Structure, 'depth' | 'values'>): Structure {
  const found: Structure = { members: 0, depth: 0, values: 0, hasFragileNumber: false };
  /** How many members each open object has, by its level; undefined for a list. */
  const counts: (number | undefined)[] = [];
  const isLong = text.length > LEAST_COUNTED;
  let open = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text.charCodeAt(index);
    if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e) {
      digits += 1;
      if (digits > SAFE_DIGITS) found.hasFragileNumber = true;
      continue;
    }
    if (digits > 0 && (byte === 0x65 || byte === 0x45)) found.hasFragileNumber = true;
    digits = 0;
    if (byte === QUOTE) index = endOfString(text, index) - 1;
    else if (byte === 0x5b || byte === 0x7b) {
      open += 1;
      found.values += 1;
      if (isLong) counts[open] = byte === 0x7b ? 1 : undefined;
      if (open > found.depth) found.depth = open;
      if (open > limit.depth || found.values > limit.values) return found;
    } else if (byte === COMMA) {
      found.values += 1;
      if (found.values > limit.values) return found;
      if (!isLong) continue;
      const before = counts[open];
      if (before === undefined) continue;
      counts[open] = before + 1;
      if (before >= found.members) found.members = before + 1;
    } else if (byte === 0x5d || byte === 0x7d) open -= 1;
  }
  return found;
}
