import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { decode } from '../../../../src/gateway/pipeline/decode.js';
import type { Snapshot } from '../../../../src/gateway/pipeline/snapshot.js';
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
