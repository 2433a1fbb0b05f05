import { isJsonObject, type JsonObject } from './json.js';

/**
 * The key under which a result keeps the JSON texts of those of its members that hold numbers which a double changes: 9007199254740993,
 * 1e400. A copy of the result by spreading keeps it too, and `JSON.stringify` does not see it.
 */
export const EXACT_TEXTS: unique symbol = Symbol('exact texts');

/** The JSON of a member as it came. It stands for the value that was parsed of it: a copy may have another member of this name. */
interface ExactText {
  readonly json: string;
  readonly value: unknown;
}

/** What may be a number that a double changes. Most texts hold nothing like it, and need no second look. */
export const SUSPICIOUS = /\d{16}|\d[eE][+-]?\d{3}|\d\.\d{15}|\d{8,}\.\d{8,}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Work that yields between slices of a few milliseconds. */
type Sliced<T> = Generator<undefined, T, void>;

/** What is looked at in one slice: about two milliseconds. */
const SLICE_CHARACTERS = 256 * 1024;
/** What is suspicious begins within so many characters before the next slice. */
const OVERLAP_CHARACTERS = 32;

/**
 * Lets the result of a parsed message, or of each in a list of messages, keep what parsing changed of its numbers; in the `data` of an
 * error such a number becomes the text of its digits. For texts that are `SUSPICIOUS`.
 *
 * @param parsed what `JSON.parse` made of the text; the results are extended
 */
export function keepExactNumbers(parsed: unknown, text: string): void {
  const work = keepExactInSlices(parsed, text);
  while (work.next().done !== true);
}

/** The same in slices, for a text of any size that need not be suspicious. */
export function* keepExactInSlices(parsed: unknown, text: string): Sliced<void> {
  if (!(yield* isSuspicious(text))) return;
  if (!Array.isArray(parsed)) {
    yield* keepOf(parsed, text, 0);
    return;
  }
  let index = 0;
  for (let item = yield* readItem(text, 0); item !== undefined; item = yield* readItem(text, item.end)) {
    yield* keepOf(parsed[index], text, item.start);
    index += 1;
  }
}

function* isSuspicious(text: string): Sliced<boolean> {
  for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
    if (at > 0) yield;
    if (SUSPICIOUS.test(text.slice(Math.max(0, at - OVERLAP_CHARACTERS), at + SLICE_CHARACTERS))) return true;
  }
  return false;
}

/** @param start where the message begins in the text */
function* keepOf(message: unknown, text: string, start: number): Sliced<void> {
  if (!isJsonObject(message)) return;
  const { result, error } = message;
  if (isJsonObject(error)) yield* keepOfError(error, text, start);
  if (!isJsonObject(result)) return;
  const span = yield* findMember(text, start, 'result');
  if (span === undefined) return;
  yield* keepMembers(result, text, span.start);
  for (const name of LISTS) yield* keepItems(result, name);
  const meta = result['_meta'];
  if (!isJsonObject(meta) || exactTextOf(result, '_meta') === undefined) return;
  // Others add members to it.
  const inside = yield* findMember(text, span.start, '_meta');
  if (inside !== undefined) yield* keepMembers(meta, text, inside.start);
}

/** The members of results whose items are listed among those of other servers. */
const LISTS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

function* keepItems(result: JsonObject, name: string): Sliced<void> {
  const [json, items] = [exactTextOf(result, name), result[name]];
  if (json === undefined || !Array.isArray(items)) return;
  let index = 0;
  for (let span = yield* readItem(json, 0); span !== undefined; span = yield* readItem(json, span.end)) {
    const item: unknown = items[index];
    if (isJsonObject(item)) yield* keepMembers(item, json, span.start);
    index += 1;
  }
}

/** @param start where the object begins in the text */
function* keepMembers(object: JsonObject, text: string, start: number): Sliced<void> {
  const texts = new Map<string, ExactText>();
  for (let at = yield* readMember(text, start); at !== undefined; at = yield* readMember(text, at.end)) {
    const member = text.slice(at.start, at.end);
    if (!(yield* isSuspicious(member)) || !holdsChangedNumber(member)) continue;
    texts.set(at.name, { json: yield* onOneLine(member), value: object[at.name] });
  }
  if (texts.size > 0) Object.assign(object, { [EXACT_TEXTS]: texts });
}

/** An error is told in words of the gateway's own, in which its data has the place of a value. What is too long for that is left out. */
function* keepOfError(error: JsonObject, text: string, start: number): Sliced<void> {
  const span = yield* findMember(text, start, 'error');
  const data = span === undefined ? undefined : yield* findMember(text, span.start, 'data');
  if (data === undefined) return;
  const json = text.slice(data.start, data.end);
  if (!(yield* isSuspicious(json)) || !holdsChangedNumber(json)) return;
  const exact: unknown = json.length > LONGEST_SEARCHED ? undefined : JSON.parse(quoteChanged(json));
  Object.assign(error, { data: exact });
}

function quoteChanged(json: string): string {
  return json.replace(TOKEN, (token) => (isChanged(token) ? `"${token}"` : token));
}

/** Of valid JSON, in which line breaks stand between values alone. Messages of some transports end with a line. */
function* onOneLine(json: string): Sliced<string> {
  const parts: string[] = [];
  for (let at = 0; at < json.length; at += SLICE_CHARACTERS) {
    if (at > 0) yield;
    parts.push(json.slice(at, at + SLICE_CHARACTERS).replace(/[\r\n]+/g, ' '));
  }
  return parts.join('');
}

/** The result in a JSON text, with what parsing changes of its numbers. */
export function readExactResult(text: string): JsonObject {
  const message = { result: JSON.parse(text) as JsonObject };
  if (SUSPICIOUS.test(text)) keepExactNumbers(message, `{"result":${text}}`);
  return message.result;
}

/** The JSON of a member whose numbers a double changes, as the server wrote it; undefined for every other member. */
export function exactTextOf(result: JsonObject, name: string): string | undefined {
  const kept = textsOf(result)?.get(name);
  return kept !== undefined && kept.value === result[name] ? kept.json : undefined;
}

/** A copy of a result with another exact text of a member, whose value is changed alike. */
export function withExactText(result: JsonObject, name: string, text: string): JsonObject {
  return { ...result, [EXACT_TEXTS]: new Map(textsOf(result)).set(name, { json: text, value: result[name] }) };
}

function textsOf(object: JsonObject): ReadonlyMap<string, ExactText> | undefined {
  return (object as { readonly [EXACT_TEXTS]?: ReadonlyMap<string, ExactText> })[EXACT_TEXTS];
}

/** Lets a copy of an object with some of its members keep their numbers. */
export function keepTextsOf<T extends JsonObject>(from: JsonObject, copy: T): T {
  const texts = textsOf(from);
  return texts === undefined ? copy : Object.assign(copy, { [EXACT_TEXTS]: texts });
}

/**
 * Lets a copy of an object, in which names and texts were changed, keep its numbers.
 * @param change what was done with each name and text
 */
export function carryExactNumbers(from: JsonObject, copy: JsonObject, change: (text: string) => string): JsonObject {
  const texts = textsOf(from);
  if (texts === undefined) return copy;
  const changed = [...texts].map(([before, { json }]) => {
    const name = change(before);
    return [name, { json: changeTexts(json, change), value: copy[name] }] as const;
  });
  return Object.assign(copy, { [EXACT_TEXTS]: new Map(changed) });
}

/** Changes each name and text of a valid JSON text. */
function changeTexts(json: string, change: (text: string) => string): string {
  const parts: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start);
    const text = json.slice(start, end);
    const held = JSON.parse(text) as string;
    const changed = change(held);
    parts.push(json.slice(done, start), changed === held ? text : JSON.stringify(changed));
    done = end;
  }
  return parts.join('') + json.slice(done);
}

/** The JSON of a list of objects with another text in those members of a name that hold this one. */
export function* replaceInItems(
  json: string,
  { name, held, given }: { readonly name: string; readonly held: string; readonly given: string },
): Sliced<string> {
  const parts: string[] = [];
  let done = 0;
  for (let item = yield* readItem(json, 0); item !== undefined; item = yield* readItem(json, item.end)) {
    const member = yield* findMember(json, item.start, name);
    if (member === undefined || JSON.parse(json.slice(member.start, member.end)) !== held) continue;
    parts.push(json.slice(done, member.start), JSON.stringify(given));
    done = member.end;
  }
  return parts.join('') + json.slice(done);
}

/** The JSON of a member of a result where it, or an object in the list that it is, holds numbers that a double changes. */
function exactMemberOf(result: JsonObject, name: string): string | undefined {
  const value = result[name];
  return exactTextOf(result, name) ?? (holdsExactItems(value) ? `[${value.map(writeExactItem).join(',')}]` : undefined);
}

function holdsExactItems(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isExactItem);
}

/** Whether an item of a list is an object whose numbers a double changes. */
export function isExactItem(item: unknown): boolean {
  return isJsonObject(item) && textsOf(item) !== undefined;
}

/** The JSON of an item of a list, with its numbers as the server wrote them. */
export function writeExactItem(item: unknown): string {
  return isJsonObject(item) ? `{${writeExactMembers(item)}}` : (JSON.stringify(item) ?? 'null');
}

/** The JSON of a result's members, without the braces around them, with their numbers as the server wrote them. */
export function writeExactMembers(result: JsonObject): string {
  const written = Object.keys(result).map((name) => {
    const text = exactMemberOf(result, name) ?? JSON.stringify(result[name]);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return written.flat().join(',');
}

/** Whether parsing a JSON text changes a number in it; of a long one, whether it may. */
export function mayChangeNumbers(text: string): boolean {
  return SUSPICIOUS.test(text) && holdsChangedNumber(text);
}

/** A longer text is kept without a look at each of its numbers, which would hold up other calls. */
const LONGEST_SEARCHED = 100_000;

function holdsChangedNumber(text: string): boolean {
  if (text.length > LONGEST_SEARCHED) return true;
  for (const [token] of text.matchAll(TOKEN)) {
    if (isChanged(token)) return true;
  }
  return false;
}

/** Of a string or a number of a JSON text. */
function isChanged(token: string): boolean {
  return token[0] !== '"' && SUSPICIOUS.test(token) && String(Number(token)) !== token;
}

/** A member of an object in a JSON text: where its value stands. */
interface MemberSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function* findMember(text: string, start: number, name: string): Sliced<MemberSpan | undefined> {
  let found: MemberSpan | undefined;
  // The last one of a name counts, as for JSON.parse.
  for (let member = yield* readMember(text, start); member !== undefined; member = yield* readMember(text, member.end))
    if (member.name === name) found = member;
  return found;
}

const NAME = /\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
const STRUCTURE = /["[\]{}]/g;
const SCALAR = /[^\s,\]}]*/y;

const ITEM = /\s*[[,]\s*(?=[^\s\]])/y;

/** The next item of the list that is a valid JSON text. @param from where the list begins, or where the item before it ends */
function* readItem(text: string, from: number): Sliced<Pick<MemberSpan, 'start' | 'end'> | undefined> {
  ITEM.lastIndex = from;
  if (ITEM.exec(text) === null) return undefined;
  const start = ITEM.lastIndex;
  return { start, end: yield* endOfValue(text, start) };
}

/** The next member of an object in a valid JSON text. @param from where the object begins, or where the member before it ends */
function* readMember(text: string, from: number): Sliced<MemberSpan | undefined> {
  NAME.lastIndex = from;
  const found = NAME.exec(text);
  if (found === null) return undefined;
  const start = NAME.lastIndex;
  return { name: JSON.parse(found[1] ?? '""') as string, start, end: yield* endOfValue(text, start) };
}

function* endOfValue(text: string, start: number): Sliced<number> {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    SCALAR.lastIndex = start;
    SCALAR.exec(text);
    return SCALAR.lastIndex;
  }
  let pause = start + SLICE_CHARACTERS;
  for (let depth = 0, at = start; ; ) {
    if (at >= pause) {
      pause = at + SLICE_CHARACTERS;
      yield;
    }
    // Others may have read a text of theirs meanwhile.
    STRUCTURE.lastIndex = at;
    const found = STRUCTURE.exec(text);
    if (found === null) return text.length;
    const [mark] = found;
    at = mark === '"' ? endOfString(text, found.index) : STRUCTURE.lastIndex;
    if (mark === '{' || mark === '[') depth += 1;
    else if (mark !== '"') {
      depth -= 1;
      if (depth === 0) return at;
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
