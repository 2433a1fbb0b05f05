/** A pattern in RE2's syntax, or why there is none. */
type TranslatedPattern =
  | { readonly text: string; readonly gap?: undefined }
  | { readonly text?: undefined; readonly gap: string };

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 100;

/** Instructions of the compiled program: counted repetitions write out what they repeat. */
const MAX_SIZE = 2_100;

/** JavaScript's white space (https://tc39.es/ecma262/#prod-WhiteSpace), which is more than RE2's `\s`. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const ANY = '\\x{0}-\\x{10ffff}';
const NOT_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const CODE_POINT =
  /\\u\{([\da-f]{1,6})\}|\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})/iy;
const PROPERTY = /\\[pP]\{[\w=]+\}/y;
const LETTER = /[A-Za-z0-9]/;

/** What stands in the way of a translation; never leaves this file. */
class Gap extends Error {}

interface Cursor {
  readonly source: string;
  index: number;
}

/** A part of the translation, with how many instructions it will take. */
interface Part {
  readonly text: string;
  readonly size: number;
}

interface Group {
  branches: Part[];
  items: Part[];
}

/**
 * Translates a JavaScript pattern to RE2's syntax, where `$`, `.`, `\s` and escapes differ. Whether a text matches is all that
 * is asked, so groups capture nothing and lazy quantifiers are like others. What is no JavaScript is not guessed at.
 */
export function translatePattern(source: string): TranslatedPattern {
  if (source.length > MAX_LENGTH) return { gap: `it is longer than ${MAX_LENGTH} characters` };
  if (!isJavaScript(source)) return { gap: 'it is no regular expression of JavaScript' };
  try {
    return { text: translate({ source, index: 0 }) };
  } catch (error) {
    if (error instanceof Gap) return { gap: error.message };
    throw error;
  }
}

/** JSON Schema recommends Unicode patterns; many in use are correct only without the flag. */
function isJavaScript(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(source, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

function translate(cursor: Cursor): string {
  const open: Group[] = [];
  let group: Group = { branches: [], items: [] };
  while (cursor.index < cursor.source.length) {
    const sign = cursor.source.charAt(cursor.index);
    if (sign === '(') {
      if (open.length >= MAX_DEPTH) throw new Gap(`its groups are nested more than ${MAX_DEPTH} deep`);
      enterGroup(cursor);
      open.push(group);
      group = { branches: [], items: [] };
    } else if (sign === ')') {
      cursor.index += 1;
      const outer = open.pop();
      if (outer === undefined) throw new Gap('it is no regular expression of JavaScript');
      outer.items.push(repeat(cursor, closeGroup(group)));
      group = outer;
    } else if (sign === '|') {
      cursor.index += 1;
      group.branches.push(joinItems(group.items));
      group.items = [];
    } else {
      group.items.push(repeat(cursor, readAtom(cursor)));
    }
  }
  return bounded(closeGroup(group)).text;
}

function enterGroup(cursor: Cursor): void {
  const head = take(cursor, /\((?:\?(?::|<[A-Za-z_$][\w$]*>|(<?[=!]|.)))?/y);
  if (head?.[1] !== undefined) throw new Gap('it uses look-around or flags, which cannot be checked in linear time');
}

function closeGroup({ branches, items }: Group): Part {
  const all = [...branches, joinItems(items)];
  const size = all.reduce((sum, part) => sum + part.size + 1, 0);
  return { text: `(?:${all.map(({ text }) => text).join('|')})`, size };
}

function joinItems(items: readonly Part[]): Part {
  return { text: items.map(({ text }) => text).join(''), size: items.reduce((sum, { size }) => sum + size, 0) };
}

function repeat(cursor: Cursor, part: Part): Part {
  const found = take(cursor, QUANTIFIER);
  if (found === undefined) return part;
  const [, sign, from = '', range, to = ''] = found;
  if (sign !== undefined) return bounded({ text: part.text + sign, size: part.size + 1 });
  const least = Number(from);
  const most = range === undefined ? least : to === '' ? least + 1 : Number(to);
  const size = least * part.size + (most - least) * (part.size + 1);
  return bounded({ text: `${part.text}{${from}${range ?? ''}${to}}`, size });
}

function bounded(part: Part): Part {
  if (part.size > MAX_SIZE) throw new Gap('it comes to too many states once its repetitions are written out');
  return part;
}

function readAtom(cursor: Cursor): Part {
  const sign = cursor.source.charAt(cursor.index);
  if (sign === '[') return { text: readClass(cursor), size: 1 };
  if (sign === '\\') return { text: readEscape(cursor), size: 1 };
  const [character = ''] = cursor.source.slice(cursor.index, cursor.index + 2);
  cursor.index += character.length;
  if (sign === '.') return { text: NOT_LINE_END, size: 1 };
  if (sign === '^') return { text: '\\A', size: 1 };
  if (sign === '$') return { text: '\\z', size: 1 };
  return { text: literal(character.codePointAt(0) ?? 0), size: 1 };
}

/** An escape outside a class. */
function readEscape(cursor: Cursor): string {
  const assertion = take(cursor, /\\[bB]/y);
  if (assertion !== undefined) return assertion[0];
  const set = readSet(cursor);
  return set === undefined ? literal(readEscapedCharacter(cursor)) : `[${set}]`;
}

/** An escape that stands for many characters, as it is written inside a class. */
function readSet(cursor: Cursor): string | undefined {
  const property = take(cursor, PROPERTY);
  if (property !== undefined) return property[0];
  const found = take(cursor, /\\[dDwWsS]/y);
  if (found?.[0] === '\\s') return SPACE;
  return found?.[0] === '\\S' ? NOT_SPACE : found?.[0];
}

/** An escape that stands for one character. */
function readEscapedCharacter(cursor: Cursor): number {
  const code = take(cursor, CODE_POINT);
  if (code !== undefined) {
    const [, point, high, low, unit, byte] = code;
    if (high === undefined) return Number.parseInt(point ?? unit ?? byte ?? '', 16);
    const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low ?? '', 16));
    return pair.codePointAt(0) ?? 0;
  }
  const letter = take(cursor, /\\c([A-Za-z])/y)?.[1];
  if (letter !== undefined) return letter.charCodeAt(0) % 32;
  const sign = take(cursor, /\\([\s\S])/uy)?.[1] ?? '';
  if (/[1-9k]/.test(sign)) throw new Gap('it uses a backreference, which cannot be checked in linear time');
  if (sign === '0') return 0;
  const control = CONTROLS[sign];
  if (control !== undefined) return control;
  // JavaScript reads `\Z` as the letter, other languages as something else: authors mean the other.
  if (LETTER.test(sign)) throw new Gap(`it uses '\\${sign}', which JavaScript does not know`);
  return sign.codePointAt(0) ?? 0;
}

function readClass(cursor: Cursor): string {
  const negated = take(cursor, /\[(\^?)/y)?.[1] === '^';
  let members = '';
  while (take(cursor, /\]/y) === undefined) {
    if (cursor.index >= cursor.source.length) throw new Gap('it is no regular expression of JavaScript');
    members += readMember(cursor);
  }
  if (members === '') return negated ? `[${ANY}]` : `[^${ANY}]`;
  return `[${negated ? '^' : ''}${members}]`;
}

/** One member of a class, a range, or a set; a hyphen beside a set is only a hyphen. */
function readMember(cursor: Cursor): string {
  const set = readSet(cursor);
  if (set !== undefined) return set;
  const from = readClassCharacter(cursor);
  const start = cursor.index;
  if (take(cursor, /-(?!\])/y) === undefined) return literal(from);
  const next = readSet(cursor);
  if (next !== undefined) return `${literal(from)}${literal(0x2d)}${next}`;
  const to = readClassCharacter(cursor);
  if (to >= from) return `${literal(from)}-${literal(to)}`;
  cursor.index = start;
  throw new Gap('a class of it has a range that runs backwards');
}

function readClassCharacter(cursor: Cursor): number {
  if (take(cursor, /\\b/y) !== undefined) return 8;
  if (cursor.source.charAt(cursor.index) === '\\') return readEscapedCharacter(cursor);
  const [character = ''] = cursor.source.slice(cursor.index, cursor.index + 2);
  cursor.index += character.length;
  return character.codePointAt(0) ?? 0;
}

function literal(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return LETTER.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}

function take(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.index;
  const match = sticky.exec(cursor.source);
  if (match === null) return undefined;
  cursor.index += match[0].length;
  return match;
}
