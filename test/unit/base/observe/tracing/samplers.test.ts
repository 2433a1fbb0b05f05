import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseSampler, decideTrace } from '../../../../../src/base/observe/tracing/samplers.js';
import { newSpanId, newTraceId } from '../../../../../src/base/protocol/trace-context.js';

const CALLS = 200;
const PARENTS = [undefined, '00', '01'] as const;

afterEach(() => vi.unstubAllEnvs());

/** Whether the SDK itself would sample a call with this trace and, where the client decides, its flags. */
function decideBySdk(traceId: string, flags: string | undefined): boolean {
  const generated = { generateTraceId: () => traceId, generateSpanId: newSpanId };
  const tracer = new BasicTracerProvider({ idGenerator: generated }).getTracer('test');
  const parent = { traceId, spanId: newSpanId(), traceFlags: Number(flags), isRemote: true };
  const context = flags === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  return tracer.startSpan('tools/call', { kind: SpanKind.SERVER }, context).isRecording();
}

describe('the sampler that the environment names', () => {
  it.each([
    ['always_on', ''],
    ['always_off', ''],
    ['traceidratio', '0.5'],
    ['traceidratio', ''],
    ['traceidratio', 'half'],
    ['traceidratio', '7'],
    ['traceidratio', ' 0.25 '],
    ['parentbased_always_on', ''],
    ['parentbased_always_off', ''],
    ['parentbased_traceidratio', '0.5'],
    ['parentbased_traceidratio', '-1'],
    ['unknown', '0.5'],
    ['ALWAYS_OFF', ''],
    ['', '0.5'],
    [' ', ''],
  ])("decides as the SDK's own does: '%s' with '%s'", (name, argument) => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', name);
    vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', argument);
    const sampler = chooseSampler({}, process.env);
    for (const flags of PARENTS) {
      for (let call = 0; call < CALLS; call += 1) {
        const traceId = newTraceId();
        const sent = flags === undefined ? {} : { traceparent: `00-${traceId}-${newSpanId()}-${flags}` };
        const decided = decideTrace(sampler, sent);
        expect([decided.isSampled, flags]).toEqual([decideBySdk(decided.traceId, flags), flags]);
      }
    }
  });
});

it('what is configured beats the environment', () => {
  const sampler = chooseSampler({ sampler: 'ratio', ratio: 0.5 }, { OTEL_TRACES_SAMPLER: 'always_off' });
  const sampled = Array.from({ length: CALLS }, () => decideTrace(sampler, {})).filter(({ isSampled }) => isSampled);
  expect(sampled.length).toBeGreaterThan(0);
  expect(sampled.length).toBeLessThan(CALLS);
});
