import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.js';

const SECRET = 'a-value-that-is-nobodys-business';
const PARENT = '00f067aa0ba902b7';

/** A trace for each call of the test. */
const TRACES = {
  sampled: '4bf92f3577b34da6a3ce929d0e0e4731',
  unsampled: '4bf92f3577b34da6a3ce929d0e0e4732',
  refused: '4bf92f3577b34da6a3ce929d0e0e4733',
  batch: '4bf92f3577b34da6a3ce929d0e0e4734',
} as const;

let upstream: ToolServer;
let receiver: TraceReceiver;
const requestIds: unknown[] = [];

const spansOf = (traceId: string): readonly ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (found === undefined || others.length > 0)
    throw new Error(`there are ${others.length + 1} spans '${name}' or none`);
  return found;
}

async function callWith(client: McpClient, args: JsonObject, meta: JsonObject): Promise<void> {
  const { _meta: answered } = await client.client.callTool({ name: 'mcp_aql', arguments: args, _meta: meta });
  requestIds.push(answered?.['mcp-aql/request_id']);
}

beforeAll(async () => {
  receiver = await startTraceReceiver();
  const properties = { path: { type: 'string' } };
  upstream = await startToolServer([{ name: 'read_note', properties, answer: () => textBlocks('a note') }]);
  const tracing = { enabled: true, endpoint: receiver.url, headers: { 'x-key': 'of-the-collector' } };
  const env = { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' };
  const config = { endpoint: { mode: 'single' }, tracing, mcpServers: { notes: { url: upstream.url } } };
  await using gateway = await serveGateway(config, { env });
  await using client = await connectClient(gateway.url, 'legacy');
  const read = { operation: 'read_note', params: { path: SECRET } };
  await callWith(client, read, { traceparent: `00-${TRACES.sampled}-${PARENT}-01`, tracestate: 'vendor=1' });
  await callWith(client, read, { traceparent: `00-${TRACES.unsampled}-${PARENT}-00` });
  await callWith(client, read, { traceparent: 'no context', tracestate: 'vendor=2' });
  const wrong = { ...read, params: { [SECRET]: SECRET } };
  await callWith(client, wrong, { traceparent: `00-${TRACES.refused}-${PARENT}-01` });
  const operations = [{ ...read, params: {} }, read];
  await callWith(client, { operations }, { traceparent: `00-${TRACES.batch}-${PARENT}-01` });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

it("traces a call from the client's span over the stages to the request to the upstream", () => {
  const spans = spansOf(TRACES.sampled);
  const call = only(spans, 'tools/call mcp_aql');
  expect(call).toMatchObject({ kind: 2, parentSpanId: PARENT });
  expect(call.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'mcp_aql',
    'gen_ai.operation.name': 'execute_tool',
    'network.transport': 'tcp',
    'mcp_aql.operation': 'notes__read_note',
    'mcp_aql.upstream': 'notes',
    'mcp_aql.category': 'READ',
    'mcp_aql.code': 'OK',
  });
  const stages = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId).map(({ name }) => name);
  expect(stages).toEqual(['limit', 'decode', 'validate', 'authorize', 'throttle', 'dispatch', 'shape']);
  const request = only(spans, 'tools/call read_note');
  expect(request).toMatchObject({ kind: 3, parentSpanId: only(spans, 'dispatch').spanId });
  expect(upstream.calls[0]?.meta).toMatchObject({
    traceparent: `00-${TRACES.sampled}-${request.spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(upstream.calls[0]?.headers).toMatchObject({
    traceparent: upstream.calls[0]?.meta['traceparent'],
    tracestate: 'vendor=1',
  });
});

it('keeps no span of a call whose client does not sample, and passes that on', () => {
  expect(spansOf(TRACES.unsampled)).toEqual([]);
  expect(upstream.calls[1]?.meta['traceparent']).toMatch(
    new RegExp(`^00-${TRACES.unsampled}-(?!${PARENT})\\w{16}-00$`),
  );
});

it('begins a trace of its own where the context of the client is not valid, and passes nothing of that on', () => {
  const { traceparent, tracestate } = upstream.calls[2]?.meta ?? {};
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(tracestate).toBeUndefined();
});

it('marks the stage that refuses, and says the code', () => {
  const spans = spansOf(TRACES.refused);
  const failed = spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ name }) => name)).toEqual(['validate', 'tools/call mcp_aql']);
  expect(failed[1]?.attributes['error.type']).toBe('VALIDATION_UNKNOWN_PARAM');
});

it('shows the items of a batch in the trace of the batch', () => {
  const spans = spansOf(TRACES.batch);
  const items = spans.filter(({ name }) => name === 'batch item');
  const { spanId } = only(spans, 'tools/call mcp_aql');
  expect(items.map(({ parentSpanId }) => parentSpanId)).toEqual([spanId, spanId]);
  expect(spans.filter(({ kind }) => kind === 3)).toHaveLength(2);
});

it('gives the trace the id of the request, and no span a value of an argument', () => {
  const ids = new Set(receiver.spans.map(({ traceId }) => traceId));
  expect(requestIds).toEqual([TRACES.sampled, TRACES.unsampled, requestIds[2], TRACES.refused, TRACES.batch]);
  expect(ids).toContain(requestIds[2]);
  expect(JSON.stringify(receiver.spans)).not.toContain(SECRET);
});

it('sends what the operator configures: headers, and what the variables say of the resource', () => {
  expect(receiver.headers).toMatchObject({ 'x-key': 'of-the-collector' });
  expect(receiver.resource).toMatchObject({
    'service.name': 'mcp-aql-gateway',
    'deployment.environment.name': 'test',
  });
});
