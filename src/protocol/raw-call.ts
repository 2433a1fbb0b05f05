import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { UserChannel } from './consent.js';
import type { ProgressUpdate } from './handler.js';

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
