import { describe, expect, it } from 'vitest';
import type { OperationHandler } from '../../../src/base/protocol/call.js';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import { createGovernedRead } from '../../../src/gateway/handlers.js';
import type { Gatekeeper } from '../../../src/policy/rules/policy-types.js';
import { anOperation } from '../../support/an-operation.js';
import { aCall } from './interceptor/held-interceptor.js';

const READ = aCall(anOperation({ name: 'get_item' }));

/** A governed read, and what happened in order. */
function govern(admit: () => void) {
  const events: string[] = [];
  const inner: OperationHandler = async () => {
    events.push('read');
    return { data: 1 };
  };
  const gatekeeper: Gatekeeper = {
    admit: () => {
      events.push('admit');
      admit();
      return { outcome: 'allowed' };
    },
    staticDecision: () => ({ effect: 'allow', requires: 'token', conditional: false }),
    recall: async () => undefined,
    recallOperation: async () => undefined,
  };
  const read = createGovernedRead(inner, {
    gatekeeper,
    quota: {
      isIdle: false,
      charge: async () => {
        events.push('charge');
        return { warnings: [], settle: () => undefined };
      },
      chargeParts: async () => undefined,
      chargeRepeat: async () => true,
      noteLimits: () => undefined,
      status: async () => ({}),
    },
    recordCall: ({ code }) => events.push(`record ${code}`),
  });
  return { events, read };
}

describe('a read that the gateway makes for a caller', () => {
  it('is decided, charged, made and recorded', async () => {
    const { events, read } = govern(() => undefined);
    await read(READ);
    expect(events).toEqual(['admit', 'charge', 'read', 'record OK']);
  });

  it.each([
    ['denied', new OperationError('PERMISSION_DENIED', "Permission denied: 'rule'"), /rule/],
    ['asked about', new OperationError('CONFIRMATION_REQUIRED', 'token'), /needs a confirmation of its own/],
  ])('is not made where it is %s, and the refusal is recorded', async (_what, thrown, message) => {
    const { events, read } = govern(() => {
      throw thrown;
    });
    await expect(read(READ)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringMatching(message),
    });
    expect(events).toEqual(['admit', 'record PERMISSION_DENIED']);
  });
});
