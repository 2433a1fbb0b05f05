import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import type { ComputedField, FieldPath } from './result-types.js';

/**
 * A compiled path. Keys may contain dots, so at each object a key that equals the whole rest of the path is preferred to a
 * key that is only its first part.
 */
export interface PathStep {
  /** The rest of the path from here. */
  readonly rest: string;
  readonly key: string;
  readonly next: PathStep | undefined;
}

/** Where fields come from beside the items themselves. */
export interface FieldSource {
  readonly computed: readonly ComputedField[];
  /** Milliseconds since the epoch, for computed ages. */
  readonly now: number;
}

/** Every value of one field of an item. */
export type ReadField = (item: unknown) => readonly unknown[];

/** Callers copy paths from answers, which are not nested more deeply; longer paths only cost time. */
export const MAX_PATH_LENGTH = 500;
export const MAX_PATH_DEPTH = 32;

/** Lists on the way of a path, or in one another, are not followed any deeper. */
export const MAX_LIST_DEPTH = 32;

/** A path as a caller writes it, `settings.theme`; undefined where it is empty, too long, or has an empty part. */
export function parsePath(text: string): FieldPath | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  const path = text.split('.');
  return path.length > MAX_PATH_DEPTH || path.includes('') ? undefined : path;
}

export function writePath(path: FieldPath): string {
  return path.join('.');
}

/** Undefined for the empty path, which means the item itself. */
export function compilePath(path: FieldPath): PathStep | undefined {
  return path.reduceRight<PathStep | undefined>(
    (next, key) => ({ rest: next === undefined ? key : `${key}.${next.rest}`, key, next }),
    undefined,
  );
}

/** Every value that a path leads to: none where it is missing, several through lists. A list at its end is one value. */
export function readAll(item: unknown, path: FieldPath): readonly unknown[] {
  return readStep(item, compilePath(path));
}

function readStep(item: unknown, step: PathStep | undefined): readonly unknown[] {
  if (step === undefined) return [item];
  const found: unknown[] = [];
  collect(item, step, found, 0);
  return found;
}

function collect(value: unknown, step: PathStep, found: unknown[], depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (depth < MAX_LIST_DEPTH) for (const element of value) collect(element, step, found, depth + 1);
    return;
  }
  if (Object.hasOwn(value, step.rest)) found.push(memberOf(value, step.rest));
  else if (step.next !== undefined && Object.hasOwn(value, step.key)) {
    collect(memberOf(value, step.key), step.next, found, depth);
  }
}

function memberOf(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The prefix of the names of computed fields (companion document "computed fields", section 1). */
export const COMPUTED = '_computed';

/** The path of an item that is not an object. */
export const SCALAR = 'value';

export function createFieldReader(path: FieldPath, { computed, now }: FieldSource): ReadField {
  const field = findComputed(path, computed);
  if (field !== undefined) return (item) => [field.compute(unmarkedWithin(item), now)];
  const step = compilePath(path);
  if (path.length === 1 && path[0] === SCALAR) return (item) => (isScalar(item) ? [item] : readStep(item, step));
  return (item) => readStep(item, step);
}

export function findComputed(path: FieldPath, computed: readonly ComputedField[]): ComputedField | undefined {
  const [prefix, name] = path;
  return prefix === COMPUTED && path.length === 2 ? computed.find((field) => field.name === name) : undefined;
}

export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
