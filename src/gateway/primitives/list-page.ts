import { hash } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Sliced } from '../../base/turns/turns.js';

/** An entry of all lists together. */
export interface ListedEntry {
  readonly upstream: string;
  readonly id: string;
  /** As its upstream sent it. */
  readonly value: JsonObject;
}

/** Entries of one page of MCP's lists. */
const PAGE_SIZE = 100;

/**
 * A page of a list and the cursor of the next. A cursor names the last entry that was shown and its place, so that it goes on in the
 * right place when others come and go, and in about the right place when that entry itself has gone. Stops after each entry that it
 * compares: all lists together have no bound.
 */
export function* takePage(
  entries: readonly ListedEntry[],
  cursor: unknown,
): Sliced<{ readonly page: readonly ListedEntry[]; readonly nextCursor?: string }> {
  const start = cursor === undefined ? 0 : yield* startAfter(entries, cursor);
  const page = entries.slice(start, start + PAGE_SIZE);
  const last = page.at(-1);
  const end = start + page.length;
  return last === undefined || end >= entries.length ? { page } : { page, nextCursor: writeCursor(end, last) };
}

function writeCursor(end: number, last: ListedEntry): string {
  return Buffer.from(`${end}.${digestOf(last)}`).toString('base64url');
}

function digestOf({ upstream, id }: ListedEntry): string {
  return hash('sha256', `${upstream}\n${id}`, 'base64url').slice(0, 16);
}

const CURSOR = /^(\d{1,9})\.([\w-]{16})$/;

function* startAfter(entries: readonly ListedEntry[], cursor: unknown): Sliced<number> {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, place, digest] = CURSOR.exec(text) ?? [];
  if (place === undefined || digest === undefined) throw unknownCursor();
  const end = Number(place);
  const before = entries[end - 1];
  if (before !== undefined && digestOf(before) === digest) return end;
  for (const [index, entry] of entries.entries()) {
    if (digestOf(entry) === digest) return index + 1;
    yield;
  }
  return Math.min(end, entries.length);
}

function unknownCursor(): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    "Parameter 'cursor' holds no cursor of this list. Leave it out to start over",
    { param_name: 'cursor', constraint: "the 'nextCursor' of an earlier page" },
  );
}
