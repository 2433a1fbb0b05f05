import type { JsonObject } from './json.js';
import { OperationError } from './operation-error.js';

/** Version, trace id, parent id, flags. https://www.w3.org/TR/trace-context/#traceparent-header */
export const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** A later version may be longer; what follows the first four parts says nothing of the ids. */
export const MOST_PARENT_CHARACTERS = 64;

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

/** How a call ended, for its trace. */
export interface TracedEnd {
  readonly code: string;
  /** Whether the caller is asked something, and nothing has failed. */
  readonly isQuestion?: boolean;
  /** The tool that was called, where there is one of that name. */
  readonly tool?: string;
  readonly operation?: { readonly qualifiedName: string; readonly upstream: string; readonly category: string };
}

/** A request to an upstream, as a part of the trace. */
export interface RequestTrace {
  /** What goes with it to the upstream, in `_meta`. */
  readonly context: TraceContext;
  /** @param code why it failed; absent where it did not */
  end(code?: string): void;
}

/** The way of one call, where calls are traced. After `end` every method does nothing. */
export interface CallTrace {
  /** The stage that the call is in from now on. */
  enter(stage: string): void;
  /** Begins the trace of a call that is made for this one: an item of a batch, a read, a page. */
  inner(name: string): CallTrace;
  request(method: string, upstream: string, tool?: string): RequestTrace;
  end(end: TracedEnd): void;
}

/** `_meta` with the context of the trace in place of the client's. */
export function withContext(meta: JsonObject | undefined, context: TraceContext): JsonObject {
  const { traceparent: _parent, tracestate: _state, ...rest } = meta ?? {};
  return { ...rest, ...context };
}

/** Ends the trace of a request with what comes of it. */
export async function endTrace<T extends object>(traced: RequestTrace, answer: Promise<T>): Promise<T> {
  try {
    const result = await answer;
    traced.end('isError' in result && result.isError === true ? 'tool_error' : undefined);
    return result;
  } catch (thrown) {
    traced.end(thrown instanceof OperationError ? thrown.code : 'INTERNAL_ERROR');
    throw thrown;
  }
}
