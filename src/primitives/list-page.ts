import { hash } from 'node:crypto';
import type { JsonObject } from '../protocol/json.js';
import { OperationError } from '../protocol/operation-error.js';

/** An entry of all lists together. */
export interface ListedEntry {
  readonly upstream: string;
  readonly id: string;
  /** As clients see it. */
  readonly value: JsonObject;
}

/** Entries of one page of MCP's lists. */
const PAGE_SIZE = 100;

/**
 * A page of a list and the cursor of the next. A cursor names the last entry that was shown and its place, so that it goes on in the
 * right place when others come and go, and in about the right place when that entry itself has gone.
 */
export function takePage(
  entries: readonly ListedEntry[],
  cursor: unknown,
): { readonly page: readonly JsonObject[]; readonly nextCursor?: string } {
  const start = cursor === undefined ? 0 : startAfter(entries, cursor);
  const shown = entries.slice(start, start + PAGE_SIZE);
  const last = shown.at(-1);
  const end = start + shown.length;
  const page = shown.map(({ value }) => value);
  return last === undefined || end >= entries.length ? { page } : { page, nextCursor: writeCursor(end, last) };
}

function writeCursor(end: number, last: ListedEntry): string {
  return Buffer.from(`${end}.${digestOf(last)}`).toString('base64url');
}

function digestOf({ upstream, id }: ListedEntry): string {
  return hash('sha256', `${upstream}\n${id}`, 'base64url').slice(0, 16);
}

const CURSOR = /^(\d{1,9})\.([\w-]{16})$/;

function startAfter(entries: readonly ListedEntry[], cursor: unknown): number {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, place, digest] = CURSOR.exec(text) ?? [];
  if (place === undefined || digest === undefined) throw unknownCursor();
  const end = Number(place);
  const isLast = (entry: ListedEntry | undefined): boolean => entry !== undefined && digestOf(entry) === digest;
  if (isLast(entries[end - 1])) return end;
  const found = entries.findIndex(isLast);
  return found >= 0 ? found + 1 : Math.min(end, entries.length);
}

function unknownCursor(): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    "Parameter 'cursor' holds no cursor of this list. Leave it out to start over",
    { param_name: 'cursor', constraint: "the 'nextCursor' of an earlier page" },
  );
}
