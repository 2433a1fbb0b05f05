import { createHash } from 'node:crypto';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { PageRequest } from './parse-query.js';

/** Some items of a list and the cursor of the next ones. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Items in the whole list. */
  readonly total: number;
  /** The cursor of the next page; null on the last one. */
  readonly after: string | null;
}

interface PagedList<Item> {
  readonly items: readonly Item[];
  /** Whether the items are ordered by name, rather than by rank. */
  readonly orderedByName: boolean;
  /** Names the list: the same query and filters, the same scope. */
  readonly scope: string;
  /** The number of the ranking that decides what stands first. */
  readonly ranking?: number;
}

/**
 * Takes the page that a request asks for. A cursor finds its place by name, so that it survives a changed catalog: nothing
 * is skipped, and nothing is shown twice in a list ordered by name. Throws INTROSPECTION_ERROR for a cursor of another list.
 */
export function takePage<Item extends { readonly name: string }>(
  list: PagedList<Item>,
  { first, after }: PageRequest,
): Page<Item> {
  const { items, scope, ranking } = list;
  const start = after === undefined ? 0 : startAfter(list, after);
  const end = Math.min(start + first, items.length);
  const last = items[end - 1];
  const hasNext = end < items.length && last !== undefined;
  return {
    items: items.slice(start, end),
    total: items.length,
    after: hasNext ? writeCursor(scope, { index: end - 1, name: last.name, ranking }) : null,
  };
}

function startAfter<Item extends { readonly name: string }>(list: PagedList<Item>, after: string): number {
  const { items, scope, orderedByName } = list;
  const position = readCursor(scope, after);
  if (position === undefined) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `The cursor '${abbreviate(after)}' does not belong to this query. Send the same 'query', 'search' and the filters of the page it ` +
        "came with, or leave out 'after' to start over",
    );
  }
  const found = items.findIndex(({ name }) => name === position.name);
  if (found >= 0) return found + 1;
  if (!orderedByName) return Math.min(position.index, items.length);
  const next = items.findIndex(({ name }) => name > position.name);
  return next < 0 ? items.length : next;
}

function abbreviate(cursor: string): string {
  return cursor.length <= 40 ? cursor : `${cursor.slice(0, 40)}…`;
}

/** The last item of a page: its index and its name. */
interface Position {
  readonly index: number;
  readonly name: string;
  /** The ranking of the list that it lies in. */
  readonly ranking?: number | undefined;
}

/** Characters of the digest: enough to detect damage and cursors of other queries; the content is not secret. */
const DIGEST_LENGTH = 8;

/**
 * Writes a position as an opaque, URL-safe cursor that is valid for one scope only (the query and its filters). It holds no
 * state on the server, so that it survives restarts and works on every replica.
 */
export function writeCursor(scope: string, { index, name, ranking }: Position): string {
  const position = `${index}${ranking === undefined ? '' : `.${ranking}`}:${name}`;
  return Buffer.from(`${digest(scope, position)}${position}`).toString('base64url');
}

/** The position in a cursor; undefined when the text is not a cursor that this scope has written. */
export function readCursor(scope: string, cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString().slice(DIGEST_LENGTH);
  const separator = text.indexOf(':');
  const [index, ranking] = text.slice(0, Math.max(0, separator)).split('.');
  const position = {
    index: Number(index),
    name: text.slice(separator + 1),
    ...(ranking !== undefined && { ranking: Number(ranking) }),
  };
  return writeCursor(scope, position) === cursor ? position : undefined;
}

function digest(scope: string, position: string): string {
  return createHash('sha256').update(`${scope}\n${position}`).digest('base64url').slice(0, DIGEST_LENGTH);
}
