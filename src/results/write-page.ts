import { writeExact } from '../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { estimateTokens } from '../base/lib/token-estimate.js';
import type { Warning } from '../base/protocol/result.js';
import type { MissingItems, PageRequest, ReadData } from './query/result-types.js';
import { fitTokens } from './stored/fit-tokens.js';
import type { PageCursors } from './stored/result-store.js';
import { describeCuts } from './stored/truncation-warning.js';

/** A list of objects that all have the same members, with their names written once. */
export interface Table {
  readonly columns: readonly string[];
  /** One row per object, one cell per column. */
  readonly rows: readonly (readonly unknown[])[];
}

/** A page of ordered items before it is written. */
interface PageToWrite {
  /** What is sent of an item, by its index; called as long as it fits. */
  readonly itemAt: (index: number) => unknown;
  readonly range: Range;
  readonly total: number;
  /** Set where the upstream has more than these items. */
  readonly missing: MissingItems | undefined;
  /** Stores the items for further pages; undefined where that fails. Called only where items are sent. */
  readonly openCursors: () => PageCursors | undefined;
  readonly request: PageRequest;
  /** The other members of the answer. */
  readonly beside: JsonObject;
  /** The upstream's name of `first` and `after` for this operation. */
  readonly names: { readonly first: string; readonly after: string };
  readonly maxTokens: number;
  /** Stores what was cut inside; undefined where that fails. */
  readonly keep: (dataText: string) => string | undefined;
  readonly compact: boolean;
}

/** Room for `pageInfo`, `pagination` and punctuation: two cursors are most of it. */
const FRAME_TOKENS = 180;

/** Writes as many whole items as fit, with what a caller needs to get the rest. */
export function writePage(page: PageToWrite): ReadData {
  const { range, total, missing, beside, request, maxTokens } = page;
  const backward = request.style === 'backward';
  const besideText = writeExact(beside).slice(1, -1);
  const space = maxTokens === 0 ? Number.POSITIVE_INFINITY : maxTokens - FRAME_TOKENS - estimateTokens(besideText);
  const { fitting, warning } = takeWhatFits(page, space);
  const start = backward ? range.end - fitting.length : range.start;
  const end = start + fitting.length;
  const isCut = fitting.length < range.end - range.start;
  // The pagination document (6.1) demands cursors wherever items are, also of a page that holds them all.
  const cursors = fitting.length === 0 ? undefined : page.openCursors();
  const pageInfo = {
    hasNextPage: end < total || missing !== undefined,
    hasPreviousPage: start > 0,
    ...(cursors === undefined ? {} : { startCursor: cursors.cursorAt(start), endCursor: cursors.cursorAt(end - 1) }),
    ...(totalOf(page) === undefined ? {} : { totalCount: totalOf(page) }),
  };
  const pagination = describePage(page, fitting.length, end);
  const pages = `"pageInfo":${JSON.stringify(pageInfo)}${pagination === undefined ? '' : `,"pagination":${JSON.stringify(pagination)}`}`;
  const suffix = besideText === '' ? '' : `,${besideText}`;
  return {
    dataText: `{"items":${writeItems(fitting, page.compact)},${pages}${suffix}}`,
    warnings: [
      ...(isCut ? [warnOfCut(page, fitting.length, cursors?.cursorAt(end - 1))] : []),
      ...(warning === undefined ? [] : [warning]),
    ],
  };
}

/** How many items there are on all pages; undefined where that is not known: the number of those that were read is none. */
function totalOf({ total, missing }: PageToWrite): number | undefined {
  return missing === undefined ? total : missing.total;
}

/** What the operations document (4.4.3) wants to be said of pages by offset and by number; undefined for others. */
function describePage(written: PageToWrite, returned: number, end: number): JsonObject | undefined {
  const { request, missing } = written;
  if (request.style !== 'offset') return undefined;
  const { size, offset, page } = request;
  const total = totalOf(written);
  const facts = {
    ...(total !== undefined && { total_items: total }),
    has_more: end < written.total || missing !== undefined,
  };
  if (page === undefined) return { limit: size, offset, returned, ...facts };
  const pages = total === undefined ? {} : { total_pages: size === 0 ? 0 : Math.ceil(total / size) };
  return { page, page_size: size, ...pages, ...facts };
}

interface FittingItem {
  readonly item: unknown;
  readonly text: string;
}

interface FittingItems {
  readonly fitting: readonly FittingItem[];
  /** Of an item that is cut inside. */
  readonly warning?: Warning;
}

/** Starts at the end that the page is asked from. Takes at least one item, if need be a part of it: a caller must be able to get past it. */
function takeWhatFits(page: PageToWrite, space: number): FittingItems {
  const { range, itemAt, request } = page;
  const fitting: FittingItem[] = [];
  const backward = request.style === 'backward';
  let used = 0;
  for (let step = 0; step < range.end - range.start; step += 1) {
    const item = itemAt(backward ? range.end - 1 - step : range.start + step);
    const text = writeExact(item);
    used += estimateTokens(text, space);
    if (used > space && step > 0) break;
    if (used > space) return cutItem(page, item, Math.max(space, LEAST_TOKENS));
    fitting.push({ item, text });
  }
  return { fitting: backward ? fitting.reverse() : fitting };
}

/** An item alone is shown however much there is beside it. */
const LEAST_TOKENS = 100;

function cutItem({ keep, maxTokens }: PageToWrite, item: unknown, space: number): FittingItems {
  const { value, cuts, text } = fitTokens(item, space);
  if (cuts.length === 0) return { fitting: [{ item: value, text }] };
  // As its place in the page is.
  const whole = { items: [item] };
  const handle = keep(writeExact(whole));
  const placed = cuts.map((cut) => ({ ...cut, path: ['items', 0, ...cut.path] }));
  const way = { ...(handle === undefined ? {} : { handle }), limit: maxTokens, whole };
  return { fitting: [{ item: value, text }], warning: describeCuts(placed, way) };
}

function writeItems(fitting: readonly FittingItem[], compact: boolean): string {
  const table = compact ? encodeTable(fitting.map(({ item }) => item)) : undefined;
  return table === undefined ? `[${fitting.map(({ text }) => text).join(',')}]` : writeExact(table);
}

function warnOfCut(
  { range, names, maxTokens, request }: PageToWrite,
  kept: number,
  cursor: string | undefined,
): Warning {
  const cut = { path: ['items'], kind: 'items' as const, kept, total: range.end - range.start };
  const page =
    cursor === undefined || request.style === 'backward'
      ? {}
      : { page: { cursor, params: { [names.first]: kept, [names.after]: cursor } } };
  return describeCuts([cut], { ...page, limit: maxTokens });
}

/** A range of ordered items; `end` is not part of it. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a page request selects.
 * @param position the index of the item that the request's cursor was given for
 */
export function cutRange(page: PageRequest, length: number, position?: number): Range {
  switch (page.style) {
    case 'all':
      return { start: 0, end: length };
    case 'offset':
      return clamp(page.offset, page.offset + page.size, length);
    case 'forward': {
      const start = position === undefined ? 0 : position + 1;
      return clamp(start, start + page.size, length);
    }
    case 'backward': {
      const end = position ?? length;
      return clamp(end - page.size, end, length);
    }
  }
}

function clamp(start: number, end: number, length: number): Range {
  const first = Math.min(Math.max(start, 0), length);
  return { start: first, end: Math.max(first, Math.min(end, length)) };
}

/** The cursor that a request goes on from, if it has one. */
export function cursorOf(page: PageRequest): string | undefined {
  if (page.style === 'forward') return page.after;
  return page.style === 'backward' ? page.before : undefined;
}

/** The share of the list's JSON text that a table must save to be used. */
const LEAST_SAVING = 0.2;

const COLON = 1;

/**
 * Writes a list of like objects as a table; undefined where they are not alike, or where it would save less than a fifth.
 * Nothing is lost: a list in which an object lacks a member of the others is not written as a table, so null stays null,
 * and values in cells are unchanged.
 */
export function encodeTable(items: readonly unknown[]): Table | undefined {
  const [first] = items;
  if (!isJsonObject(first)) return undefined;
  const columns = Object.keys(first);
  if (!items.every((item) => hasMembers(item, columns))) return undefined;
  const listBytes = sizeOf(items);
  const namesBytes = items.length * columns.reduce((sum, column) => sum + sizeOf(column) + COLON, 0);
  const frameBytes = sizeOf({ columns, rows: [] }) - sizeOf([]);
  if (namesBytes - frameBytes < listBytes * LEAST_SAVING) return undefined;
  return { columns, rows: items.map((item) => columns.map((column) => item[column])) };
}

function hasMembers(item: unknown, columns: readonly string[]): item is JsonObject {
  if (!isJsonObject(item)) return false;
  return Object.keys(item).length === columns.length && columns.every((column) => Object.hasOwn(item, column));
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
