import { isJsonObject, type JsonObject } from './json.js';
import {
  endOfString,
  findMember,
  findNumber,
  isInexact,
  quoteNumbers,
  readItem,
  readMember,
  SUSPICIOUS,
} from './scan.js';

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

/**
 * Lets the result of a parsed message, or of each in a list of messages, keep what parsing changed of its numbers; in the `data` of an
 * error such a number becomes the text of its digits. For texts that are `SUSPICIOUS`.
 *
 * @param parsed what `JSON.parse` made of the text; the results are extended
 */
export function keepExactNumbers(parsed: unknown, text: string): void {
  if (Array.isArray(parsed)) forEachItem(parsed, text, keepOf);
  else keepOf(parsed, text, 0);
}

/** The same for a part of a message, which may be put together with others: the object that it is, or each in a list, keeps its own. */
export function keepNumbersOfPart(value: unknown, text: string): void {
  if (Array.isArray(value)) forEachItem(value, text, (item, _text, start) => keepWithin(item, text, start));
  else keepWithin(value, text, 0);
}

/** Lets an object keep the text of a member whose numbers parsing may have changed. Of a list of objects each keeps its own. */
export function keepMember(object: JsonObject, name: string, text: string): void {
  const value = object[name];
  if (Array.isArray(value) && value.every(isJsonObject)) return;
  addTexts(object, new Map([[name, { json: onOneLine(text), value }]]));
}

function forEachItem(
  list: readonly unknown[],
  text: string,
  take: (item: unknown, text: string, start: number) => void,
): void {
  let index = 0;
  for (let span = readItem(text, 0); span !== undefined; span = readItem(text, span.end)) {
    take(list[index], text, span.start);
    index += 1;
  }
}

/** @param start where the message begins in the text */
function keepOf(message: unknown, text: string, start: number): void {
  if (!isJsonObject(message)) return;
  const { result, error } = message;
  if (isJsonObject(error)) keepWithin(error, text, findMember(text, start, 'error')?.start);
  tellDigits(message);
  if (isJsonObject(result)) keepWithin(result, text, findMember(text, start, 'result')?.start);
}

/** An error is told in words of the gateway's own, in which its data has the place of a value. What is too long for that is left out. */
export function tellDigits({ error }: JsonObject): void {
  const json = isJsonObject(error) ? exactTextOf(error, 'data') : undefined;
  if (json === undefined) return;
  const exact: unknown = json.length > LONGEST_SEARCHED ? undefined : JSON.parse(quoteNumbers(json, isInexact));
  Object.assign(error as JsonObject, { data: exact });
}

/** The members of results whose items are listed among those of other servers. */
const LISTS = ['tools', 'resources', 'resourceTemplates', 'prompts', 'skills'] as const;

/** @param start where the object begins in the text */
function keepWithin(object: unknown, text: string, start: number | undefined): void {
  if (!isJsonObject(object) || start === undefined) return;
  keepMembers(object, text, start);
  for (const name of LISTS) {
    const [json, items] = [exactTextOf(object, name), object[name]];
    if (json === undefined || !Array.isArray(items)) continue;
    forEachItem(items, json, (item, _text, at) => isJsonObject(item) && keepMembers(item, json, at));
  }
  const meta = object['_meta'];
  const json = exactTextOf(object, '_meta');
  // Others add members to it.
  if (json !== undefined && isJsonObject(meta)) keepMembers(meta, json, 0);
}

function keepMembers(object: JsonObject, text: string, start: number): void {
  const texts = new Map<string, ExactText>();
  for (let at = readMember(text, start); at !== undefined; at = readMember(text, at.end)) {
    const member = text.slice(at.start, at.end);
    // The last one of a name counts, as for JSON.parse.
    if (mayChangeNumbers(member)) texts.set(at.name, { json: onOneLine(member), value: object[at.name] });
    else texts.delete(at.name);
  }
  addTexts(object, texts);
}

function addTexts(object: JsonObject, texts: ReadonlyMap<string, ExactText>): void {
  if (texts.size > 0) Object.assign(object, { [EXACT_TEXTS]: new Map([...(textsOf(object) ?? []), ...texts]) });
}

/** Of valid JSON, in which line breaks stand between values alone. Messages of some transports end with a line. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
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

/** Lets a copy of an object with some of its members keep their numbers, beside those of others that it has. */
export function keepTextsOf<T extends JsonObject>(from: JsonObject, copy: T): T {
  addTexts(copy, textsOf(from) ?? new Map());
  return copy;
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
export function replaceInItems(
  json: string,
  { name, held, given }: { readonly name: string; readonly held: string; readonly given: string },
): string {
  const parts: string[] = [];
  let done = 0;
  for (let item = readItem(json, 0); item !== undefined; item = readItem(json, item.end)) {
    const member = findMember(json, item.start, name);
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
  return SUSPICIOUS.test(text) && (text.length > LONGEST_SEARCHED || findNumber(text, 0, isInexact) !== undefined);
}

/** A longer text is kept without a look at each of its numbers, which would hold up other calls. */
const LONGEST_SEARCHED = 100_000;
