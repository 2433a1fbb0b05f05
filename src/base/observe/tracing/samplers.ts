import { createTraceState, ROOT_CONTEXT, type SpanContext, SpanKind, type TraceState, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { RawCall } from '../../protocol/call.js';
import { newTraceId, partsOfParent, readTraceContext } from '../../protocol/trace-context.js';

/** What decides which calls are traced. */
export interface SamplerSettings {
  /** `parent` asks the client first, and `ratio` nobody. */
  readonly sampler?: 'parent' | 'ratio';
  /** The share of the calls that nobody else decides about, from 0 to 1. */
  readonly ratio?: number;
}

/** Whether the spans of a call are kept, in which trace, and below which span of its client. */
export interface DecidedTrace {
  readonly isSampled: boolean;
  readonly traceId: string;
  readonly traceState: TraceState | undefined;
  readonly parent: SpanContext | undefined;
}

const share = (ratio: number): Sampler => new TraceIdRatioBasedSampler(ratio);
const followParent = (root: Sampler): Sampler => new ParentBasedSampler({ root });

const SAMPLERS: Readonly<Record<NonNullable<SamplerSettings['sampler']>, (ratio: number) => Sampler>> = {
  parent: (ratio) => followParent(share(ratio)),
  ratio: share,
};

const OF_ENVIRONMENT: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', SAMPLERS.ratio],
  ['parentbased_always_on', () => followParent(new AlwaysOnSampler())],
  ['parentbased_always_off', () => followParent(new AlwaysOffSampler())],
  ['parentbased_traceidratio', SAMPLERS.parent],
]);

/**
 * The sampler of the settings, else that of OpenTelemetry's variables, which the SDK reads for itself alone: here a call is decided about
 * before it has a span. https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export function chooseSampler({ sampler, ratio }: SamplerSettings, env: NodeJS.ProcessEnv): Sampler {
  if (sampler !== undefined || ratio !== undefined) return SAMPLERS[sampler ?? 'parent'](ratio ?? 1);
  const choose = OF_ENVIRONMENT.get(env['OTEL_TRACES_SAMPLER'] ?? '') ?? (() => followParent(new AlwaysOnSampler()));
  return choose(readRatio(env['OTEL_TRACES_SAMPLER_ARG']));
}

/** 1 unless it is a number from 0 to 1. */
function readRatio(text = ''): number {
  const ratio = text.trim() === '' ? 1 : Number(text);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

type SentContext = Pick<RawCall, 'traceparent' | 'tracestate' | 'meta'>;

/** Each call is decided about before it has a span: nearly all of a busy gateway are not sampled. */
export function decideTrace(sampler: Sampler, call: SentContext): DecidedTrace {
  const parent = call.traceparent === undefined ? undefined : readParent(call);
  const traceId = parent?.traceId ?? newTraceId();
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const { decision } = sampler.shouldSample(context, traceId, 'tools/call', SpanKind.SERVER, {}, []);
  return {
    isSampled: decision === SamplingDecision.RECORD_AND_SAMPLED,
    traceId,
    traceState: parent?.traceState,
    parent,
  };
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
