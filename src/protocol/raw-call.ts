import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { ProgressUpdate } from './handler.js';

/** An MCP `tools/call` as a front hands it over: parsed, and otherwise untouched. */
export interface RawCall {
  /** The MCP tool that was called: a family's, `mcp_aql`, or a name that does not exist. */
  readonly tool: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  readonly onProgress?: (update: ProgressUpdate) => void;
}
