import {
  alternativesShape,
  assertionShape,
  type CharSet,
  characterShape,
  EMPTY_SHAPE,
  type PatternShape,
  RISKY_SHAPE,
  repeatedShape,
  sequenceShape,
} from './pattern-shape.js';

/** Where reading stands in the pattern. */
interface Cursor {
  readonly source: string;
  index: number;
  depth: number;
}

const MAX_DEPTH = 50;
const OTHER: CharSet = 1n << 128n;
const BEYOND_ASCII = ['\u00a0', 'é', 'ß', '\u2028', '中', '😀', '٣'];

/** How long matching a JavaScript regular expression can take; `risky` also for whatever is not understood. */
export function readPattern(source: string): PatternShape {
  const cursor: Cursor = { source, index: 0, depth: 0 };
  const shape = readAlternatives(cursor);
  return cursor.index < source.length ? RISKY_SHAPE : shape;
}

function readAlternatives(cursor: Cursor): PatternShape {
  if (++cursor.depth > MAX_DEPTH) return giveUp(cursor);
  const branches = [readSequence(cursor)];
  while (take(cursor, /\|/y) !== undefined) branches.push(readSequence(cursor));
  cursor.depth--;
  return alternativesShape(branches);
}

function readSequence(cursor: Cursor): PatternShape {
  const items: PatternShape[] = [];
  while (cursor.index < cursor.source.length && !/[|)]/.test(cursor.source.charAt(cursor.index))) {
    items.push(readRepetition(cursor, readItem(cursor)));
  }
  return sequenceShape(items);
}

function readRepetition(cursor: Cursor, item: PatternShape): PatternShape {
  const quantifier = take(cursor, /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y);
  if (quantifier === undefined) return item;
  const [text, from, range, to] = quantifier;
  if (from === undefined) {
    return repeatedShape(item, text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY);
  }
  const min = Number(from);
  const max = range === undefined ? min : to === '' ? Number.POSITIVE_INFINITY : Number(to);
  return repeatedShape(item, min, max);
}

function readItem(cursor: Cursor): PatternShape {
  const group = take(cursor, /\((\?(?::|<?[=!]|<[A-Za-z_$][\w$]*>))?/y);
  if (group !== undefined) return readGroup(cursor, group[1]);
  if (take(cursor, /\^|\$|\\[bB]/y) !== undefined) return EMPTY_SHAPE;
  // Back-references make matching exponential whatever else is done.
  if (take(cursor, /\\(?:[1-9]|k)/y) !== undefined) return giveUp(cursor);
  const atom = take(
    cursor,
    /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])|[^\\()[\]*+?]/uy,
  );
  return atom === undefined ? giveUp(cursor) : characterShape(readCharacters(atom[0]));
}

function readGroup(cursor: Cursor, kind: string | undefined): PatternShape {
  const unknownKind = kind === undefined && cursor.source.charAt(cursor.index) === '?';
  if (unknownKind) return giveUp(cursor);
  const body = readAlternatives(cursor);
  if (take(cursor, /\)/y) === undefined) return giveUp(cursor);
  return kind !== undefined && /[=!]$/.test(kind) ? assertionShape(body) : body;
}

/** The characters that an atom (one literal, escape or class) accepts, found by trying them. */
function readCharacters(atom: string): CharSet {
  const matcher = compileAtom(atom);
  let chars = /[^\p{ASCII}]|\\[uxpP]/u.test(atom) ? OTHER : 0n;
  for (let code = 0; code < 128; code++) if (matcher.test(String.fromCharCode(code))) chars |= 1n << BigInt(code);
  return BEYOND_ASCII.some((char) => matcher.test(char)) ? chars | OTHER : chars;
}

function compileAtom(atom: string): RegExp {
  try {
    return new RegExp(`^${atom}$`, 'u');
  } catch {
    // Without the flag more spellings are allowed; the whole pattern has compiled in one of the two ways.
    return new RegExp(`^${atom}$`);
  }
}

function giveUp(cursor: Cursor): PatternShape {
  cursor.index = cursor.source.length;
  return RISKY_SHAPE;
}

function take(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.index;
  const match = sticky.exec(cursor.source);
  if (match === null) return undefined;
  cursor.index += match[0].length;
  return match;
}
