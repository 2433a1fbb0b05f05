/** Reading a JSON text in which nothing is parsed: where its strings, members and numbers stand. All of it is linear in the text. */

const [BACKSLASH, QUOTE] = [0x5c, 0x22] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Most strings are shorter than a search by the engine costs; it finds the end of a long one fastest. */
const LOOKED_AT = 64;

/**
 * The index behind the quotation mark that ends a string; the end of the text where none does.
 * @param start where the string's first quotation mark stands
 */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const stop = Math.min(at + LOOKED_AT, text.length);
    while (at < stop && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    if (at >= text.length) return text.length;
    if (text.charCodeAt(at) === QUOTE) return at + 1;
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    if (!isEscaped(text, at, quote)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes stands before a character. @param from where no escape has begun */
function isEscaped(text: string, from: number, index: number): boolean {
  let first = index;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

/** Whether a text is nested deeper than a number of levels. Reading stops at the first level that is too deep. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Each level takes a bracket to open it and one to close it. Looking for brackets alone is some ten times as quick as reading.
  if (text.length <= 2 * levels || !hasBrackets(text, levels)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

function hasBrackets(text: string, least: number): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && found <= least; at = text.indexOf(bracket, at + 1)) found += 1;
  }
  return found > least;
}

/** Where a value stands. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface MemberSpan extends Span {
  readonly name: string;
}

const NAME = /\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
const ITEM = /\s*[[,]\s*(?=[^\s\]])/y;
const SCALAR = /[^\s,\]}]*/y;

/** The next item of the list that is a valid JSON text. @param from where the list begins, or where the item before it ends */
export function readItem(text: string, from: number): Span | undefined {
  ITEM.lastIndex = from;
  if (ITEM.exec(text) === null) return undefined;
  const start = ITEM.lastIndex;
  return { start, end: endOfValue(text, start) };
}

/** The next member of an object in a valid JSON text. @param from where the object begins, or where the member before it ends */
export function readMember(text: string, from: number): MemberSpan | undefined {
  NAME.lastIndex = from;
  const found = NAME.exec(text);
  if (found === null) return undefined;
  const start = NAME.lastIndex;
  return { name: JSON.parse(found[1] ?? '""') as string, start, end: endOfValue(text, start) };
}

/** The member of this name of the object that begins at a place. */
export function findMember(text: string, start: number, name: string): MemberSpan | undefined {
  let found: MemberSpan | undefined;
  // The last one of a name counts, as for JSON.parse.
  for (let member = readMember(text, start); member !== undefined; member = readMember(text, member.end))
    if (member.name === name) found = member;
  return found;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    SCALAR.lastIndex = start;
    SCALAR.exec(text);
    return SCALAR.lastIndex;
  }
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** What may be a number that a double changes: more digits than it holds, or an exponent that leaves its range. Most texts hold nothing like it. */
export const SUSPICIOUS = /\d{16}|[\d.]{17}|\d[eE][+-]?\d{3}/;

/** Not `0.30000000000000004` and the like, which a double holds as it is written. */
export function isInexact(literal: string): boolean {
  return SUSPICIOUS.test(literal) && String(Number(literal)) !== literal;
}

const TOKEN = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The next number that is meant, from a place on; what looks like one within a string is none. */
export function findNumber(text: string, from: number, isMeant: (literal: string) => boolean): Span | undefined {
  for (let at = from; ; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return undefined;
    const [token] = found;
    const start = found.index;
    at = token === '"' ? endOfString(text, start) : start + token.length;
    if (token !== '"' && isMeant(token)) return { start, end: at };
  }
}

/**
 * The text with a mark before each number that is meant, which makes it a string. One after the other: `replace` with a function holds all
 * of them at once, which takes many times the text's memory. Nor are texts added to each other, which V8 keeps as a tree of all the parts.
 */
export function quoteNumbers(text: string, isMeant: (literal: string) => boolean, mark = ''): string {
  const parts: string[] = [];
  let done = 0;
  for (let found = findNumber(text, 0, isMeant); found !== undefined; found = findNumber(text, done, isMeant)) {
    parts.push(text.slice(done, found.start), '"', mark, text.slice(found.start, found.end), '"');
    done = found.end;
  }
  return done === 0 ? text : `${parts.join('')}${text.slice(done)}`;
}
