import { isJsonObject, type JsonObject } from '../../protocol/json.js';

/** A list of objects that all have the same members, with their names written once. */
export interface Table {
  readonly columns: readonly string[];
  /** A row an object, a cell a column. */
  readonly rows: readonly (readonly unknown[])[];
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
