import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { JsonObject } from './json.js';
import type { Operation } from './operation.js';
import type { ToolCallResult } from './result.js';

/** One step of a long call, as MCP's `notifications/progress` carries it (without its token). */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Everything a handler may know of one call. */
export interface HandlerCall {
  readonly operation: Operation;
  /** Validated arguments in the upstream's spelling. */
  readonly arguments: JsonObject;
  /** The state that a merging UPDATE expects to find, as the caller wrote it: a version or field values. Unchecked. */
  readonly ifMatch?: unknown;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** Present when the client asked for progress. */
  readonly onProgress?: (update: ProgressUpdate) => void;
}

/** Plain data of a built-in, as a value or as JSON text, or an upstream's tool result yet to be shaped. */
export type HandlerOutcome =
  | { readonly data: unknown }
  | { readonly dataText: string }
  | { readonly toolResult: ToolCallResult };

/** Runs an operation. Rejects with an `OperationError`; anything else is a defect and answered as INTERNAL_ERROR. */
export type OperationHandler = (call: HandlerCall) => Promise<HandlerOutcome>;
