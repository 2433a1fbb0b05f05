import { expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { readRequest } from '../../../../src/gateway/pipeline/decode.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALL = {
  tool: 'mcp_aql_read',
  arguments: {},
  caller: { sessionId: 's', clientName: 'c', transport: 'http' },
  cancellation: new Cancellation(),
} as const;

const idOf = (traceparent: unknown): string =>
  readRequest({ ...CALL, traceparent }, { reachOf: () => undefined }).call.caller.requestId;

it('a request with a trace context is known by its trace id', () => {
  expect(idOf(`00-${TRACE}-00f067aa0ba902b7-01`)).toBe(TRACE);
  expect(idOf(`cc-${TRACE}-00f067aa0ba902b7-01-what-will-come`)).toBe(TRACE);
});

it.each([
  undefined,
  7,
  '',
  TRACE,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-00f067aa0ba902b7-01x`,
  `00-${TRACE}-00f067aa0ba902b7-01${'x'.repeat(1_000_000)}`,
])('a request without a valid trace context gets an id of its own: %s', (traceparent) => {
  const ids = [idOf(traceparent), idOf(traceparent)];
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(ids[0]).not.toBe(ids[1]);
});
