import type { Category } from '../protocol/category.js';

/** What a caller may ask of a READ beside its own parameters (companion document "collection querying", section 2). */
export const CONTROLS = [
  'query',
  'filter',
  'sort',
  'fields',
  'preset',
  'aggregate',
  'include_items',
  'first',
  'after',
  'last',
  'before',
  'limit',
  'offset',
  'page',
  'page_size',
] as const;

export type Control = (typeof CONTROLS)[number];

/** The controls of a READ of one object; those of a collection are all of them. */
export const OBJECT_CONTROLS: readonly Control[] = ['fields', 'preset'];

/** What takes controls at all. */
export const CONTROLLED: Category = 'READ';

/** Keys from the outside in: `settings.theme` is `['settings', 'theme']`. Through a list it means each of its elements. */
export type FieldPath = readonly string[];

/** A field of the operator's making, computed for each item (companion document "computed fields"). */
export interface ComputedField {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'boolean';
  /** Never throws: what cannot be computed is null. @param now milliseconds since the epoch */
  readonly compute: (item: unknown, now: number) => string | number | boolean | null;
}

export type Operator = 'equals' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'exists' | 'pattern';

export interface Condition {
  readonly path: FieldPath;
  readonly operator: Operator;
  readonly operand: unknown;
}

export interface SortKey {
  readonly path: FieldPath;
  readonly order: 'asc' | 'desc';
}

/** OR over words and phrases, in any text of an item. */
export interface TextQuery {
  /** Lower-case; a phrase holds spaces. */
  readonly terms: readonly string[];
}

export interface FieldSelection {
  /** A preset's name, extended by the paths; undefined where only the paths count. */
  readonly preset?: string;
  readonly paths: readonly FieldPath[];
}

export interface Aggregation {
  readonly groupBy?: FieldPath;
  readonly count?: true;
  readonly sum?: FieldPath;
  readonly avg?: FieldPath;
  readonly min?: FieldPath;
  readonly max?: FieldPath;
}

/** Which part of the ordered items. Sizes are clamped, never refused. */
export type PageRequest =
  | { readonly style: 'all' }
  | { readonly style: 'forward'; readonly size: number; readonly after?: string }
  | { readonly style: 'backward'; readonly size: number; readonly before?: string }
  | { readonly style: 'offset'; readonly size: number; readonly offset: number };

/** A caller's controls once they are understood. */
export interface CollectionQuery {
  /** All must hold. */
  readonly filter: readonly Condition[];
  readonly text?: TextQuery;
  readonly sort: readonly SortKey[];
  readonly fields?: FieldSelection;
  /** By the caller's labels, in their order. */
  readonly aggregate?: readonly (readonly [label: string, aggregation: Aggregation])[];
  readonly includeItems: boolean;
  readonly page: PageRequest;
}
