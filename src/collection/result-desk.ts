import type { Caller } from '../protocol/caller.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { Warning } from '../protocol/result.js';
import type { CollectionQuery, ComputedField, Control, FieldPath } from './collection-query.js';

/** What an operation's answers are, as far as is known. */
export type ResultShape =
  /** `path` leads to the list; empty where the answer is the list itself. */
  | { readonly kind: 'collection'; readonly path: FieldPath | null; readonly evidence: string }
  | { readonly kind: 'object' };

/** A field of a collection's items, dotted where it lies deeper, with its JSON type or `any`. */
export interface ItemField {
  readonly name: string;
  readonly type: string;
}

/** The controls an operation takes now, each under the name that callers use: `_filter` where `filter` is the upstream's. */
export interface ControlSet {
  readonly kind: ResultShape['kind'] | 'none';
  readonly names: ReadonlyMap<Control, string>;
  /** The fields of the items, as far as a schema or earlier answers tell; there may be others. */
  readonly fields?: readonly ItemField[];
  readonly computed?: readonly ComputedField[];
}

/** What a call asks of its answer, told apart from what it asks of the upstream. */
export interface TakenControls {
  readonly params: JsonObject;
  /** Absent where the call asks for the answer as it is. */
  readonly query?: CollectionQuery;
}

/** A call whose answer is looked at. */
export interface ReadContext {
  readonly operation: Operation;
  /** Bound arguments. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** How many bytes of data the answer may have, instead of the configured ones. */
  readonly answerBytes?: number;
}

/** What goes out as the envelope's `data`, as JSON text, with what is worth telling of it. */
export interface ReadData {
  readonly dataText: string;
  readonly warnings: readonly Warning[];
}

/** What `introspect {query: "result"}` asks of a kept result. */
export interface KeptResultRequest {
  readonly handle: string;
  /** Dotted, with indexes: `items[3].body`. */
  readonly path?: string;
  readonly fields?: string | readonly string[];
  /** A text to search for, in strings and lines. */
  readonly search?: string;
  /** How many items, and after which cursor. */
  readonly first?: number;
  readonly after?: string;
  /** `10-20`, from 1, of a text. */
  readonly lines?: string;
}

/** Everything between an upstream's answer and what the caller asked for. */
export interface ResultDesk {
  controlsOf(operation: Operation): ControlSet;
  /** Throws an `OperationError` that names everything wrong with the controls, with the valid choices. */
  takeControls(operation: Operation, params: JsonObject): TakenControls;
  /**
   * The page that a cursor asks for, from the snapshot that it was made over; undefined where the query has no cursor.
   * Throws when the cursor is no longer, or was never, good for this call.
   */
  resume(context: ReadContext, query: CollectionQuery): ReadData | undefined;
  /**
   * What the caller gets of an upstream's answer: as it is, what was asked of it, or as much as fits with a way to the rest.
   * @param dataText the whole answer as JSON text
   * @param value the same as a value, where it came as one: large answers are not parsed twice
   */
  finish(context: ReadContext, query: CollectionQuery | undefined, dataText: string, value?: unknown): ReadData;
  /** Reads on in a result that was kept; JSON text. Throws an `OperationError`. */
  readKept(request: KeptResultRequest, caller: Caller): string;
  endSession(sessionId: string): void;
}
