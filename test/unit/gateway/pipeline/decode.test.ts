import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { decode, readRequest } from '../../../../src/gateway/pipeline/decode.js';
import { takeDirectives } from '../../../../src/gateway/pipeline/directives.js';
import type { Snapshot } from '../../../../src/gateway/pipeline/snapshot.js';
import { anOperation } from '../../../support/an-operation.js';
import { NO_OPERATIONS } from '../../../support/no-operations.js';

async function decodeRequest(request: unknown) {
  const snapshot: Snapshot = NO_OPERATIONS;
  const caller = { sessionId: 's', clientName: 'c', transport: 'http' } as const;
  return decode({ tool: 'mcp_aql', arguments: request, caller, cancellation: new Cancellation() }, snapshot);
}

const paramsOf = async (request: unknown) => (await decodeRequest(request)).params;

describe('decode', () => {
  it('takes parameters from params and from beside it, and prefers params (specification 4.2)', async () => {
    expect(await paramsOf({ operation: 'x' })).toEqual({});
    expect(await paramsOf({ operation: 'x', params: null, id: 1 })).toEqual({ id: 1 });
    expect(await paramsOf({ operation: 'x', params: { id: 1 }, id: 2, name: 'n' })).toEqual({ id: 1, name: 'n' });
  });

  it('takes parameters called operation and params only from params', async () => {
    const params = { operation: 'inner', params: { deep: true } };
    expect(await paramsOf({ operation: 'x', params })).toEqual(params);
  });

  it('does not take metadata beside params as parameters (specification 4.6.1)', async () => {
    expect(await paramsOf({ operation: 'x', _meta: {}, _request_id: 'r' })).toEqual({});
  });

  it.each(['_confirmation', '_quota_continue', '_filter', '_page_size'])(
    'takes %s from beside params, because the gateway defines it',
    async (name) => {
      expect(await paramsOf({ operation: 'x', params: { id: 1 }, [name]: 'v' })).toEqual({ id: 1, [name]: 'v' });
    },
  );

  it('never sets a prototype from a parameter', async () => {
    const request: unknown = JSON.parse('{"operation":"x","id":1,"__proto__":{"polluted":true}}');
    const params = await paramsOf(request);
    expect(params).toEqual({ id: 1 });
    expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
  });

  it('passes params on unchanged when nothing is beside them', async () => {
    const params = { id: 1 };
    expect(await paramsOf({ operation: 'x', params })).toBe(params);
  });
});

const PLAIN = anOperation();
const MERGING = anOperation({ merge: { read: 'get_item' } });
const OWN = anOperation({
  parameters: [
    {
      name: 'confirmation_token',
      upstreamName: 'confirmation_token',
      place: 'params',
      required: false,
      schema: { type: 'string' },
    },
  ],
});

describe('takeDirectives', () => {
  it.each([
    ['nothing where there is no directive', PLAIN, { a: 1 }, { params: { a: 1 } }],
    ['metadata', PLAIN, { a: 1, _confirmation: 'c' }, { params: { a: 1 }, confirmation: 'c' }],
    ['the plain name', PLAIN, { a: 1, confirmation_token: 'c' }, { params: { a: 1 }, confirmation: 'c' }],
    [
      'both names when they agree',
      PLAIN,
      { _confirmation: 'c', confirmation_token: 'c' },
      { params: {}, confirmation: 'c' },
    ],
    ['null as an absent token', PLAIN, { a: 1, _confirmation: null }, { params: { a: 1 } }],
    [
      "no token from an operation's own parameter",
      OWN,
      { confirmation_token: 'x' },
      { params: { confirmation_token: 'x' } },
    ],
    [
      'metadata beside an own parameter',
      OWN,
      { confirmation_token: 'x', _confirmation: 'c' },
      { params: { confirmation_token: 'x' }, confirmation: 'c' },
    ],
  ])('takes %s', (_what, operation, params, expected) => {
    expect(takeDirectives(operation, params, () => true)).toEqual(expected);
  });

  it.each([
    ["a quota's token", PLAIN, { _quota_continue: 'q' }, { params: {}, quotaContinue: 'q' }],
    ['a condition where updates merge', MERGING, { if_match: { a: 1 } }, { params: {}, ifMatch: { a: 1 } }],
    ['null as a condition', MERGING, { if_match: null }, { params: {}, ifMatch: null }],
    ['no condition where updates do not merge', PLAIN, { if_match: 'v' }, { params: { if_match: 'v' } }],
  ])('takes %s', (_what, operation, params, expected) => {
    expect(takeDirectives(operation, params, () => true)).toEqual(expected);
  });

  it('returns the same object when there is nothing to take', () => {
    const params = { a: 1 };
    expect(takeDirectives(PLAIN, params, () => true).params).toBe(params);
  });

  it.each([
    ['a number', { _confirmation: 7 }, 'VALIDATION_INVALID_TYPE'],
    ['a list', { confirmation_token: ['c'] }, 'VALIDATION_INVALID_TYPE'],
    ['two different tokens', { _confirmation: 'a', confirmation_token: 'b' }, 'VALIDATION_INVALID_VALUE'],
  ])('refuses %s', (_what, params, code) => {
    expect(() => takeDirectives(PLAIN, params, () => true)).toThrow(expect.objectContaining({ code }));
  });

  it("leaves 'confirmation_token' among the parameters where no call can be asked to be confirmed", () => {
    const params = { a: 1, confirmation_token: 'c' };
    expect(takeDirectives(PLAIN, params, () => false)).toEqual({ params });
  });

  it.each([
    [{ _confirmaton: 'c' }, "'_confirmaton' (did you mean '_confirmation'?)"],
    [{ _quota_continued: 'c' }, "'_quota_continued' (did you mean '_quota_continue'?)"],
    [{ _if_match: 'c' }, "'_if_match' (did you mean 'if_match'?)"],
  ])('refuses %j, which would pass for metadata, and names what is meant', (params, hint) => {
    expect(() => takeDirectives(PLAIN, params, () => true)).toThrow(hint);
  });

  it.each([{ _meta: {} }, { _request_id: '7' }, { _trace: 'x' }, { _client: 'x' }, { _session_id: 'x' }])(
    'leaves %j alone, which is metadata',
    (params) => {
      expect(takeDirectives(PLAIN, params, () => true)).toEqual({ params });
    },
  );
});

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
