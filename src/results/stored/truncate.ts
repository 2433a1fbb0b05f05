import type { JsonPath } from '../../base/json/json-path.js';

/** A list, a text or an object of an answer whose end was left out. */
export interface Cut {
  /** From the root of the answer; empty for the answer itself. */
  readonly path: JsonPath;
  /** A list, a text or an object. */
  readonly kind: 'items' | 'text' | 'members';
  /** Items, characters (UTF-16 units) or members. */
  readonly kept: number;
  readonly total: number;
}

/** A list or an object seen in one way: parts in order, each under an index or a key. */
export interface Container {
  readonly kind: 'items' | 'members';
  readonly length: number;
  stepAt(index: number): string | number;
  valueAt(index: number): unknown;
}

interface FittedAnswer {
  readonly value: unknown;
  /** Empty where nothing was left out. */
  readonly cuts: readonly Cut[];
}

interface Fitted {
  readonly value: unknown;
  /** Of its JSON text. */
  readonly bytes: number;
}

/** A part of a container that stays. */
interface Part {
  readonly step: string | number;
  readonly value: unknown;
  /** Infinity where it is more than the container may take. */
  readonly size: number;
  readonly beside: number;
  /** Whether it stays whole for sure. */
  readonly whole: boolean;
}

/** Objects with more members are maps rather than records: of a map some entries stay whole, of a record every key stays. */
const RECORD_MEMBERS = 50;

/** The share of a list's space that is reserved for an item which would not fit even alone. */
const OVERSIZED_SHARE = 1 / 8;

/** A value of at most this size is whole or absent: half an identifier or date is worse than none. Numbers are that small. */
const SMALL_BYTES = 64;

/**
 * Makes an answer fit by leaving out at the ends of lists, texts and objects; nothing is altered otherwise. What is small
 * stays whole: of a record the biggest members are shortened first, to equal shares of the space; a list keeps as many
 * whole first items as fit, and an item that would not fit alone is shortened inside.
 * The same value and bound give the same answer. The cost depends on `maxBytes`, not on the size of the value.
 * @param value what JSON.parse gave
 * @param maxBytes bound of the JSON text in UTF-8, at least 100; what is nested more than 500 levels deep may be left out
 * however little it is
 */
export function fitAnswer(value: unknown, maxBytes: number): FittedAnswer {
  const fitter = new Fitter();
  const fitted = fitter.fit(value, maxBytes, []);
  return { value: fitted.value, cuts: fitter.cuts };
}

class Fitter {
  readonly cuts: Cut[] = [];
  readonly #measure: MeasureJson = createJsonMeasure();

  fit(value: unknown, space: number, path: JsonPath): Fitted {
    const bytes = this.#measure(value, space);
    if (bytes <= space) return { value, bytes };
    if (typeof value === 'string') return this.#fitText(value, space, path);
    return isContainer(value) ? this.#fitContainer(openContainer(value), space, path) : { value, bytes };
  }

  #fitText(text: string, space: number, path: JsonPath): Fitted {
    const value = takeText(text, isBinary(text) ? Math.min(space, BINARY_BYTES) : space);
    this.cuts.push({ path, kind: 'text', kept: value.length, total: text.length });
    return { value, bytes: Buffer.byteLength(JSON.stringify(value)) };
  }

  #fitContainer(container: Container, space: number, path: JsonPath): Fitted {
    const parts =
      path.length < DEEPEST ? (this.#takeRecord(container, space) ?? this.#takeFirst(container, space)) : [];
    const { kind, length: total } = container;
    if (parts.length < total) this.cuts.push({ path, kind, kept: parts.length, total });
    let bytes = bytesAround(parts.length) + sum(parts.map(({ beside, size, whole }) => beside + (whole ? size : 0)));
    const values = new Map<Part, unknown>();
    // The smallest first: what it does not use of its share is left for the bigger ones.
    const shortened = parts
      .filter(({ whole }) => !whole)
      .sort((a, b) => Number(isBinary(b.value)) - Number(isBinary(a.value)) || compareSizes(a.size, b.size));
    for (const [index, part] of shortened.entries()) {
      const share = Math.floor((space - bytes) / (shortened.length - index));
      const fitted = this.fit(part.value, share, [...path, part.step]);
      values.set(part, fitted.value);
      bytes += fitted.bytes;
    }
    const fitted = parts.map((part) => ({ step: part.step, value: part.whole ? part.value : values.get(part) }));
    return { value: rebuildContainer(kind, fitted), bytes };
  }

  /** Every member of a record; undefined where it is none, or where next to nothing of each would be left. */
  #takeRecord(container: Container, space: number): Part[] | undefined {
    if (container.kind !== 'members' || container.length > RECORD_MEMBERS) return undefined;
    const parts: Part[] = [];
    for (let index = 0; index < container.length; index++) {
      const part = this.#partAt(container, index, space);
      parts.push({ ...part, whole: part.size <= SMALL_BYTES });
    }
    const least = sum(parts.map(({ beside, size }) => beside + Math.min(size, SMALL_BYTES)));
    return bytesAround(parts.length) + least <= space ? parts : undefined;
  }

  /** The first parts that fit, whole where they could be whole alone. */
  #takeFirst(container: Container, space: number): Part[] {
    const parts: Part[] = [];
    let used = bytesAround(container.length);
    const alone = space - used;
    for (let index = 0; index < container.length; index++) {
      const part = this.#partAt(container, index, alone);
      const whole = part.beside + part.size <= alone;
      used += part.beside + (whole || part.size <= SMALL_BYTES ? part.size : leastForOversized(space));
      if (used > space) break;
      parts.push({ ...part, whole });
    }
    return parts;
  }

  #partAt(container: Container, index: number, space: number): Omit<Part, 'whole'> {
    const value = container.valueAt(index);
    const size = this.#measure(value, Math.max(space, SMALL_BYTES));
    return { step: container.stepAt(index), value, size, beside: bytesBeside(container, index) };
  }
}

/** A part of base64 is of no use to anybody: what is shown of it says only that there is some. */
const BINARY_BYTES = 64;
const LEAST_BINARY = 2_048;

function isBinary(value: unknown): boolean {
  return typeof value === 'string' && value.length >= LEAST_BINARY && /^[A-Za-z0-9+/_-]{2048}/.test(value);
}

function leastForOversized(space: number): number {
  return Math.max(SMALL_BYTES, Math.floor(space * OVERSIZED_SHARE));
}

function compareSizes(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param value a JSON list or object */
export function openContainer(value: object): Container {
  if (Array.isArray(value)) {
    return { kind: 'items', length: value.length, stepAt: (index) => index, valueAt: (index) => value[index] };
  }
  const keys = Object.keys(value);
  const members = value as Readonly<Record<string, unknown>>;
  const keyAt = (index: number): string => keys[index] ?? '';
  return { kind: 'members', length: keys.length, stepAt: keyAt, valueAt: (index) => members[keyAt(index)] };
}

/** Whether there is something inside that could be left out. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The first parts of a container, each with its value as it now is, as a container of the same kind. */
function rebuildContainer(
  kind: Container['kind'],
  parts: readonly { readonly step: string | number; readonly value: unknown }[],
): unknown {
  // Object.fromEntries defines members, so that a key `__proto__` is a key.
  return kind === 'items' ? parts.map(({ value }) => value) : Object.fromEntries(parts.map((p) => [p.step, p.value]));
}

/**
 * As much of a text, from its start, as takes at most `maxBytes` as JSON, quotes included: whole lines where they are at
 * least half of what would fit, else whole characters.
 */
export function takeText(text: string, maxBytes: number): string {
  const end = findEnd(text, maxBytes - 2);
  if (end === text.length) return text;
  const fitting = text.slice(0, end);
  const lineEnd = fitting.lastIndexOf('\n') + 1;
  return lineEnd >= end / 2 ? fitting.slice(0, lineEnd) : fitting;
}

/** Moves an index back where it would split a character. */
export function startOfCharacter(text: string, index: number): number {
  return isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

function findEnd(text: string, maxBytes: number): number {
  let left = maxBytes;
  let end = 0;
  while (end < text.length) {
    const length = isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1;
    left -= length === 2 ? 4 : bytesOf(text.charCodeAt(end));
    if (left < 0) break;
    end += length;
  }
  return end;
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\\b\t\n\f\r', (character) => character.charCodeAt(0)));

/** Bytes of one UTF-16 unit as JSON.stringify writes it; half a pair alone is escaped. */
function bytesOf(unit: number): number {
  if (SHORT_ESCAPES.has(unit)) return 2;
  if (unit < 0x20 || isHigh(unit) || isLow(unit)) return 6;
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Bytes of a value's JSON text in UTF-8; Infinity where they are more than `limit`, however much more. */
type MeasureJson = (value: unknown, limit: number) => number;

/** Levels of nesting; what is deeper counts as too big for any limit, because it could not be written. */
const DEEPEST = 500;

/** Text that is written as it is, a byte a character. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** An empty list or object: its two brackets. */
const EMPTY_BYTES = 2;

/**
 * Measures values of one answer. Stops at the limit and remembers what it has measured, so that the cost depends
 * on what may be sent, not on what was received.
 */
function createJsonMeasure(): MeasureJson {
  const known = new Map<object, number>();
  /** The size of what has no parts, or was measured; undefined of the others. */
  const sizeAtOnce = (value: unknown, limit: number, depth: number): number | undefined => {
    if (typeof value === 'string') return sizeOfText(value, limit);
    if (!isContainer(value)) return sizeOfScalar(value);
    const size = known.get(value) ?? (depth > DEEPEST ? Number.POSITIVE_INFINITY : undefined);
    return size !== undefined && size > limit ? Number.POSITIVE_INFINITY : size;
  };
  const measure = (value: unknown, limit: number, depth: number): number => {
    const atOnce = sizeAtOnce(value, limit, depth);
    if (atOnce !== undefined) return atOnce;
    const whole = value as object;
    const container = openContainer(whole);
    let size = bytesAround(container.length);
    for (let index = 0; index < container.length && size <= limit; index++) {
      size += bytesBeside(container, index);
      const part = container.valueAt(index);
      size += sizeAtOnce(part, limit - size, depth + 1) ?? measure(part, limit - size, depth + 1);
    }
    if (size > limit) return Number.POSITIVE_INFINITY;
    known.set(whole, size);
    return size;
  };
  return (value, limit) => measure(value, limit, 0);
}

/** Bytes that a container takes beside its parts; one less where there are any, because the last has no comma. */
function bytesAround(length: number): number {
  return length === 0 ? EMPTY_BYTES : EMPTY_BYTES - 1;
}

/** Bytes that a part takes beside its value: its key, its colon, a comma. */
function bytesBeside(container: Container, index: number): number {
  return container.kind === 'items' ? 1 : sizeOfText(String(container.stepAt(index)), Number.POSITIVE_INFINITY) + 2;
}

function sizeOfText(text: string, limit: number): number {
  // No character takes less than a byte.
  if (text.length + 2 > limit) return Number.POSITIVE_INFINITY;
  return PLAIN_TEXT.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

function sizeOfScalar(value: unknown): number {
  return (JSON.stringify(value) ?? 'null').length;
}
