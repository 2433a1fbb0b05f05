import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type Tracer,
  type TraceState,
  trace,
} from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  type Sampler,
  SamplingDecision,
  type TracerConfig,
} from '@opentelemetry/sdk-trace-base';
import type { RawCall } from '../../protocol/call.js';
import { newSpanId, newTraceId, partsOfParent, readTraceContext } from '../../protocol/trace-context.js';

/** Whether the spans of a call are kept, in which trace, and below which span of its client. */
export interface DecidedTrace {
  readonly isSampled: boolean;
  readonly traceId: string;
  readonly traceState: TraceState | undefined;
  readonly parent: Context;
}

type SentContext = Pick<RawCall, 'traceparent' | 'tracestate' | 'meta'>;

/**
 * The traces of calls, of which each is decided about before it has a span. Nearly all calls of a busy gateway are not sampled, and a span of
 * the SDK that records nothing costs several times as much as the decision. Spans below a sampled one are sampled too, as every sampler of
 * OpenTelemetry decides by the trace or by the parent.
 */
export class DecidedTraces {
  readonly tracer: Tracer;
  readonly #sampler: Sampler;
  readonly #provider: BasicTracerProvider;
  /** Of the trace that is begun now; the SDK takes it from its generator alone. */
  #beginning: string | undefined;

  constructor(
    sampler: Sampler,
    name: string,
    version: string,
    settings: Omit<TracerConfig, 'sampler' | 'idGenerator'>,
  ) {
    this.#sampler = sampler;
    this.#provider = new BasicTracerProvider({
      ...settings,
      sampler: new AlwaysOnSampler(),
      idGenerator: { generateTraceId: () => this.#beginning ?? newTraceId(), generateSpanId: newSpanId },
    });
    this.tracer = this.#provider.getTracer(name, version);
  }

  decide(call: SentContext, name: string): DecidedTrace {
    const sent = call.traceparent === undefined ? undefined : readParent(call);
    const parent = sent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sent);
    const traceId = sent?.traceId ?? newTraceId();
    const { decision, traceState } = this.#sampler.shouldSample(parent, traceId, name, SpanKind.SERVER, {}, []);
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
    return { isSampled, traceId, traceState: traceState ?? sent?.traceState, parent };
  }

  /** Begins the span of a call that is sampled. */
  begin({ traceId, parent }: DecidedTrace, name: string): Span {
    this.#beginning = traceId;
    try {
      return this.tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
    } finally {
      this.#beginning = undefined;
    }
  }

  /** Sends what is left. */
  close(): Promise<void> {
    return this.#provider.shutdown();
  }
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
