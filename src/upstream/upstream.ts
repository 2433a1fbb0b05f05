import type { UpstreamEndpoint } from '../config/gateway-config.js';
import type { UpstreamState } from '../observe/observation.js';
import type { AskChannel } from '../protocol/ask.js';
import type { ProgressUpdate } from '../protocol/call.js';
import type { Cancellation } from '../protocol/cancellation.js';
import type { WordsMode } from '../protocol/clean-words.js';
import type { JsonObject } from '../protocol/json.js';
import type { LargeAnswer } from '../protocol/large-answer.js';
import type { AnnouncedLimits } from '../protocol/limits.js';
import type { CallLog, LogLevel } from '../protocol/log-message.js';
import type { ToolCallResult } from '../protocol/result.js';
import type { Absence, RawTool } from '../protocol/tools.js';
import type { FailedRequest } from '../protocol/upstream-failure.js';
import type { WireAnswer } from '../protocol/wire-answer.js';
import type { AskedQuestion } from './questions/ask-client.js';

/** One `tools/call` on its way to an upstream. */
export interface UpstreamCall {
  /** The tool's name as the upstream spells it. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** May be sent again when the connection is lost before the answer. */
  readonly retryable: boolean;
  /** Silence longer than this many milliseconds fails the call; progress starts the clock anew. Default: the upstream's. */
  readonly timeoutMs?: number;
  readonly cancellation: Cancellation;
  /** How a failure is told; `clean` unless given. */
  readonly words?: WordsMode;
  /** What the call is about; asked for its failure. */
  readonly resource?: () => FailedRequest['resource'];
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** The client of the call, for what the server asks while it runs it. */
  readonly ask?: AskChannel;
  /** Where its log messages go while it runs the call. */
  readonly log?: CallLog;
  /**
   * Called each time before the call is sent, however long it waited; what it throws refuses the call. A promise is waited for, and then
   * it is called again.
   */
  readonly beforeSend?: () => undefined | Promise<void>;
  /** Asked before the call is sent once more, after the server may have had it. */
  readonly mayRepeat?: () => Promise<boolean>;
}

/** What is known of an upstream at this moment; for status pages, never for decisions on the fast path. */
export interface UpstreamStatus {
  readonly name: string;
  readonly slug: string;
  readonly state: UpstreamState;
  readonly transport: UpstreamEndpoint['type'];
  readonly tools: number;
  readonly era?: 'legacy' | 'modern';
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  /** Why it is not ready. */
  readonly problem?: string;
  readonly restarts: number;
}

/** One MCP server behind the gateway: kept connected, and called. */
export interface Upstream {
  readonly slug: string;
  /**
   * Calls a tool. Rejects with an `OperationError`: connection faults and time-outs as INTERNAL_ERROR with
   * `details.upstream`, `details.reason` and `details.retryable`; JSON-RPC errors mapped as the specification says.
   */
  call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer>;
  status(): UpstreamStatus;
  /** Why it cannot be called now; undefined where it is connected. */
  absence(): Absence | undefined;
  /** What the server said of itself when it connected last, as sent; undefined where it said nothing. */
  introduction(): string | undefined;
  /** Which log messages it sends from now on, where it has a setting for that; all callers together have one. */
  setLogLevel(level: LogLevel): void;
  /** Brings the next attempt to connect forward, because a caller waits for it. */
  retryNow(): void;
}

/** What the owner of the catalog listens to. */
export interface UpstreamEvents {
  /** The complete list was read, at connect, or after `list_changed` where it then differs. */
  readonly onTools: (slug: string, tools: readonly RawTool[]) => void;
  /** The first attempt to connect begins, which may be later than others' where many child processes start. */
  readonly onFirstStart?: (slug: string) => void;
  /** Its command cannot be started, or its process has ended again and again without ever being ready. */
  readonly onCannotStart?: (slug: string) => void;
  /** An answer said something of the upstream's rate limit, or of this tool's. */
  readonly onLimits?: (slug: string, limits: AnnouncedLimits, tool: string | undefined) => void;
  /** It has asked something, and has its answer. */
  readonly onAsked?: (slug: string, asked: AskedQuestion) => void;
}
