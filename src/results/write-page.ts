import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Warning } from '../protocol/result.js';
import { writeExact } from './exact-numbers.js';
import type { PageRequest, ReadData } from './result-types.js';
import type { PageCursors } from './stored/result-store.js';
import { describeCuts } from './stored/truncation-warning.js';

/** A list of objects that all have the same members, with their names written once. */
export interface Table {
  readonly columns: readonly string[];
  /** A row an object, a cell a column. */
  readonly rows: readonly (readonly unknown[])[];
}

/** A page of ordered items on its way out. */
interface PageToWrite {
  /** What is sent of an item, by its index; asked for as long as there is room. */
  readonly itemAt: (index: number) => unknown;
  readonly range: Range;
  readonly total: number;
  /** Keeps the items for further pages; undefined where they could not be kept. Called where there are or may be some. */
  readonly openCursors: () => PageCursors | undefined;
  /** Whether the caller asked for pages. */
  readonly isPaged: boolean;
  /** What stands beside the items. */
  readonly beside: JsonObject;
  /** Whether the page was asked for from its end. */
  readonly backward: boolean;
  /** The upstream's name of `first` and `after` for this operation. */
  readonly names: { readonly first: string; readonly after: string };
  readonly maxBytes: number;
  readonly compact: boolean;
}

/** Room for `pageInfo` and punctuation. */
const FRAME_BYTES = 400;

/** Writes as many whole items as fit, with what a caller needs to get the rest. */
export function writePage(page: PageToWrite): ReadData {
  const { range, total, beside, backward, maxBytes } = page;
  const besideText = writeExact(beside).slice(1, -1);
  const room = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes - FRAME_BYTES - Buffer.byteLength(besideText);
  const shown = takeWhatFits(page, room);
  const start = backward ? range.end - shown.length : range.start;
  const end = start + shown.length;
  const isCut = shown.length < range.end - range.start;
  // Cursors cost memory: a caller that has everything needs none.
  const cursors = page.isPaged || isCut ? page.openCursors() : undefined;
  const pageInfo = {
    hasNextPage: end < total,
    hasPreviousPage: start > 0,
    ...(cursors === undefined || shown.length === 0
      ? {}
      : { startCursor: cursors.cursorAt(start), endCursor: cursors.cursorAt(end - 1) }),
    totalCount: total,
  };
  const rest = besideText === '' ? '' : `,${besideText}`;
  return {
    dataText: `{"items":${writeItems(shown, page.compact)},"pageInfo":${JSON.stringify(pageInfo)}${rest}}`,
    warnings: isCut ? [tellCut(page, shown.length, cursors?.cursorAt(end - 1))] : [],
  };
}

interface ShownItem {
  readonly item: unknown;
  readonly text: string;
}

/** From the end that the page was asked for; one item at least, since a caller must be able to get past it. */
function takeWhatFits({ range, itemAt, backward }: PageToWrite, room: number): readonly ShownItem[] {
  const shown: ShownItem[] = [];
  let used = 0;
  for (let step = 0; step < range.end - range.start; step += 1) {
    const item = itemAt(backward ? range.end - 1 - step : range.start + step);
    const text = writeExact(item);
    used += Buffer.byteLength(text) + 1;
    if (used > room && step > 0) break;
    shown.push({ item, text });
  }
  return backward ? shown.reverse() : shown;
}

function writeItems(shown: readonly ShownItem[], compact: boolean): string {
  const table = compact ? encodeTable(shown.map(({ item }) => item)) : undefined;
  return table === undefined ? `[${shown.map(({ text }) => text).join(',')}]` : writeExact(table);
}

function tellCut(
  { range, names, maxBytes, backward }: PageToWrite,
  stored: number,
  cursor: string | undefined,
): Warning {
  const cut = { path: ['items'], kind: 'items' as const, stored, total: range.end - range.start };
  const page =
    cursor === undefined || backward
      ? {}
      : { page: { cursor, params: { [names.first]: stored, [names.after]: cursor } } };
  return describeCuts([cut], { ...page, limit: maxBytes });
}

/** A stretch of ordered items; `end` is not part of it. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The stretch that a page request means.
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

/** What it must save, of the list's JSON text, to be worth another form. */
const LEAST_SAVING = 0.2;

const COLON = 1;

/**
 * Writes a list of like objects as a table; undefined where they are not alike, or where it would save less than a fifth.
 * Nothing is lost: objects that leave a member out that others have make no table, so null stays null, and values in cells
 * are as they were.
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
