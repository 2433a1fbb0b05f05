import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../json/json.js';
import type { ErrorCode } from './error-table.js';

/** Version, trace id, parent id, flags. https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** A later version may be longer; what follows the first four parts says nothing of the ids. */
const MOST_PARENT_CHARACTERS = 64;

const PARENT_CHARACTERS = 55;

/** A list of vendors' entries. https://www.w3.org/TR/trace-context/#tracestate-header */
const TRACE_STATE = /^[\x20-\x7e]{1,512}$/;

/** The members of `_meta`, and the headers, that carry the context of a trace. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The context that a request brings; undefined where it is not valid, and without a state that is not. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MOST_PARENT_CHARACTERS) return undefined;
  if (!TRACE_PARENT.test(traceparent)) return undefined;
  // The version of today has nothing behind its four parts.
  if (traceparent.startsWith('00-') && traceparent.length !== PARENT_CHARACTERS) return undefined;
  const hasState = typeof tracestate === 'string' && TRACE_STATE.test(tracestate);
  return hasState ? { traceparent, tracestate } : { traceparent };
}

/** The trace that a request belongs to, also where its context is of a later version and longer than what is passed on. */
export function readTraceId(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const start = traceparent.slice(0, MOST_PARENT_CHARACTERS);
  return TRACE_PARENT.test(start) ? partsOfParent(start).traceId : undefined;
}

/** The parts of a `traceparent` that is valid: they stand in the same places in every version. */
export function partsOfParent(traceparent: string): {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
} {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    flags: Number.parseInt(traceparent.slice(53, PARENT_CHARACTERS), 16),
  };
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** Random digits for the next ids: making many at once costs hardly more than making those of one. */
const DIGITS_AT_ONCE = 256 * TRACE_DIGITS;
const random = { digits: '', used: 0 };

/** The id of a trace, and of a request: https://www.w3.org/TR/trace-context/#trace-id */
export function newTraceId(): string {
  return take(TRACE_DIGITS);
}

/** https://www.w3.org/TR/trace-context/#parent-id */
export function newSpanId(): string {
  return take(SPAN_DIGITS);
}

function take(count: number): string {
  if (random.digits.length - random.used < count) {
    random.digits = randomBytes(DIGITS_AT_ONCE / 2).toString('hex');
    random.used = 0;
  }
  const at = random.used;
  random.used += count;
  return random.digits.slice(at, random.used);
}

/** An operation, as the trace of its call names it. */
export interface TracedOperation {
  readonly qualifiedName: string;
  readonly upstream: string;
  readonly classification: { readonly category: string };
}

/** A request to an upstream, as a part of the trace. */
export interface RequestTrace {
  /** What goes with it to the upstream, in `_meta`. */
  readonly context: TraceContext;
  /** Lasts until the answer is there. Resolves and rejects as the answer does. */
  follow<T extends object>(answer: Promise<T>): Promise<T>;
}

/** The way of one call, where calls are traced. After `end` every method does nothing. */
export interface CallTrace {
  /** Of the trace, and thereby of the request. */
  readonly id: string;
  /** The stage that the call is in from now on. */
  enter(stage: string): void;
  /** Begins the trace of a call that is made for this one: an item of a batch, a read, a page. */
  inner(name: string): CallTrace;
  request(method: string, upstream: string, tool?: string): RequestTrace;
  /** @param tool that was called, where there is one of that name */
  end(code: ErrorCode | 'OK', tool?: string, operation?: TracedOperation): void;
}

/** `_meta` with the context of the trace in place of the client's. */
export function withContext(meta: JsonObject | undefined, context: TraceContext): JsonObject {
  // Most requests bring none, and taking members out of a copy costs more than the rest of a trace that is not sampled.
  if (meta === undefined) return { ...context };
  const { traceparent: _parent, tracestate: _state, ...rest } = meta;
  return { ...rest, ...context };
}
