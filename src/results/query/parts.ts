import type { FieldSource } from './fields.js';
import { findItems } from './filter-items.js';
import { distinctItems, sortItems } from './order-items.js';
import type { ControlReading } from './query-fault.js';
import { readFilter } from './read-filter.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, readPaging } from './read-paging.js';
import { readAggregate, readCollection, readDistinct, readFields, readSort, readText } from './read-parts.js';
import { CONTROLS, type CollectionQuery, type Control, FIELD_FUNCTIONS, type FieldPath } from './result-types.js';

/** One thing that a query says, in one control or several that mean something together. */
interface AnyPart {
  readonly read: (reading: ControlReading) => Partial<CollectionQuery>;
  /** What a query says of it; undefined where it says nothing. */
  readonly asked: (query: CollectionQuery) => unknown;
  /** Whether an answer to it depends on every item, wherever it is, so that all pages of the upstream are read. */
  readonly needsAllPages: (query: CollectionQuery) => boolean;
  /** Whether it is about the items themselves, of which a summary has none. */
  readonly isOfItems: boolean;
  /** The fields that it names. */
  readonly paths: (query: CollectionQuery) => readonly FieldPath[];
  /** How often it reads each item, about. */
  readonly reads: (query: CollectionQuery) => number;
}

/** What it changes: which items there are, or their order; or it makes a summary of them, cuts a page out of them, or leaves the list as it is. */
export type PartSpec = AnyPart &
  (
    | {
        readonly changes: 'which' | 'order';
        readonly apply: (items: readonly unknown[], query: CollectionQuery, source: FieldSource) => readonly unknown[];
      }
    | { readonly changes: 'summary' | 'page' | 'nothing' }
  );

type Part = 'filter' | 'text' | 'sort' | 'distinct' | 'fields' | 'aggregate' | 'page' | 'collection';

const always = (): boolean => true;
const never = (): boolean => false;
const noPaths = (): readonly FieldPath[] => [];
const listed = <Item>(items: readonly Item[]): readonly Item[] | undefined => (items.length === 0 ? undefined : items);

/** Every part, in the order in which they are applied. */
export const PARTS: Readonly<Record<Part, PartSpec>> = {
  collection: {
    read: readCollection,
    asked: ({ collection }) => collection,
    changes: 'nothing',
    needsAllPages: never,
    isOfItems: false,
    paths: noPaths,
    reads: () => 0,
  },
  filter: {
    read: (reading) => ({ filter: readFilter(reading) }),
    asked: ({ filter }) => listed(filter),
    changes: 'which',
    apply: findItems,
    needsAllPages: always,
    isOfItems: false,
    paths: ({ filter }) => filter.map(({ path }) => path),
    reads: ({ filter }) => filter.length,
  },
  text: {
    read: readText,
    asked: ({ text }) => text?.terms,
    changes: 'which',
    // With the filter, in one pass.
    apply: (items, query, source) => (query.filter.length > 0 ? items : findItems(items, query, source)),
    needsAllPages: always,
    isOfItems: false,
    paths: noPaths,
    reads: ({ text }) => text?.terms.length ?? 0,
  },
  sort: {
    read: (reading) => ({ sort: readSort(reading) }),
    asked: ({ sort }) => listed(sort),
    changes: 'order',
    apply: (items, { sort }, source) => sortItems(items, sort, source),
    needsAllPages: always,
    isOfItems: true,
    paths: ({ sort }) => sort.map(({ path }) => path),
    reads: ({ sort }) => sort.length,
  },
  distinct: {
    read: readDistinct,
    asked: ({ distinct }) => distinct,
    changes: 'which',
    apply: (items, { distinct }, source) => (distinct === undefined ? items : distinctItems(items, distinct, source)),
    needsAllPages: always,
    isOfItems: false,
    paths: ({ distinct }) => (distinct === undefined ? [] : [distinct]),
    reads: () => 1,
  },
  fields: {
    read: readFields,
    asked: ({ fields }) => fields,
    changes: 'nothing',
    needsAllPages: never,
    isOfItems: true,
    paths: ({ fields }) => fields?.paths ?? [],
    reads: ({ fields }) => fields?.paths.length ?? 0,
  },
  aggregate: {
    read: readAggregate,
    asked: ({ aggregate }) => aggregate,
    changes: 'summary',
    needsAllPages: always,
    isOfItems: false,
    paths: ({ aggregate = [] }) =>
      aggregate.flatMap(([, { count: _count, ...paths }]) => Object.values(paths).filter((path) => path !== undefined)),
    reads: ({ aggregate = [] }) => aggregate.reduce((sum, [, functions]) => sum + Object.keys(functions).length, 0),
  },
  page: {
    read: (reading) => ({ page: readPaging(reading) }),
    asked: ({ page }) => (page.style === 'all' ? undefined : page),
    changes: 'page',
    // The first items are those of the first page.
    needsAllPages: ({ page }) => page.style === 'backward',
    isOfItems: true,
    paths: noPaths,
    reads: () => 0,
  },
};

const ALL = Object.values(PARTS);

/** Whether a query is about items, rather than about the fields of whatever there is. */
export function choosesItems(query: CollectionQuery): boolean {
  return ALL.some(({ changes, asked }) => changes !== 'nothing' && asked(query) !== undefined);
}

/** Whether an answer to the query depends on every item, wherever it is. */
export function choosesOfAll(query: CollectionQuery): boolean {
  return ALL.some(({ asked, needsAllPages }) => asked(query) !== undefined && needsAllPages(query));
}

/** Whether a query leaves items out: how many an upstream has is then not how many are found. */
export function leavesOut(query: CollectionQuery): boolean {
  return ALL.some(({ changes, asked }) => changes === 'which' && asked(query) !== undefined);
}

/** How a query chooses and orders items, as plain data. */
export function choiceIn(query: CollectionQuery): readonly unknown[] {
  return ALL.flatMap((part) => ('apply' in part ? [part.asked(query) ?? null] : []));
}

/** The items that a query chooses, in its order. */
export function chooseItems(
  items: readonly unknown[],
  query: CollectionQuery,
  source: FieldSource,
): readonly unknown[] {
  return ALL.reduce((chosen, part) => ('apply' in part ? part.apply(chosen, query, source) : chosen), items);
}

/** Every field that a query names. */
export function pathsOf(query: CollectionQuery): readonly FieldPath[] {
  return ALL.flatMap(({ paths }) => paths(query));
}

/** How often a query reads each item. */
export function readsOf(query: CollectionQuery): number {
  return ALL.reduce((sum, { asked, reads }) => (asked(query) === undefined ? sum : sum + reads(query)), 0);
}

interface ControlSpec {
  readonly part: Part;
  /** Of those of one part, which mean something only together; all of them where absent. */
  readonly group?: 'cursor' | 'offset' | 'number';
  readonly type: string;
  readonly description?: string;
  readonly minimum?: number;
}

/** Larger pages are clamped, not refused, so this is no `maximum`. */
const MOST = `up to ${MAX_PAGE_SIZE}`;

/** No default where neither of a pair is given: then all items come. */
const ELSE = `${DEFAULT_PAGE_SIZE} with only`;

/** Every control: the part of the query that it belongs to, and how it is described. */
export const CONTROL_SPECS: Readonly<Record<Control, ControlSpec>> = {
  query: { part: 'text', type: 'string', description: 'Words or "phrases", any of them' },
  filter: {
    part: 'filter',
    type: 'CollectionFilter',
    description: '{field: value or {gt, gte, lt, lte, in, contains, pattern, exists}}',
  },
  sort: { part: 'sort', type: 'CollectionSort', description: '{field, order: asc|desc}' },
  distinct: { part: 'distinct', type: 'string', description: 'Field: the first item of each value' },
  fields: { part: 'fields', type: 'FieldSelection' },
  preset: { part: 'fields', type: 'string', description: 'The name of a preset, as in fields' },
  aggregate: {
    part: 'aggregate',
    type: 'CollectionAggregate',
    description: `{label: {count: true, group_by, ${FIELD_FUNCTIONS.join(', ')}: field}}, of all pages`,
  },
  include_items: { part: 'aggregate', type: 'boolean', description: 'Items beside aggregates' },
  first: { part: 'page', group: 'cursor', type: 'integer', minimum: 0, description: `Items from the start, ${MOST}` },
  after: { part: 'page', group: 'cursor', type: 'string', description: 'endCursor' },
  last: { part: 'page', group: 'cursor', type: 'integer', minimum: 0, description: `Items from the end, ${MOST}` },
  before: { part: 'page', group: 'cursor', type: 'string', description: 'startCursor' },
  limit: {
    part: 'page',
    group: 'offset',
    type: 'integer',
    minimum: 0,
    description: `Items after offset, ${MOST}; ${ELSE} offset`,
  },
  offset: { part: 'page', group: 'offset', type: 'integer', minimum: 0, description: 'Items to skip' },
  page: { part: 'page', group: 'number', type: 'integer', minimum: 1, description: 'By number' },
  page_size: {
    part: 'page',
    group: 'number',
    type: 'integer',
    minimum: 1,
    description: `Items of a page, ${MOST}; ${ELSE} page`,
  },
  collection: { part: 'collection', type: 'string', description: 'Path of the list, where an answer holds several' },
};

/** The controls that mean something only together with this one, and itself. */
export function partnersOf(control: Control): readonly Control[] {
  const { part, group } = CONTROL_SPECS[control];
  return CONTROLS.filter((other) => CONTROL_SPECS[other].part === part && CONTROL_SPECS[other].group === group);
}
