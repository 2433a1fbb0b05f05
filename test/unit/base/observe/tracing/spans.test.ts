import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, Sampler } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { chooseSampler } from '../../../../../src/base/observe/tracing/samplers.js';
import { traceCalls } from '../../../../../src/base/observe/tracing/spans.js';
import type { RawCall } from '../../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../../src/base/protocol/cancellation.js';
import { OperationError } from '../../../../../src/base/protocol/operation-error.js';
import type { CallTrace } from '../../../../../src/base/protocol/trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const OPERATION = { qualifiedName: 'notes__read_note', upstream: 'notes', classification: { category: 'READ' } };

const NONE = chooseSampler({ sampler: 'ratio', ratio: 0 }, {});
const ALL = chooseSampler({ sampler: 'ratio', ratio: 1 }, {});
const FOLLOW = chooseSampler({}, {});

/** Begins a trace. */
function begin(sampler: Sampler, context: Pick<RawCall, 'traceparent' | 'tracestate'> = {}) {
  const sent: ReadableSpan[] = [];
  const begin = traceCalls(sampler, {
    resource: resourceFromAttributes({}),
    scope: { name: 'test' },
    send: (span) => sent.push(span),
  });
  const call: RawCall = {
    tool: 'mcp_aql_read',
    arguments: {},
    caller: { sessionId: 's', clientName: 'c', transport: 'http' },
    cancellation: new Cancellation(),
    ...context,
  };
  return { traced: begin(call), spans: () => sent };
}

/** What a call does that reads something on its way. */
async function runThrough(traced: CallTrace): Promise<readonly unknown[]> {
  for (const stage of ['limit', 'decode', 'validate', 'dispatch']) traced.enter(stage);
  const inner = traced.inner('inner read');
  inner.enter('dispatch');
  inner.end('OK', 'mcp_aql_read', OPERATION);
  const request = traced.request('tools/call', 'notes', 'read_note');
  const answer = await request.follow(Promise.resolve({ content: [] }));
  traced.enter('shape');
  traced.end('OK', 'mcp_aql_read', OPERATION);
  return [request.context.traceparent, answer];
}

describe('a call that is not sampled', () => {
  it('has no span', async () => {
    const { traced, spans } = begin(NONE);
    await runThrough(traced);
    expect(spans()).toEqual([]);
  });

  it("passes on the client's trace with the flag that says so, and its state", () => {
    const { traced } = begin(FOLLOW, { traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'vendor=1' });
    expect(traced.id).toBe(TRACE);
    expect(traced.request('tools/call', 'notes').context).toEqual({
      traceparent: expect.stringMatching(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`)),
      tracestate: 'vendor=1',
    });
  });

  it('passes on a trace of its own where the client has none', async () => {
    const { traced } = begin(NONE);
    const [traceparent, answer] = await runThrough(traced);
    expect(traceparent).toMatch(new RegExp(`^00-${traced.id}-[0-9a-f]{16}-00$`));
    expect(answer).toEqual({ content: [] });
  });

  it('passes on one span to all of its upstreams', () => {
    const { traced } = begin(NONE);
    const [first, second] = ['one', 'two'].map((upstream) => traced.request('tools/call', upstream).context);
    expect(first).toEqual(second);
  });

  it('gives what the upstream answers as it is, without a promise of its own', () => {
    const { traced } = begin(NONE);
    const answer = Promise.resolve({ content: [] });
    expect(traced.request('tools/call', 'notes').follow(answer)).toBe(answer);
  });
});

describe('a call that is sampled', () => {
  it('has a span of its own, of each stage, of each call within it and of each request', async () => {
    const { traced, spans } = begin(ALL, { traceparent: `00-${TRACE}-${PARENT}-01` });
    const [traceparent] = await runThrough(traced);
    const request = spans().find(({ name }) => name === 'tools/call read_note');
    expect(traceparent).toBe(`00-${TRACE}-${request?.spanContext().spanId}-01`);
    const names = spans().map(({ name }) => name);
    const stages = [
      'limit',
      'decode',
      'validate',
      'dispatch',
      'inner read',
      'tools/call read_note',
      'dispatch',
      'shape',
    ];
    expect(names.toSorted()).toEqual([...stages, 'tools/call mcp_aql_read'].toSorted());
    expect(spans().at(-1)?.attributes).toMatchObject({
      'gen_ai.tool.name': 'mcp_aql_read',
      'mcp_aql.operation': 'notes__read_note',
      'mcp_aql.upstream': 'notes',
      'mcp_aql.category': 'READ',
      'mcp_aql.code': 'OK',
    });
  });

  it.each([
    [new OperationError('RATE_LIMIT_EXCEEDED', 'Too many calls'), 'RATE_LIMIT_EXCEEDED'],
    [new Error('unexpected'), 'INTERNAL_ERROR'],
  ])('says of a request why it failed, and fails alike', async (fault, code) => {
    const { traced, spans } = begin(ALL);
    await expect(traced.request('tools/call', 'notes').follow(Promise.reject(fault))).rejects.toBe(fault);
    expect(spans()[0]?.attributes['error.type']).toBe(code);
  });

  it('does not count a question to the caller as a failure', () => {
    const { traced, spans } = begin(ALL);
    traced.end('CONFIRMATION_REQUIRED', 'mcp_aql_delete', OPERATION);
    expect(spans()[0]?.attributes['error.type']).toBeUndefined();
  });

  it('has spans within each other, in its trace and of its time', async () => {
    const before = Date.now();
    const { traced, spans } = begin(ALL, { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' });
    await runThrough(traced);
    const idOf = (name: string) =>
      spans()
        .find((span) => span.name === name)
        ?.spanContext().spanId;
    const call = 'tools/call mcp_aql_read';
    const parents = spans().map((span) => [span.name, span.parentSpanContext?.spanId]);
    expect(parents).toContainEqual([call, PARENT]);
    expect(parents).toContainEqual(['validate', idOf(call)]);
    expect(parents).toContainEqual([
      'inner read',
      spans()
        .filter(({ name }) => name === 'dispatch')
        .at(-1)
        ?.spanContext().spanId,
    ]);
    for (const span of spans()) {
      expect(span.spanContext()).toMatchObject({ traceId: TRACE, traceFlags: 1 });
      expect(span.spanContext().traceState?.serialize()).toBe('vendor=1');
      const [start, end] = [span.startTime, span.endTime].map(
        ([seconds, nanoseconds]) => seconds * 1e3 + nanoseconds / 1e6,
      );
      expect(start).toBeGreaterThanOrEqual(before);
      expect(end).toBeGreaterThanOrEqual(start ?? Number.NaN);
      expect(span.duration[1]).toBeGreaterThanOrEqual(0);
    }
  });

  it('cuts what is long, and sends no span twice', () => {
    const { traced, spans } = begin(ALL);
    traced.end('OK', 'x'.repeat(300));
    traced.end('OK', 'again');
    expect(spans().map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(['x'.repeat(256)]);
  });
});
