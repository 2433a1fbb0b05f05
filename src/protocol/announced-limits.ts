/** What an upstream's answer said of its own rate limit. */
export interface AnnouncedLimits {
  /** It wants to be left alone for so long. */
  readonly retryAfterSeconds?: number;
  /** Calls that it will still take before `resetsAt`. */
  readonly remaining?: number;
  /** Milliseconds since the epoch. */
  readonly resetsAt?: number;
}
