import type { MessageLimits, PayloadLimits } from '../../base/protocol/limits.js';

/** What a program's thread begins with. */
export interface ThreadStart {
  readonly code: string;
  /** JSON. */
  readonly input: string;
  /** The names of the families in force. */
  readonly families: readonly string[];
  /** Where the program's clock stands, in milliseconds since the epoch; it seeds its random numbers, too. */
  readonly started: number;
  readonly bounds: EngineBounds;
}

/** What bounds a program in its engine. */
export interface EngineBounds {
  readonly memoryBytes: number;
  readonly computeMs: number;
  readonly maxCalls: number;
  /** Of one call, as JSON. */
  readonly maxCallBytes: number;
  /** Of all calls that are made and not answered. */
  readonly maxOpenBytes: number;
  /** Those of a request, which a call is. */
  readonly limits: PayloadLimits & MessageLimits;
  readonly maxResultBytes: number;
  readonly maxConsoleBytes: number;
}

/** The answer to a call, delivered when the engine is idle. */
export interface Delivery {
  /** The call's number, in the order in which they were made. */
  readonly call: number;
  /** The JSON of an `OperationResult`. */
  readonly text: string;
}

/** A call as it leaves the program's thread, where it was held against the limits of requests. */
export interface SentCall {
  readonly family: string | undefined;
  /** Where it is named by a text. */
  readonly operation: string | undefined;
  /** JSON of `{operation, params}`: it is parsed when the call begins. */
  readonly text: string;
  /** Equal for equal calls. */
  readonly digest: string;
}

/** What a program did from one delivery until it was idle again. */
export interface Turn {
  /** The calls that it has made, in order. */
  readonly calls: readonly SentCall[];
  /** What it has said on its console. */
  readonly console: string;
  readonly end?: ProgramEnd;
}

/** How a program has ended: with JSON of its value or of what it threw, or because it went beyond a bound. */
export type ProgramEnd =
  | { readonly kind: 'value' | 'error'; readonly text: string }
  | { readonly kind: 'fault'; readonly fault: EngineFault };

/** `result` is too large; `failed` is a defect of the engine. */
export type EngineFault = 'time' | 'memory' | 'stack' | 'result' | 'failed';
