import type { JsonPath } from '../../config/json-path.js';
import { type Container, isContainer, openContainer, rebuildContainer } from './container.js';
import { bytesAround, bytesBeside, createJsonMeasure, DEEPEST, type MeasureJson } from './json-size.js';
import { takeText } from './take-text.js';

/** One place of an answer at whose end something was left out. */
export interface Cut {
  /** From the root of the answer; empty for the answer itself. */
  readonly path: JsonPath;
  /** A list, a text or an object. */
  readonly kind: 'items' | 'text' | 'members';
  /** Items, characters (UTF-16 units) or members. */
  readonly kept: number;
  readonly total: number;
}

export interface FittedAnswer {
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

/** The share of a list that an item is sure of which would not even fit alone. */
const GIANT_SHARE = 1 / 8;

/** What takes no more is whole or absent: half an identifier or half a date is worse than none. Any number is that small. */
const SMALL_BYTES = 64;

/**
 * Makes an answer fit by leaving out at the ends of lists, texts and objects; nothing is altered otherwise. What is small
 * stays whole: of a record the biggest members are shortened first, to equal shares of the room; a list keeps as many
 * whole first items as fit, and an item that would not fit alone is shortened inside.
 * The same value and bound give the same answer. The cost is in `maxBytes`, not in the size of the value.
 * @param value what JSON.parse gave
 * @param maxBytes bound of the JSON text in UTF-8, at least 100; what is nested more than 500 levels deep may be left out
 * however little it is
 */
export function fitAnswer(value: unknown, maxBytes: number): FittedAnswer {
  const fitter = new Fitter();
  return { value: fitter.fit(value, maxBytes, []).value, cuts: fitter.cuts };
}

class Fitter {
  readonly cuts: Cut[] = [];
  readonly #measure: MeasureJson = createJsonMeasure();

  fit(value: unknown, room: number, path: JsonPath): Fitted {
    const bytes = this.#measure(value, room);
    if (bytes <= room) return { value, bytes };
    if (typeof value === 'string') return this.#fitText(value, room, path);
    return isContainer(value) ? this.#fitContainer(openContainer(value), room, path) : { value, bytes };
  }

  #fitText(text: string, room: number, path: JsonPath): Fitted {
    const value = takeText(text, room);
    this.cuts.push({ path, kind: 'text', kept: value.length, total: text.length });
    return { value, bytes: Buffer.byteLength(JSON.stringify(value)) };
  }

  #fitContainer(container: Container, room: number, path: JsonPath): Fitted {
    const parts = path.length < DEEPEST ? (this.#takeRecord(container, room) ?? this.#takeFirst(container, room)) : [];
    const { kind, length: total } = container;
    if (parts.length < total) this.cuts.push({ path, kind, kept: parts.length, total });
    let bytes = bytesAround(parts.length) + sum(parts.map(({ beside, size, whole }) => beside + (whole ? size : 0)));
    const values = new Map<Part, unknown>();
    // The smallest first: what it does not use of its share is left for the bigger ones.
    const shortened = parts.filter(({ whole }) => !whole).sort((a, b) => compareSizes(a.size, b.size));
    shortened.forEach((part, index) => {
      const share = Math.floor((room - bytes) / (shortened.length - index));
      const fitted = this.fit(part.value, share, [...path, part.step]);
      values.set(part, fitted.value);
      bytes += fitted.bytes;
    });
    const kept = parts.map((part) => ({ step: part.step, value: part.whole ? part.value : values.get(part) }));
    return { value: rebuildContainer(kind, kept), bytes };
  }

  /** Every member of a record; undefined where it is none, or where next to nothing of each would be left. */
  #takeRecord(container: Container, room: number): Part[] | undefined {
    if (container.kind !== 'members' || container.length > RECORD_MEMBERS) return undefined;
    const parts = Array.from({ length: container.length }, (_, index) => {
      const part = this.#partAt(container, index, room);
      return { ...part, whole: part.size <= SMALL_BYTES };
    });
    const least = sum(parts.map(({ beside, size }) => beside + Math.min(size, SMALL_BYTES)));
    return bytesAround(parts.length) + least <= room ? parts : undefined;
  }

  /** The first parts that fit, whole where they could be whole alone. */
  #takeFirst(container: Container, room: number): Part[] {
    const parts: Part[] = [];
    let used = bytesAround(container.length);
    const alone = room - used;
    for (let index = 0; index < container.length; index++) {
      const part = this.#partAt(container, index, alone);
      const whole = part.beside + part.size <= alone;
      used += part.beside + (whole || part.size <= SMALL_BYTES ? part.size : leastOfGiant(room));
      if (used > room) break;
      parts.push({ ...part, whole });
    }
    return parts;
  }

  #partAt(container: Container, index: number, room: number): Omit<Part, 'whole'> {
    const value = container.valueAt(index);
    const size = this.#measure(value, Math.max(room, SMALL_BYTES));
    return { step: container.stepAt(index), value, size, beside: bytesBeside(container, index) };
  }
}

function leastOfGiant(room: number): number {
  return Math.max(SMALL_BYTES, Math.floor(room * GIANT_SHARE));
}

function compareSizes(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
