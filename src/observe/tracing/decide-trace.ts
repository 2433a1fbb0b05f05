import { createTraceState, type SpanContext, type TraceState } from '@opentelemetry/api';
import type { RawCall } from '../../protocol/call.js';
import { newTraceId, partsOfParent, readTraceContext } from '../../protocol/trace-context.js';
import type { Sampler } from './samplers.js';

/** Whether the spans of a call are kept, in which trace, and below which span of its client. */
export interface DecidedTrace {
  readonly isSampled: boolean;
  readonly traceId: string;
  readonly traceState: TraceState | undefined;
  readonly parent: SpanContext | undefined;
}

export type SentContext = Pick<RawCall, 'traceparent' | 'tracestate' | 'meta'>;

/** Nearly all calls of a busy gateway are not sampled, so that each is decided about before it has a span. */
export function decideTrace(sampler: Sampler, call: SentContext): DecidedTrace {
  const parent = call.traceparent === undefined ? undefined : readParent(call);
  const traceId = parent?.traceId ?? newTraceId();
  const isSampled = sampler(traceId, parent && parent.traceFlags === 1);
  return { isSampled, traceId, traceState: parent?.traceState, parent };
}

/** The client's span, where its context is valid. */
function readParent({ traceparent, tracestate, meta }: SentContext): SpanContext | undefined {
  const read = readTraceContext(traceparent, tracestate ?? meta?.['tracestate']);
  if (read === undefined) return undefined;
  const { traceId, spanId, flags } = partsOfParent(read.traceparent);
  const { tracestate: state } = read;
  return {
    traceId,
    spanId,
    traceFlags: flags & 1,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  };
}
