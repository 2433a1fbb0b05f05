import { Pauses } from '../pauses/pauses.js';
import { exactTextOf, isExactItem, writeExactItem } from './exact-result.js';
import type { JsonObject } from './json.js';
import type { Pieces, WrittenMember } from './pieces.js';

/** Units that are written at once: about a millisecond. A character is one, a value of any kind some more. */
const WRITTEN_AT_ONCE = 200_000;
const UNITS_PER_VALUE = 50;

/** Whether writing a value as JSON takes longer than a millisecond or two. Looks no further than it has to. */
export function takesLongToWrite(value: unknown): boolean {
  return weigh(value, WRITTEN_AT_ONCE) > WRITTEN_AT_ONCE;
}

/** Gathers texts as bytes, in pieces that are neither many nor large. A text that is added holds whole characters. */
export class WrittenPieces {
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

/** The JSON of a value, of which no part takes long to be written. */
function* partsOf(value: unknown): Generator<string, void, void> {
  if (!takesLongToWrite(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') {
    yield '"';
    for (const slice of slicesOf(value)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  } else {
    const isList = Array.isArray(value);
    yield isList ? '[' : '{';
    let separator = '';
    for (const [name, member] of isList ? value.entries() : Object.entries(value as object)) {
      if (separator !== '') yield separator;
      if (!isList) {
        yield* partsOf(name);
        yield ':';
      }
      yield* partsOf(member);
      separator = ',';
    }
    yield isList ? ']' : '}';
  }
}

/** A text in slices, each of whole characters: half of one would be written as an escape. */
function* slicesOf(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    const before = text.charCodeAt(from + WRITTEN_AT_ONCE - 1);
    const end = from + WRITTEN_AT_ONCE + (before >= 0xd800 && before <= 0xdbff ? 1 : 0);
    yield text.slice(from, end);
    from = end;
  }
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

/** Writes the members of a result, with numbers as the server wrote them: as bytes in pieces of some hundred kB. Calls are served meanwhile. */
export async function writeMembers(result: JsonObject): Promise<readonly WrittenMember[]> {
  const members: WrittenMember[] = [];
  const pauses = new Pauses();
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const pieces = new WrittenPieces();
    for (const part of exactPartsOf(result, name) ?? partsOf(value)) {
      pieces.push(part);
      await pauses.due();
    }
    members.push({ name, value, json: pieces.take() });
  }
  return members;
}

/** The parts of a member of which the server's text is kept, as a whole or of its items; undefined where a double holds its numbers. */
function exactPartsOf(result: JsonObject, name: string): Iterable<string> | undefined {
  const value = result[name];
  const exact = exactTextOf(result, name);
  if (exact !== undefined) return slicesOf(exact);
  // Of a long list each item is looked at when it is written.
  const mayHoldExact = Array.isArray(value) && (takesLongToWrite(value) || value.some(isExactItem));
  return mayHoldExact ? itemsOf(value) : undefined;
}

function* itemsOf(items: readonly unknown[]): Generator<string, void, void> {
  yield '[';
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    yield* isExactItem(item) ? slicesOf(writeExactItem(item)) : partsOf(item);
  }
  yield ']';
}
