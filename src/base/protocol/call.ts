import type { JsonObject } from '../json/json.js';
import type { AskChannel } from './ask.js';
import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';
import type { SharedConsent, UserChannel } from './consent.js';
import type { AnswerParts, ForeseenCall, InnerKind, InnerReach, Within } from './inner-call.js';
import type { LargeAnswer } from './large-answer.js';
import type { CallLog } from './log-message.js';
import type { Operation } from './operation.js';
import type { OperationFailure, Reply, ToolCallResult, Warning } from './result.js';
import type { CallTrace } from './trace-context.js';
import type { WireAnswer } from './wire-answer.js';

export type { Caller, CallerFacts, CallerIdentity } from './caller.js';

/** What goes with a call from its request to its upstream. */
export interface CallContext {
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** Set where calls are traced. Requests come with it undefined: see `Caller.requestId`. */
  readonly trace?: CallTrace | undefined;
  /** What the upstream gets of the request's `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** What the client can be asked for a server that runs the call. */
  readonly ask?: AskChannel | undefined;
  /** Where a server's log messages go, where the client wants them. */
  readonly log?: CallLog | undefined;
  /** Present when the client asked for progress. */
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** Called when the server of the call has made a task of it: the client then need not wait. */
  readonly onTask?: (() => void) | undefined;
}

/** An MCP `tools/call` as a server passes it on: parsed, and otherwise unchanged. */
export interface RawCall extends CallContext {
  /** The MCP tool that was called: a family's, `mcp_aql`, or a name that does not exist. */
  readonly tool: string;
  readonly arguments: unknown;
  /** The W3C trace context (`traceparent`) that the client sent with the request; unchecked. */
  readonly traceparent?: unknown;
  /** What goes with it (`tracestate`), where it came in a header; unchecked. */
  readonly tracestate?: unknown;
  /** Present where requests are logged. */
  readonly notes?: RequestNotes | undefined;
  /** The channel to the person who uses the client, where there is one. */
  readonly user?: UserChannel | undefined;
  /** What the caller or its user answered before, to one question about this call and others. */
  readonly consent?: SharedConsent | undefined;
  /** The most tokens of this call's data, in place of the configured number: a batch divides its own among its items. */
  readonly answerTokens?: number | undefined;
  /** Set where the caller does not get this call's answer, but asks for it later. */
  readonly delivered?: false | undefined;
  /** The request of MCP that this call stands for: the outcome is then its result. */
  readonly native?: NativeRequest | undefined;
  /** Set on the calls that are made within another one. */
  readonly within?: Within | undefined;
  /** Takes what the upstream gives as it is, in place of an answer. */
  readonly take?: ((outcome: HandlerOutcome) => void) | undefined;
}

/** Begins the trace of a request, which decides whether its spans are kept. */
export type BeginTrace = (call: RawCall) => CallTrace;

/** A request of MCP itself for what is no tool, such as `resources/read`. Its result is passed on as the upstream gave it. */
export interface NativeRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Who hears of a resource that is subscribed to, where that is not the session as a whole. */
  readonly subscriber?: string | undefined;
}

/** One step of a long call, as MCP's `notifications/progress` carries it (without its token). */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One call as a handler sees it. */
export interface HandlerCall extends CallContext, Pick<RawCall, 'native'> {
  readonly operation: Operation;
  /** Validated arguments in the upstream's spelling. */
  readonly arguments: JsonObject;
  /** The state that a merging UPDATE expects to find, as the caller wrote it: a version or field values. Unchecked. */
  readonly ifMatch?: unknown;
  /** The digest of the changes that a person was shown and agreed to: a merging UPDATE makes no others. */
  readonly agreedChanges?: string | undefined;
  /** Present where the client's user can be asked while the call waits. */
  readonly user?: UserChannel | undefined;
  readonly host: HandlerHost;
  /** Of the gateway's own operations: what their answers are made of. */
  readonly parts?: AnswerParts | undefined;
  /** Set where no answer of before will do. */
  readonly fresh?: boolean | undefined;
}

/** What a handler may ask of the gateway that runs it. */
export interface HandlerHost {
  /**
   * Rejects where the operation is no longer what was checked and agreed to: a call may have waited for its turn, for a person or for a
   * connection. Asked again before each send.
   */
  requireCurrent(operation: Operation, caller: Caller): Promise<void>;
  /** For the calls that it makes itself. */
  readonly calls: InnerCalls;
}

/** What a call within a call has of the outer one. */
export type OuterCall = Omit<CallContext, 'onProgress' | 'onTask'> & Pick<HandlerCall, 'user' | 'parts'>;

/** One call as a caller would make it; what it names is unchecked. */
export interface InnerCall extends InnerReach, Pick<RawCall, 'answerTokens' | 'consent' | 'onProgress'> {
  readonly kind: InnerKind;
  /** The tool whose operations it names, or what stands for the tool in refusals. */
  readonly tool: string;
  /** The arguments of the tool. */
  readonly request: unknown;
}

/** A call of what an upstream has. */
export interface UpstreamCall {
  readonly kind: InnerKind;
  readonly upstream: string;
  /** As the gateway, the upstream or the configuration names the operation. */
  readonly name: string;
  /** In the upstream's spelling. */
  readonly params: JsonObject;
}

/**
 * The one way of calls within calls: through the whole pipeline, with the outer call's caller, cancellation, view, trace and channels to
 * its user. What each stage makes of them, `INNER_TREATMENTS` says.
 */
export interface InnerCalls {
  /** The names of the families in force. */
  families(outer: OuterCall): readonly string[];
  /** Whether such a call only reads. */
  reads(outer: OuterCall, operation: unknown, params: unknown): boolean;
  /** Never rejects. */
  send(outer: OuterCall, call: InnerCall): Promise<Reply>;
  /** Never rejects. */
  sendTo(outer: OuterCall, call: UpstreamCall): Promise<Reply>;
  /** The same for the data of the answer. Rejects with an `OperationError` where the call was refused or has failed. */
  read(outer: OuterCall, call: UpstreamCall): Promise<unknown>;
  /** The same for the outcome as the upstream gave it. */
  fetch(outer: OuterCall, call: UpstreamCall): Promise<HandlerOutcome>;
  /** Notes the answers that the call got before it stopped. @param parts characters by origin @returns whether the caller may still know of all */
  recall(outer: OuterCall, parts: Readonly<Record<string, number>>): boolean;
  /** Rejects with an `OperationError` where the call would be refused before policy judges it. */
  foresee(outer: OuterCall, call: InnerCall): Promise<ForeseenCall>;
  /** The question that the call will ask, with its token, before its turn; undefined where it asks none, or not by a token. Never rejects. */
  askAhead(outer: OuterCall, call: InnerCall): Promise<OperationFailure | undefined>;
}

/** Plain data of a built-in operation, as a value or as JSON text, or an upstream's result that is not shaped yet. */
export type HandlerOutcome =
  | {
      readonly data: unknown;
      readonly warnings?: readonly Warning[];
      /** Facts about the answer, for the envelope's `_meta`. */
      readonly meta?: JsonObject;
      /** What an answer that found little could have meant: a text of its own behind the envelope, whose published schema has no place for it. */
      readonly hint?: string;
    }
  | { readonly dataText: string }
  | {
      readonly toolResult: ToolCallResult | WireAnswer | LargeAnswer;
      /** What the caller should know beside the answer. */
      readonly warnings?: readonly Warning[];
    }
  /** The result of a request of MCP itself. */
  | { readonly native: JsonObject };

/** Runs an operation. Rejects with an `OperationError`; anything else is a defect and answered as INTERNAL_ERROR. */
export type OperationHandler = (call: HandlerCall) => Promise<HandlerOutcome>;

/** What the log of requests says beyond HTTP. */
interface NotedFacts {
  /** The method of MCP. */
  readonly mcpMethod?: string;
  readonly session?: string;
  /** The authenticated client, and the user where there is one. */
  readonly client?: string;
  readonly user?: string;
  readonly requestId?: string;
  readonly operation?: string;
  /** Of the answer of the operation. */
  readonly code?: string;
}

/** Takes down what becomes known of a request on its way, where requests are logged. Later facts replace earlier ones. */
export class RequestNotes {
  #facts: NotedFacts = {};
  readonly #parts: RequestNotes[] = [];

  /** Of each request that came in one: of those of a batch, where it is one. */
  get facts(): readonly NotedFacts[] {
    return this.#parts.length === 0 ? [this.#facts] : this.#parts.flatMap(({ facts }) => facts);
  }

  /** For one request of a batch. */
  part(): RequestNotes {
    const part = new RequestNotes();
    this.#parts.push(part);
    return part;
  }

  note(facts: NotedFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }
}
