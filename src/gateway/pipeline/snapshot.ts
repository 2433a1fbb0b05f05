import type { JsonObject } from '../../base/json/json.js';
import type { Caller, HandlerCall, OperationHandler } from '../../base/protocol/call.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { Absence, Introduction } from '../../base/protocol/tools.js';
import type { UpdatePreview } from '../../base/protocol/update-preview.js';
import type { Catalog } from '../../catalog/catalog.js';
import type { EndpointPlan } from '../../catalog/endpoint/endpoint-plan.js';

/** An operation that matches a search, with a score that is comparable within one answer only. */
interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** What a search found. */
export interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Where likely none of them serves the request: says so, and names the servers. */
  readonly noFit?: string;
}

/** The immutable state that a call works with. A call keeps its snapshot even when the catalog changes meanwhile. */
export interface Snapshot {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  /** Finds operations by what they do, best first; not on the fast path. */
  search(text: string, limit: number): Promise<SearchAnswer>;
  handlerOf(operation: Operation): OperationHandler;
  /**
   * Reads what a call of the operation would change, as the call's caller; undefined where that cannot be known. Rejects with an
   * `OperationError` where the call would be refused whoever agrees to it.
   */
  previewOf(operation: Operation): ((call: HandlerCall) => Promise<UpdatePreview>) | undefined;
  /**
   * The operations of what a call reads on that is kept: the one that gave it, and those whose answers it was made of. None for every
   * other call.
   */
  partsOf(
    call: Pick<HandlerCall, 'operation' | 'arguments'>,
    caller: Caller,
  ): readonly Operation[] | Promise<readonly Operation[]>;
  /** The operations of an origin, as far as they are there. */
  operationsOf(origin: string): readonly Operation[];
  /**
   * Whether callers may know of what has this origin. What was kept of an operation goes with it, when it is taken out of the view, or
   * denied, and so does what was made of it.
   */
  isReachable(origin: string): boolean;
  /** Whether policy lets some call of the operation run; what it always denies is not suggested. */
  isCallable(operation: Operation): boolean;
  /** Finds out which upstream a call is about whose operation does not say it; absent where there is no such operation. */
  readonly targets?: CallTargets | undefined;
  /** The connections at this moment. */
  readonly connections: Connections;
}

/** Finds the upstreams of calls of operations that are about another one each time. */
interface CallTargets {
  /** Gets what `narrow` needs to know; undefined where nothing has to be waited for. Never rejects. */
  prepare(operation: Operation, params: JsonObject): Promise<void> | undefined;
  /**
   * The operation with the upstream that the call is about, and the arguments with the names that this one uses, so that policy
   * sees one name of each thing. Throws an `OperationError` where the upstream is not clear.
   */
  narrow(operation: Operation, args: JsonObject, caller: Caller): NarrowedCall;
}

/** A call as it is about one upstream. */
interface NarrowedCall {
  readonly operation: Operation;
  readonly arguments: JsonObject;
}

/** What is connected; unlike the rest of a snapshot it changes all the time. */
export interface Connections {
  /** Why an upstream cannot be called now; undefined where it can, and for what is no upstream. */
  absenceOf(upstream: string): Absence | undefined;
  /** Why the list of an upstream that is connected is not known, or about to change; undefined where it is known. */
  unreadOf(upstream: string): Absence | undefined;
  /** What the server said of itself when it connected, as sent; undefined where it said nothing, or has not connected. */
  introductionOf(upstream: string): Introduction | undefined;
  /** Brings the next attempt to connect forward, because a caller waits for it. */
  retryNow(upstream: string): void;
}
