import { filterInSteps, inTime, mapInSteps, type Sliced } from '../turns/turns.js';
import { exactTextOf, isExactItem, writeExactItem } from './exact-result.js';
import type { JsonObject } from './json.js';
import type { Pieces, WrittenMember } from './pieces.js';

/** Units that are written at once: about a millisecond. A character is one, a value of any kind some more. */
const WRITTEN_AT_ONCE = 200_000;
const UNITS_PER_VALUE = 50;
/** Members of a list or an object that are weighed together. */
const GROUP = 500;

/** Whether writing a value as JSON takes longer than one slice. Looks no further than it has to. */
export function takesLongToWrite(value: unknown): boolean {
  return weigh(value, WRITTEN_AT_ONCE) > WRITTEN_AT_ONCE;
}

/** Writes a parsed JSON value as `JSON.stringify` does, in slices: as bytes in pieces of some hundred kB. */
export function* writeInSlices(value: unknown): Sliced<Pieces> {
  const pieces = new WrittenPieces();
  yield* inTime(write(value, pieces));
  return pieces.take();
}

/** The bytes of a text, in slices and pieces. */
function* encodeInSlices(text: string): Sliced<Pieces> {
  const pieces = new WrittenPieces();
  yield* inTime(slicesOf(text, (slice) => pieces.push(slice)));
  return pieces.take();
}

/** Gathers texts as bytes, in pieces that are neither many nor large. A text that is added holds whole characters. */
class WrittenPieces {
  readonly #pieces: Buffer[] = [];
  #texts: string[] = [];
  #length = 0;

  push(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= WRITTEN_AT_ONCE) this.#encode();
  }

  take(): Pieces {
    this.#encode();
    return this.#pieces;
  }

  #encode(): void {
    this.#pieces.push(Buffer.from(this.#texts.join('')));
    this.#texts = [];
    this.#length = 0;
  }
}

function* write(value: unknown, pieces: WrittenPieces): Sliced<void> {
  if (!takesLongToWrite(value)) pieces.push(JSON.stringify(value));
  else if (typeof value === 'string') yield* writeText(value, pieces);
  else if (Array.isArray(value)) yield* writeList(value, pieces);
  else yield* writeObject(Object.entries(value as object), pieces);
  yield;
}

function* writeList(items: readonly unknown[], pieces: WrittenPieces): Sliced<void> {
  pieces.push('[');
  for (let from = 0; from < items.length; from += GROUP) {
    if (from > 0) pieces.push(',');
    const group = items.slice(from, from + GROUP);
    if (group.length > 1 && takesLongToWrite(group)) yield* joined(group, pieces, (item) => write(item, pieces));
    else if (group.length > 1) pieces.push(JSON.stringify(group).slice(1, -1));
    else yield* write(group[0], pieces);
    yield;
  }
  pieces.push(']');
}

type Member = readonly [name: string, value: unknown];

function* writeObject(members: readonly Member[], pieces: WrittenPieces): Sliced<void> {
  const writeMember = function* ([name, value]: Member): Sliced<void> {
    yield* write(name, pieces);
    pieces.push(':');
    yield* write(value, pieces);
  };
  pieces.push('{');
  for (let from = 0; from < members.length; from += GROUP) {
    if (from > 0) pieces.push(',');
    const group = members.slice(from, from + GROUP);
    if (takesLongToWrite(group)) yield* joined(group, pieces, writeMember);
    // Keeps the order, and a member with the name `__proto__`.
    else pieces.push(JSON.stringify(Object.fromEntries(group)).slice(1, -1));
    yield;
  }
  pieces.push('}');
}

function* joined<Item>(
  items: readonly Item[],
  pieces: WrittenPieces,
  work: (item: Item) => Sliced<void>,
): Sliced<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0) pieces.push(',');
    yield* work(item);
  }
}

function* writeText(text: string, pieces: WrittenPieces): Sliced<void> {
  pieces.push('"');
  yield* slicesOf(text, (slice) => pieces.push(JSON.stringify(slice).slice(1, -1)));
  pieces.push('"');
}

/** Hands over a text slice by slice, each of whole characters. */
function* slicesOf(text: string, take: (slice: string) => void): Sliced<void> {
  for (let from = 0; from < text.length; ) {
    const end = endOfCharacter(text, from + WRITTEN_AT_ONCE);
    take(text.slice(from, end));
    from = end;
    yield;
  }
}

/** Half of a character would be written as an escape. */
function endOfCharacter(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at + 1 : at;
}

/** What writing a value costs, up to where it is known to be more than a bound. */
function weigh(value: unknown, bound: number): number {
  if (typeof value === 'string') return UNITS_PER_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return UNITS_PER_VALUE;
  let units = UNITS_PER_VALUE;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && units <= bound; index += 1) units += weigh(value[index], bound - units);
    return units;
  }
  for (const [name, member] of Object.entries(value)) {
    units += name.length + weigh(member, bound - units);
    if (units > bound) break;
  }
  return units;
}

/** Writes the members of a result in slices, with numbers as the server wrote them. */
export function* writeMembers(result: JsonObject): Sliced<readonly WrittenMember[]> {
  const members: WrittenMember[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const exact = exactTextOf(result, name);
    const json = exact === undefined ? yield* writeMember(value) : yield* encodeInSlices(exact);
    members.push({ name, value, json });
  }
  return members;
}

function* writeMember(value: unknown): Sliced<Pieces> {
  const exactItems = Array.isArray(value) ? yield* filterInSteps<unknown>(value, isExactItem) : [];
  if (!Array.isArray(value) || exactItems.length === 0) return yield* writeInSlices(value);
  const items = yield* mapInSteps<unknown, string>(value, writeExactItem);
  return yield* encodeInSlices(`[${items.join(',')}]`);
}
