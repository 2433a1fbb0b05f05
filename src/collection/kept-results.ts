import type { Caller } from '../protocol/caller.js';
import type { FieldSelection } from './collection-query.js';

/** A list of JSON values that is kept as bytes, so that its cost is known and its items can be read one by one. */
export interface PackedList {
  readonly length: number;
  /** Bytes that it holds on to. */
  readonly bytes: number;
  /** The JSON text of one item. */
  textAt(index: number): string;
  valueAt(index: number): unknown;
}

/** The ordered items that a query found, for its next pages. */
export interface PageSnapshot {
  readonly session: string;
  readonly operation: string;
  /** Digest of arguments and of the query without its paging and fields. */
  readonly question: string;
  readonly items: PackedList;
  /** What the first page showed of its items; later ones show the same unless they say otherwise. */
  readonly fields?: FieldSelection;
}

/** Writes the cursors of a snapshot. */
export interface PageCursors {
  cursorAt(index: number): string;
}

/** Where a cursor points, and the cursors of the other items. */
export interface CursorPosition extends PageCursors {
  readonly snapshot: PageSnapshot;
  /** The item that the cursor was given for. */
  readonly index: number;
}

/** A whole answer that was too big to send. */
export interface KeptResult {
  readonly operation: string;
  /** JSON text. */
  readonly dataText: string;
}

/**
 * What is kept of answers: bounded in bytes over all callers, least recently used goes first, each for a time. Belongs to a
 * session: nobody else's cursor or handle is ever good.
 */
export interface KeptResults {
  /** Undefined where the list alone is beyond the bound: then there are no cursors. */
  keepPages(snapshot: PageSnapshot): PageCursors | undefined;
  /** Undefined for a cursor that is forged, somebody else's, or whose snapshot has gone; the caller is told one thing. */
  findPage(cursor: string, caller: Caller): CursorPosition | undefined;
  /** Undefined where the result alone is beyond the bound. */
  keepResult(result: KeptResult, caller: Caller): string | undefined;
  findResult(handle: string, caller: Caller): KeptResult | undefined;
  endSession(sessionId: string): void;
  /** Bytes held now. */
  readonly bytes: number;
}
