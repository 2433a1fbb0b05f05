import { type Container, isContainer, openContainer } from './container.js';

/** Bytes of a value's JSON text in UTF-8; Infinity where they are more than `limit`, however much more. */
export type MeasureJson = (value: unknown, limit: number) => number;

/** Levels of nesting; what is deeper counts as too big for any limit, because it could not be written. */
export const DEEPEST = 500;

/** Text that is written as it is, a byte a character. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** An empty list or object: its two brackets. */
const EMPTY_BYTES = 2;

/**
 * Measures values of one answer. Stops at the limit and remembers what it has measured, so that the cost is in what may be
 * sent, not in what came.
 */
export function createJsonMeasure(): MeasureJson {
  const known = new Map<object, number>();
  const measure = (value: unknown, limit: number, depth: number): number => {
    if (typeof value === 'string') return sizeOfText(value, limit);
    if (!isContainer(value)) return sizeOfScalar(value);
    const size = known.get(value);
    if (size !== undefined) return size > limit ? Number.POSITIVE_INFINITY : size;
    return depth > DEEPEST ? Number.POSITIVE_INFINITY : measureParts(value, limit, depth);
  };
  const measureParts = (value: object, limit: number, depth: number): number => {
    const container = openContainer(value);
    let size = bytesAround(container.length);
    for (let index = 0; index < container.length && size <= limit; index++) {
      size += bytesBeside(container, index);
      size += measure(container.valueAt(index), limit - size, depth + 1);
    }
    if (size > limit) return Number.POSITIVE_INFINITY;
    known.set(value, size);
    return size;
  };
  return (value, limit) => measure(value, limit, 0);
}

/** What a container of so many parts takes beside them; one less where there are any, as the last has no comma. */
export function bytesAround(length: number): number {
  return length === 0 ? EMPTY_BYTES : EMPTY_BYTES - 1;
}

/** What a part takes beside its value: its key, its colon, a comma. */
export function bytesBeside(container: Container, index: number): number {
  return container.kind === 'items' ? 1 : sizeOfText(String(container.stepAt(index)), Number.POSITIVE_INFINITY) + 2;
}

function sizeOfText(text: string, limit: number): number {
  // No character takes less than a byte.
  if (text.length + 2 > limit) return Number.POSITIVE_INFINITY;
  return PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

function sizeOfScalar(value: unknown): number {
  return (JSON.stringify(value) ?? 'null').length;
}
