import type { JsonObject } from '../base/json/json.js';
import type { Owner } from '../base/lib/owned-map.js';
import type { UpstreamState } from '../base/observe/observation.js';
import type { AskChannel } from '../base/protocol/ask.js';
import type { Caller, ProgressUpdate } from '../base/protocol/call.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import type { WordsMode } from '../base/protocol/clean-words.js';
import type { LargeAnswer } from '../base/protocol/large-answer.js';
import type { AnnouncedLimits } from '../base/protocol/limits.js';
import type { CallLog, LogLevel, LogMessage } from '../base/protocol/log-message.js';
import type { ToolCallResult } from '../base/protocol/result.js';
import type { Absence, Introduction, RawTool } from '../base/protocol/tools.js';
import type { FailedRequest } from '../base/protocol/upstream-failure.js';
import type { WireAnswer } from '../base/protocol/wire-answer.js';
import type { IsolationSetting, UpstreamEndpoint } from '../config/gateway-config.js';
import type { CircuitState } from './circuit.js';
import type { AskedQuestion } from './questions/ask-client.js';
import type { Announced } from './tool-list.js';
import type { RightsRequest } from './transport/user-rights.js';

/** One `tools/call` on its way to an upstream. */
export interface UpstreamCall {
  /** The tool's name as the upstream spells it. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** On whose behalf: an upstream that is isolated keeps the state of each apart. */
  readonly caller: Caller;
  /** May be sent again when the connection is lost before the answer. */
  readonly retryable: boolean;
  /** Silence longer than this many milliseconds fails the call; progress starts the clock anew. Default: the upstream's. */
  readonly timeoutMs?: number | undefined;
  readonly cancellation: Cancellation;
  /** How a failure is told; `clean` unless given. */
  readonly words?: WordsMode;
  /** What the call is about; asked for its failure. */
  readonly resource?: () => FailedRequest['resource'];
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** Called when the server has made a task of the call. */
  readonly onTask?: (() => void) | undefined;
  /** The client of the call, for what the server asks while it runs it. */
  readonly ask?: AskChannel | undefined;
  /** Where its log messages go while it runs the call. */
  readonly log?: CallLog | undefined;
  /** What its client says to the server beside the arguments, in `_meta`. */
  readonly meta?: JsonObject | undefined;
  /**
   * Called each time before the call is sent, however long it waited; what it rejects with refuses the call.
   */
  readonly beforeSend?: () => Promise<void>;
  /** Called before the call is sent where the caller's own connection is not the one of its last call, which had its state. */
  readonly onStateLost?: (why: StateLoss) => void;
  /** Asked before the call is sent once more, after the server may have had it. */
  readonly mayRepeat?: () => Promise<boolean>;
}

/** A request that is no `tools/call`, such as `resources/read`. Unless it says otherwise it only reads, so it is sent again after a lost connection. */
export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Set where nobody knows what it does: it is sent once, to one side of a server of both eras. */
  readonly retryable?: false | undefined;
  /** Whose request it is; absent for one of the gateway's own. */
  readonly caller?: Caller | undefined;
  readonly cancellation: Cancellation;
  /** Silence longer than this many milliseconds fails the request; progress starts the clock anew. Default: the upstream's. */
  readonly timeoutMs?: number | undefined;
  /** How a failure is told; `clean` unless given. */
  readonly words?: WordsMode;
  /** What the request is about, for its failure. */
  readonly resource?: FailedRequest['resource'];
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** What its client says to the server beside the params, in `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** The client of the request, for what the server asks before it answers. */
  readonly ask?: AskChannel | undefined;
  /** Where its log messages go meanwhile. */
  readonly log?: CallLog | undefined;
}

/** The kinds of list beside that of tools of which a server says that they have changed. */
export type ListKind = 'resources' | 'prompts';

/**
 * Why the state of a caller's own connection is gone: it had no call for too long, was ended for another caller, or its server ended
 * and was started again.
 */
export type StateLoss = 'idle' | 'made_room' | 'restarted';

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
  readonly problem?: string | undefined;
  /** When it is tried again, where it is `waiting` or `degraded`; ISO 8601. */
  readonly until?: string;
  /** What it printed last, where it is not connected. May hold what no client should see. */
  readonly stderr?: readonly string[];
  /** Whether the gateway is ready only where this one is. */
  readonly required?: true;
  /** Absent where it has none. */
  readonly circuit?: CircuitState;
  readonly restarts: number;
  /** Calls in flight, and those that wait for a place. */
  readonly calls: CallCounts;
  /** Who shares a connection; absent where that is not decided before the server has connected. */
  readonly isolation?: IsolationStatus;
}

export interface CallCounts {
  readonly inFlight: number;
  readonly waiting: number;
}

/** Who shares a connection to an upstream, and why. */
export interface IsolationStatus {
  readonly mode: IsolationMode;
  /** Whether the configuration says so, or what the server offers. */
  readonly from: 'configuration' | 'evidence';
  readonly evidence: readonly string[];
  /** What the operator should decide, where the evidence does not. */
  readonly doubt?: string | undefined;
  /** Connections of its own that are there now, and how many there may be; absent where one is shared. */
  readonly instances?: { readonly running: number; readonly max: number };
}

/** All callers, those of one client, or one session alone. */
export type IsolationMode = Exclude<IsolationSetting, 'auto'>;

/** One MCP server behind the gateway: kept connected, and called. */
export interface Upstream {
  readonly slug: string;
  /** Whether callers have connections of their own, or may have them once it has connected. */
  readonly isIsolated: boolean;
  /**
   * Calls a tool. Rejects with an `OperationError`: connection faults and time-outs as INTERNAL_ERROR with
   * `details.upstream`, `details.reason` and `details.retryable`; JSON-RPC errors mapped as the specification says.
   */
  call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer>;
  /** Sends a request and resolves with its result, every member as sent. Waits, repeats and rejects as `call` does. */
  request(request: UpstreamRequest): Promise<JsonObject>;
  /** Connects with the rights of this caller, where calls use them, and so learns what the server has for it. Rejects as a call does. */
  connectFor(request: RightsRequest): Promise<void>;
  /** What the server declared at its last handshake with this owner; undefined where it has not connected yet. */
  capabilities(owner: Owner): JsonObject | undefined;
  /**
   * Says whether the server should tell of changes of a resource, now and over all connections to come. Rejects with an
   * `OperationError` where the server refuses, and then does not ask again.
   * @param owner whose resource it is, where callers have resources of their own
   */
  watchResource(uri: string, isWatched: boolean, owner?: Owner): Promise<void>;
  status(): UpstreamStatus;
  /** Whose state a call of this caller sees; undefined where all callers see the same. */
  ownerOf(caller: Caller): Owner;
  /** Whose lists and words this caller is shown; undefined also where it has no connection of its own yet, and needs no rights for one. */
  readerOf(caller: Caller | undefined): Owner;
  /** Whose account a call of this caller uses; undefined where all callers use the same. */
  accountOf(caller: Caller): Owner;
  /** Why this owner cannot call it now; undefined where it is connected, or connects with the owner's first call. */
  absence(owner: Owner): Absence | undefined;
  /** What the server said of itself to this owner when it connected last, as sent; undefined where it said nothing. */
  introduction(owner: Owner): Introduction | undefined;
  /** Which log messages it sends from now on, where it has a setting for that; all callers together have one. */
  setLogLevel(level: LogLevel): void;
  /** What the server has told this owner of changes of its lists, and nobody has read; undefined where it is not connected. */
  announced(owner: Owner): Pick<Announced, 'isDue' | 'read'> | undefined;
  /** Brings the next attempt to connect forward, because a caller waits for it. */
  retryNow(): void;
  /** Starts or connects it anew, whatever its state, because an operator asks; calls in flight go on to their end. */
  restart(): void;
}

/** What the owner of the catalog listens to. */
export interface UpstreamEvents {
  /** The complete list was read, at connect, or after `list_changed` where it then differs. */
  readonly onTools: (slug: string, tools: readonly RawTool[], owner: Owner) => void;
  /** Its state may have changed without a call: a connection of one caller has begun anew or ended. */
  readonly onStateLost?: (slug: string) => void;
  /** A connection is there: what it declares and its lists may be other ones than before. Calls that wait for it go on afterwards. */
  readonly onConnected?: (slug: string, owner: Owner) => void;
  /** An owner has got rights there, or lost them: what it has for them is another thing now. */
  readonly onRightsChanged?: (slug: string, owner: Owner, hasRights: boolean) => void;
  /** It says that such a list has changed. However often it does, this is called rarely. */
  readonly onListChanged?: (slug: string, kind: ListKind, owner: Owner) => void;
  /**
   * It says that a watched resource has changed. However often it does, this is called once a second at most for each.
   */
  readonly onResourceUpdated?: (slug: string, uri: string, owner: Owner) => void;
  /**
   * It says something between two calls, on a connection that has one owner.
   * @param sessionId of the owner's last call; undefined where the gateway has one client
   */
  readonly onLog?: (sessionId: string | undefined, message: LogMessage) => void;
  /** The first attempt to connect begins, which may be later than others' where many child processes start. */
  readonly onFirstStart?: ((slug: string) => void) | undefined;
  /** Its command cannot be started, or its process has ended again and again without ever being ready. */
  readonly onCannotStart?: ((slug: string) => void) | undefined;
  /** An answer said something of the upstream's rate limit, or of this tool's. @param account whose limit it is */
  readonly onLimits?: (slug: string, limits: AnnouncedLimits, tool: string | undefined, account: Owner) => void;
  /** It has asked something, and has its answer. */
  readonly onAsked?: (slug: string, asked: AskedQuestion) => void;
}
