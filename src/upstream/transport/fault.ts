import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json/json.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';

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
  /** The process used more memory than it may, and was ended. */
  | 'outgrown'
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
  /** There is no connection, and none is tried before an operator asks for it. */
  | 'stopped'
  /** There are as many instances as there may be, all in use by others. */
  | 'full'
  /** As many calls wait for a place as may. */
  | 'busy';

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
  /** How many calls may wait, where there are as many. */
  readonly maxWaiting?: number;
  /** How long a call may take whatever progress it shows, where this one took longer. */
  readonly maxMs?: number;
  /** The `input_required` result in which the tool asks for input. */
  readonly input?: JsonObject;
}

/** The kinds of fault that end a connection. */
const ENDINGS: ReadonlySet<FaultKind> = new Set(['lost', 'forgotten', 'unresponsive', 'exited', 'outgrown']);

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
  readonly maxWaiting: number | undefined;
  readonly input: JsonObject | undefined;

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
    this.maxWaiting = options.maxWaiting;
    this.input = options.input;
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

/** How long a request may take. */
interface Clock {
  readonly endsAt: number;
  readonly maxMs: number;
  readonly timeoutMs: number;
}

/** The fault of a request that took too long: it was silent, or it came to no end. */
export function expired({ endsAt, maxMs, timeoutMs }: Clock, now: number): UpstreamFault {
  if (endsAt > now || maxMs <= timeoutMs) return new UpstreamFault('timeout', `no answer within ${timeoutMs / 1000} s`);
  return new UpstreamFault('timeout', `no end within ${maxMs / 1000} s`, { maxMs });
}

export function cancelled({ reason }: Cancellation): UpstreamFault {
  return new UpstreamFault('cancelled', reason ?? 'cancelled');
}

/** The fault of a request whose connection was lost. */
export function lostWith(
  cause: UpstreamFault | undefined,
  { undelivered }: { readonly undelivered: boolean },
): UpstreamFault {
  return new UpstreamFault('lost', cause?.message ?? 'the connection was closed', { cause, undelivered });
}

/** The JSON-RPC error of an answer. */
export function protocolError({ code, message, data }: JsonObject): ProtocolError {
  const known = typeof code === 'number' ? code : ProtocolErrorCode.InternalError;
  return ProtocolError.fromError(known, typeof message === 'string' ? message : '', data);
}

/** The fault of a request that certainly did not run. */
export function forgotten(): UpstreamFault {
  return new UpstreamFault('forgotten', 'it no longer knows the session', { undelivered: true });
}

/** The fault of a request that the session took along. */
export function endedWithSession(): UpstreamFault {
  return new UpstreamFault('lost', 'it no longer knows the session, and may have run the request before');
}

export function abandoned(): UpstreamFault {
  return new UpstreamFault('cancelled', 'the request was given up');
}
