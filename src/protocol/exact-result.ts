import { isJsonObject, type JsonObject } from './json.js';

/**
 * The key under which a result keeps the JSON texts of those of its members that hold numbers which a double changes: 9007199254740993,
 * 1e400. A copy of the result by spreading keeps it too, and `JSON.stringify` does not see it.
 */
export const EXACT_TEXTS: unique symbol = Symbol('exact texts');

/** What may be a number that a double changes. Most texts hold nothing like it, and need no second look. */
export const SUSPICIOUS = /\d{16}|\d[eE][+-]?\d{3}|\d\.\d{15}|\d{8,}\.\d{8,}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Lets the result of a parsed message, or of each in a list of messages, keep what parsing changed of its numbers. For texts that are
 * `SUSPICIOUS`.
 *
 * @param parsed what `JSON.parse` made of the text; the results are extended
 */
export function keepExactNumbers(parsed: unknown, text: string): void {
  if (!Array.isArray(parsed)) {
    keepOf(parsed, text, 0);
    return;
  }
  let index = 0;
  for (const { start } of readItems(text)) {
    keepOf(parsed[index], text, start);
    index += 1;
  }
}

/** @param start where the message begins in the text */
function keepOf(message: unknown, text: string, start: number): void {
  if (!isJsonObject(message) || !isJsonObject(message['result'])) return;
  const result = findMember(text, start, 'result');
  if (result === undefined) return;
  const texts = new Map<string, string>();
  for (const { name, start, end } of readMembers(text, result.start)) {
    const member = text.slice(start, end);
    if (SUSPICIOUS.test(member) && holdsChangedNumber(member)) texts.set(name, onOneLine(member));
  }
  if (texts.size > 0) Object.assign(message['result'], { [EXACT_TEXTS]: texts });
}

/** Of valid JSON, in which line breaks stand between values alone. Messages of some transports end with a line. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json;
}

/** The JSON of a member whose numbers a double changes, as the server wrote it; undefined for every other member. */
export function exactTextOf(result: JsonObject, name: string): string | undefined {
  const { [EXACT_TEXTS]: texts } = result as { readonly [EXACT_TEXTS]?: ReadonlyMap<string, string> };
  return texts?.get(name);
}

/** The JSON of a result's members, without the braces around them, with their numbers as the server wrote them. */
export function writeExactMembers(result: JsonObject): string {
  const written = Object.keys(result).map((name) => {
    const text = exactTextOf(result, name) ?? JSON.stringify(result[name]);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return written.flat().join(',');
}

/** A longer text is kept without a look at each of its numbers, which would hold up other calls. */
const LONGEST_SEARCHED = 100_000;

function holdsChangedNumber(text: string): boolean {
  if (text.length > LONGEST_SEARCHED) return true;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token[0] !== '"' && SUSPICIOUS.test(token) && String(Number(token)) !== token) return true;
  }
  return false;
}

/** A member of an object in a JSON text: where its value stands. */
interface MemberSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function findMember(text: string, at: number, name: string): MemberSpan | undefined {
  let found: MemberSpan | undefined;
  // The last one of a name counts, as for JSON.parse.
  for (const member of readMembers(text, at)) if (member.name === name) found = member;
  return found;
}

const NAME = /\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
const STRUCTURE = /["[\]{}]/g;
const SCALAR = /[^\s,\]}]*/y;

const ITEM = /\s*[[,]\s*(?=[^\s\]])/y;

/** The items of the list that is a valid JSON text. */
function* readItems(text: string): Generator<Pick<MemberSpan, 'start' | 'end'>, void, void> {
  for (let from = 0; ; ) {
    ITEM.lastIndex = from;
    if (ITEM.exec(text) === null) return;
    const start = ITEM.lastIndex;
    const end = endOfValue(text, start);
    yield { start, end };
    from = end;
  }
}

/** The members of the object that begins at an index of a valid JSON text. */
function* readMembers(text: string, at: number): Generator<MemberSpan, void, void> {
  for (let from = at; ; ) {
    NAME.lastIndex = from;
    const found = NAME.exec(text);
    if (found === null) return;
    const start = NAME.lastIndex;
    const end = endOfValue(text, start);
    yield { name: JSON.parse(found[1] ?? '""') as string, start, end };
    from = end;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    SCALAR.lastIndex = start;
    SCALAR.exec(text);
    return SCALAR.lastIndex;
  }
  STRUCTURE.lastIndex = start;
  for (let depth = 0; ; ) {
    const found = STRUCTURE.exec(text);
    if (found === null) return text.length;
    const [mark] = found;
    if (mark === '"') STRUCTURE.lastIndex = endOfString(text, found.index);
    else if (mark === '{' || mark === '[') depth += 1;
    else {
      depth -= 1;
      if (depth === 0) return STRUCTURE.lastIndex;
    }
  }
}

/** The index behind the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}
