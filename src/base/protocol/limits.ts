/** The payload limits of specification 4.7.5; bytes, elements and levels. */
export interface PayloadLimits {
  readonly maxRequestSize: number;
  readonly maxResponseSize: number;
  readonly maxStringLength: number;
  readonly maxArrayElements: number;
  readonly maxNestingDepth: number;
}

/** How large answers are sent, and what is kept of the rest. */
export interface AnswerLimits {
  /** Bytes of an answer's data beyond which it is sent in parts; 0 sends everything whole. */
  readonly maxBytes: number;
  /** Bytes of big answers and of pages that are kept, for all callers together. */
  readonly keptBytes: number;
  readonly keptSeconds: number;
  /** Uniform lists as columns and rows where that saves at least a fifth. */
  readonly compact: boolean;
}

/** Levels of nesting that are read as JSON; a text that is nested deeper stays a text. */
export const MAX_ANSWER_DEPTH = 512;

/** What an upstream's answer said about its own rate limit. */
export interface AnnouncedLimits {
  /** The status of the answer, where that tells callers to wait: 429 is a limit, 503 an outage. */
  readonly status?: number;
  /** The upstream asks for no calls during this time. */
  readonly retryAfterSeconds?: number;
  /** Calls that it still accepts before `resetsAt`. */
  readonly remaining?: number;
  /** Milliseconds since the epoch. */
  readonly resetsAt?: number;
}
