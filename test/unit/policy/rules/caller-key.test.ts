import { describe, expect, it } from 'vitest';
import type { Caller, CallerIdentity } from '../../../../src/base/protocol/caller.js';
import { keyOfCaller, ownerOf } from '../../../../src/policy/rules/caller-key.js';
import { describeActor } from '../../../../src/policy/rules/gatekeeper.js';

const callerWith = (identity: CallerIdentity): Caller => ({
  sessionId: 's1',
  clientName: 'label',
  transport: 'http',
  ...identity,
});

describe('a caller', () => {
  it.each([
    [{}, 'session/s1', 's1'],
    [{ client: 'ci' }, 'client/ci', 'client:ci'],
    [{ client: 'corp:app', user: 'corp:alice' }, 'user/corp:alice', 'user:corp:alice'],
    [{ user: 'corp:alice' }, 'user/corp:alice', 'user:corp:alice'],
  ])('that is %j is counted as %s, and its questions belong to %s', (identity, key, owner) => {
    const caller = callerWith(identity);
    expect([keyOfCaller(caller), ownerOf(caller)]).toEqual([key, owner]);
  });

  it('is recorded with its client and its user', () => {
    const actor = describeActor(callerWith({ client: 'corp:app', user: 'corp:alice', groups: ['staff'] }));
    expect(actor).toEqual({
      session: 's1',
      client: 'corp:app',
      user: 'corp:alice',
      client_name: 'label',
      transport: 'http',
    });
  });
});
