import type { Cancellation } from './cancellation.js';
import type { UserChannel } from './consent.js';
import type { JsonObject } from './json.js';
import type { LargeAnswer } from './large-answer.js';
import type { Operation } from './operation.js';
import type { ToolCallResult, Warning } from './result.js';
import type { WireAnswer } from './wire-answer.js';

/** An MCP `tools/call` as a server passes it on: parsed, and otherwise unchanged. */
export interface RawCall {
  /** The MCP tool that was called: a family's, `mcp_aql`, or a name that does not exist. */
  readonly tool: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** The channel to the person who uses the client, where there is one. */
  readonly user?: UserChannel;
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** The most bytes of JSON in this call's data, in place of the configured number: a batch divides its own among its items. */
  readonly answerBytes?: number;
}

/** The caller: one MCP connection (specification, section 2.3), or one client where connections have no sessions. */
export interface Caller {
  /** Made by the gateway; never taken from the client. */
  readonly sessionId: string;
  /** The name that the client sends. A label for logs, never an identity. */
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

/** One call as a handler sees it. */
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

/** Plain data of a built-in operation, as a value or as JSON text, or an upstream's tool result that is not shaped yet. */
export type HandlerOutcome =
  | { readonly data: unknown; readonly warnings?: readonly Warning[] }
  | { readonly dataText: string }
  | { readonly toolResult: ToolCallResult | WireAnswer | LargeAnswer };

/** Runs an operation. Rejects with an `OperationError`; anything else is a defect and answered as INTERNAL_ERROR. */
export type OperationHandler = (call: HandlerCall) => Promise<HandlerOutcome>;
