import type { Cancellation } from './cancellation.js';
import type { UserChannel } from './consent.js';
import type { JsonObject } from './json.js';
import type { Operation } from './operation.js';
import type { ToolCallResult } from './result.js';

/** An MCP `tools/call` as a front hands it over: parsed, and otherwise untouched. */
export interface RawCall {
  /** The MCP tool that was called: a family's, `mcp_aql`, or a name that does not exist. */
  readonly tool: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** The way to the person behind the client, where there is one. */
  readonly user?: UserChannel;
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** How many bytes of JSON this call's data may have, instead of the configured number: a batch shares its own out. */
  readonly answerBytes?: number;
}

/** Who is asking: one MCP connection (specification, section 2.3), or one client where connections have no sessions. */
export interface Caller {
  /** Made by the gateway; never taken from the client. */
  readonly sessionId: string;
  /** What the client calls itself. A label for logs, never an identity. */
  readonly clientName: string;
  /** The configured client whose bearer token came with the request; absent where clients need not authenticate. */
  readonly client?: string;
  readonly transport: 'http' | 'stdio' | 'cli';
}

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
