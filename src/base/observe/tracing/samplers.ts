import { createTraceState, type SpanContext, type TraceState } from '@opentelemetry/api';
import type { RawCall } from '../../protocol/call.js';
import { newTraceId, partsOfParent, readTraceContext } from '../../protocol/trace-context.js';

/** What decides which calls are traced. */
export interface SamplerSettings {
  /** `parent` asks the client first, and `ratio` nobody. */
  readonly sampler?: 'parent' | 'ratio';
  /** The share of the calls that nobody else decides about, from 0 to 1. */
  readonly ratio?: number;
}

/**
 * Whether the spans of a trace are kept. The SDK's samplers take and give an object for each call, of which nearly none is kept.
 * @param traceId 32 hexadecimal digits in lower case
 * @param isParentKept whether the client keeps its own; undefined where it sent no context
 */
export type Sampler = (traceId: string, isParentKept: boolean | undefined) => boolean;

/** Whether the spans of a call are kept, in which trace, and below which span of its client. */
export interface DecidedTrace {
  readonly isSampled: boolean;
  readonly traceId: string;
  readonly traceState: TraceState | undefined;
  readonly parent: SpanContext | undefined;
}

const always = (): boolean => true;
const never = (): boolean => false;

const followParent =
  (root: Sampler): Sampler =>
  (traceId, isParentKept) =>
    isParentKept ?? root(traceId, undefined);

const WORDS = [0, 8, 16, 24];
const WORD_DIGITS = 8;

const ZERO = '0'.charCodeAt(0);
const A = 'a'.charCodeAt(0);

const SAMPLERS: Readonly<Record<NonNullable<SamplerSettings['sampler']>, (ratio: number) => Sampler>> = {
  parent: (ratio) => followParent(keepShare(ratio)),
  ratio: keepShare,
};

const OF_ENVIRONMENT: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ['always_on', () => always],
  ['always_off', () => never],
  ['traceidratio', SAMPLERS.ratio],
  ['parentbased_always_on', () => followParent(always)],
  ['parentbased_always_off', () => followParent(never)],
  ['parentbased_traceidratio', SAMPLERS.parent],
]);

/**
 * The sampler of the settings, else that of OpenTelemetry's variables, which the SDK reads for itself alone: here a call is decided about
 * before it has a span. https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export function chooseSampler({ sampler, ratio }: SamplerSettings, env: NodeJS.ProcessEnv): Sampler {
  if (sampler !== undefined || ratio !== undefined) return SAMPLERS[sampler ?? 'parent'](ratio ?? 1);
  const choose = OF_ENVIRONMENT.get(env['OTEL_TRACES_SAMPLER'] ?? '') ?? (() => followParent(always));
  return choose(readRatio(env['OTEL_TRACES_SAMPLER_ARG']));
}

/** 1 unless it is a number from 0 to 1. */
function readRatio(text = ''): number {
  const ratio = text.trim() === '' ? 1 : Number(text);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

/**
 * Keeps traces by their ids, so that other senders with the same share keep the same ones: the four words of the id, one XOR the other, are
 * below the share of what a word can be, as the `TraceIdRatioBased` sampler of OpenTelemetry's SDK for JavaScript has it. They are compared
 * digit by digit: the first decides nearly always.
 */
function keepShare(ratio: number): Sampler {
  const bound = Math.floor(ratio * 0xffff_ffff);
  return (traceId) => {
    for (let at = 0; at < WORD_DIGITS; at += 1) {
      const digit = WORDS.reduce((joined, word) => joined ^ digitAt(traceId, word + at), 0);
      const most = (bound >>> (4 * (WORD_DIGITS - 1 - at))) & 0xf;
      if (digit !== most) return digit < most;
    }
    return false;
  };
}

function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < A ? code - ZERO : code - A + 10;
}

type SentContext = Pick<RawCall, 'traceparent' | 'tracestate' | 'meta'>;

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
