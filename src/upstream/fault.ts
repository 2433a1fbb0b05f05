/** What went wrong between the gateway and an upstream, as far as the difference changes what happens next. */
export type FaultKind =
  /** The connection is gone. */
  | 'lost'
  /** The server does not know the session any more, as a second request has confirmed. */
  | 'forgotten'
  /** The server answered neither a call nor a ping. */
  | 'unresponsive'
  /** The process ended. */
  | 'exited'
  /** The command cannot be started. */
  | 'command'
  /** Nothing came within the time allowed. */
  | 'timeout'
  /** The caller does not wait for the answer any more. */
  | 'cancelled'
  /** The answer is not MCP. */
  | 'malformed'
  /** The answer is longer than this upstream's answers may be. */
  | 'oversize'
  /** The tool wants something from the client (MCP 2026-07-28, multi round-trip requests). */
  | 'input-required'
  /** There is no connection, and none is expected soon. */
  | 'unavailable'
  /** There are as many instances as there may be, all in use by others. */
  | 'full';

interface FaultOptions {
  readonly cause?: unknown;
  /** The request certainly never reached the server's code, so that sending it again is safe for any tool. */
  readonly undelivered?: boolean;
  readonly retryAfterMs?: number;
  /** How long an answer may be, where this one was longer. */
  readonly maxBytes?: number;
  /** How many instances there may be, where there are as many, and after how long without a call one is free for another. */
  readonly maxInstances?: number;
  readonly freeMs?: number;
  /** How long a call may take whatever progress it shows, where this one took longer. */
  readonly maxMs?: number;
}

/** The kinds of fault that end a connection. */
const ENDINGS: ReadonlySet<FaultKind> = new Set(['lost', 'forgotten', 'unresponsive', 'exited']);

/**
 * A fault of the connection rather than of the tool. The message is for the operator: plain words, and possibly paths or a
 * server's last lines, so it is logged and shown in the status but never sent to a client; `translate-failure` decides what is.
 */
export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  readonly undelivered: boolean;
  readonly retryAfterMs: number | undefined;
  readonly maxBytes: number | undefined;
  readonly maxMs: number | undefined;
  readonly maxInstances: number | undefined;
  readonly freeMs: number | undefined;

  constructor(kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'UpstreamFault';
    this.kind = kind;
    this.undelivered = options.undelivered ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.maxBytes = options.maxBytes;
    this.maxMs = options.maxMs;
    this.maxInstances = options.maxInstances;
    this.freeMs = options.freeMs;
  }

  /** Whether the connection itself ended, whatever ended it. */
  get connectionLost(): boolean {
    return ENDINGS.has(this.kind);
  }
}

/** The `UpstreamFault` that an error is or was caused by: the SDK wraps what its transports throw. */
export function findFault(error: unknown): UpstreamFault | undefined {
  for (let seen: unknown = error, depth = 0; seen instanceof Error && depth < 8; seen = seen.cause, depth += 1) {
    if (seen instanceof UpstreamFault) return seen;
  }
  return undefined;
}

/** The fault of an answer that is longer than the upstream's `maxAnswerBytes`. Other calls are not affected. */
export function answerTooLong(maxBytes: number): UpstreamFault {
  return new UpstreamFault('oversize', `its answer has more than ${maxBytes} bytes`, { maxBytes });
}
