import type { JsonObject } from '../json/json.js';
import type { WrittenMember } from '../json/pieces.js';
import type { ErrorCode } from './error-table.js';

/** A condition that the caller should know and that did not stop the operation (companion document "warnings"). */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly severity?: 'low' | 'medium' | 'high';
}

export interface OperationSuccess {
  readonly success: true;
  readonly data: unknown;
  readonly warnings?: readonly Warning[];
}

interface ErrorDetail {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: JsonObject;
}

export interface OperationFailure {
  readonly success: false;
  readonly error: ErrorDetail;
}

/** What every operation answers with (specification, section 5.1). */
export type OperationResult = OperationSuccess | OperationFailure;

/** An MCP content block as an upstream sent it. Unknown types and keys are kept for the client. */
export interface ContentBlock extends JsonObject {
  readonly type: string;
}

/** Begins the names of all that the gateway itself says in a result's `_meta`, as MCP asks; what servers say under it is left out. */
export const OWN_META_PREFIX = 'mcp-aql/';

type OwnMetaName = `${typeof OWN_META_PREFIX}${string}`;

/** The member of a result's `_meta` in which the gateway gives a resource's version. */
export const RESOURCE_VERSION = 'mcp-aql/version' satisfies OwnMetaName;

/** The members of a result's `_meta` that say that the cache gave it, and how long ago its server did. */
export const CACHED = 'mcp-aql/cached' satisfies OwnMetaName;
export const CACHED_AGE_SECONDS = 'mcp-aql/cached_age_seconds' satisfies OwnMetaName;

/** The member of a failed result's `_meta` with the id by which logs and records know the caller's session. */
export const SESSION_ID = 'mcp-aql/session_id' satisfies OwnMetaName;

/** The member of a result's `_meta` with what the caller should know, where the result itself is the upstream's. */
export const WARNINGS = 'mcp-aql/warnings' satisfies OwnMetaName;

/** The member of a batch's `_meta` with that of each operation: `[{index, _meta}]`. */
export const ITEM_METAS = 'mcp-aql/results' satisfies OwnMetaName;

/** The member of a result's `_meta` with the id that log lines and records of its call carry too. */
export const REQUEST_ID = 'mcp-aql/request_id' satisfies OwnMetaName;

/** An MCP `CallToolResult` exactly as it was received. */
export interface ToolCallResult extends JsonObject {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject | undefined;
}

/**
 * The failures that MCP wants as JSON-RPC errors: the gateway has no such tool, it does not know the state that a client brings with an
 * answer, the server of a tool that passes through needs a capability that the client has not declared (which protocol
 * 2026-07-28 alone knows), a request about a task is refused, or no server has the method of an extension.
 */
type ProtocolErrorKind = 'unknown-tool' | 'unknown-method' | 'unknown-state' | 'missing-capability' | 'task';

/**
 * The answer for the server to send. The envelope is already JSON text, so that its size is known and it is written once.
 * `blocks` are native MCP blocks that follow the envelope's text block.
 */
export interface Reply {
  /** The JSON text of an `OperationResult`. */
  readonly text: string;
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
  /** The code in the envelope, for code that does not parse it. */
  readonly code: ErrorCode | 'OK';
  /** Set where servers answer with a JSON-RPC error. */
  readonly protocolError?: ProtocolErrorKind | undefined;
  /**
   * Set where the client has to give an answer first and send the call again: to a question of the gateway, whose envelope is then for
   * clients that cannot ask, or to a server's requests by their keys.
   */
  readonly inputRequired?:
    | { readonly question: string; readonly state: string }
    | { readonly requests: JsonObject; readonly state: string }
    | undefined;
  /** Set where the call goes on as a task of the client: as the client's era describes tasks. */
  readonly task?: JsonObject;
  /** Set where the envelope is the state of a task that has ended: what its call gave, for the result to hold beside that. */
  readonly ended?: Reply;
  /** Set where the call goes on as this execution, whose state the envelope holds. */
  readonly execution?: string;
  /**
   * The upstream's result as it came, for a call of its tool under its own name: servers send this in place of text and blocks. The
   * members without `_meta`, in bytes of JSON, without the braces around them.
   */
  readonly passthrough?: readonly Buffer[] | undefined;
  /**
   * The result of a request of MCP itself where that is large: servers send these members in place of `text`, which is then decoded from
   * them when it is asked for.
   */
  readonly members?: readonly WrittenMember[] | undefined;
  /** Set where MCP's `isError` marks every refusal, whatever the operator says of envelopes. */
  readonly marked?: true;
  /** The upstream's `_meta`, and what the gateway says beside it under `OWN_META_PREFIX`. */
  readonly meta?: JsonObject | undefined;
  /** Members of the upstream's result that MCP does not define (yet), passed on unchanged. */
  readonly extra?: JsonObject | undefined;
  /**
   * The MCP content array in bytes, for an answer that is passed on as it came: servers send these. `text` is then decoded
   * from them when it is asked for.
   */
  readonly written?: readonly Buffer[] | undefined;
}

/** A result of MCP's own, as the reply of a request for it. */
export function okReply(result: JsonObject): Reply {
  return { text: JSON.stringify(result), blocks: [], isError: false, code: 'OK' };
}
