import type { ComputedField, FieldPath } from '../collection-query.js';
import { compilePath, readStep } from './field-path.js';

/** What stands before the names of computed fields (companion document "computed fields", section 1). */
export const COMPUTED = '_computed';

/** The path of an item that is no object. */
export const SCALAR = 'value';

/** Where fields come from beside the items themselves. */
export interface FieldSource {
  readonly computed: readonly ComputedField[];
  /** Milliseconds since the epoch, for computed ages. */
  readonly now: number;
}

/** Every value of one field of an item. */
export type ReadField = (item: unknown) => readonly unknown[];

export function createFieldReader(path: FieldPath, { computed, now }: FieldSource): ReadField {
  const field = findComputed(path, computed);
  if (field !== undefined) return (item) => [field.compute(item, now)];
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
