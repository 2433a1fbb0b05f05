import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/audit/audit-trail.js';
import type { PolicyRequest } from '../../../src/policy/admission.js';
import { createGatekeeper } from '../../../src/policy/gatekeeper.js';
import type { PolicyDecision } from '../../../src/policy/rules/rule-types.js';
import { Cancellation } from '../../../src/protocol/cancellation.js';
import { anOperation } from '../../support/an-operation.js';

const DECISION: PolicyDecision = {
  effect: 'allow',
  requires: 'token',
  cooldownSeconds: 0,
  rule: null,
  by: 'matrix',
  reason: null,
  danger: 'safe',
  trust: 'validated',
};

const REQUEST: PolicyRequest = {
  operation: anOperation({ name: 'drop_table' }),
  arguments: { table: 'users', password: 'hunter2' },
  caller: { sessionId: 's', clientName: 'label', client: 'alice', transport: 'http' },
  cancellation: new Cancellation(),
};

function gatekeeperWith(decision: Partial<PolicyDecision>) {
  const records: AuditEvent[] = [];
  const asked: PolicyDecision[] = [];
  const whole = { ...DECISION, ...decision };
  const gatekeeper = createGatekeeper({
    rules: {
      decide: () => whole,
      staticDecision: () => ({ effect: whole.effect, requires: whole.requires, conditional: false }),
      explain: () => {
        throw new Error('not asked');
      },
    },
    confirm: async (_request, given) => {
      asked.push(given);
      return { outcome: 'confirmed', tokenId: 't', by: 'token' };
    },
    audit: { record: (event) => records.push(event), flush: async () => undefined, close: async () => undefined },
    redact: (_operation, args) => ({ ...args, password: '[redacted]' }),
  });
  return { gatekeeper, records, asked };
}

describe('the gatekeeper', () => {
  it('lets an allowed call through at once, without a promise and without a record', () => {
    const { gatekeeper, records } = gatekeeperWith({});
    expect(gatekeeper.admit(REQUEST)).toEqual({ outcome: 'allowed' });
    expect(records).toEqual([]);
  });

  it('puts on record what it lets through from destructive on', () => {
    const { gatekeeper, records } = gatekeeperWith({ danger: 'destructive', trust: 'certified' });
    expect(gatekeeper.admit(REQUEST)).toEqual({ outcome: 'allowed' });
    expect(records).toMatchObject([
      {
        type: 'decision',
        outcome: 'allowed',
        operation: 'demo__drop_table',
        trust: 'certified',
        parameters: { table: 'users', password: '[redacted]' },
        actor: { session: 's', client: 'alice', client_name: 'label', transport: 'http' },
      },
    ]);
  });

  it('refuses what is denied, and says so on record before anybody else', () => {
    const { gatekeeper, records } = gatekeeperWith({ effect: 'deny', by: 'rule', rule: 'freeze', reason: 'frozen' });
    expect(() => gatekeeper.admit(REQUEST)).toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED', details: expect.objectContaining({ rule: 'freeze' }) }),
    );
    expect(records).toMatchObject([
      { type: 'decision', outcome: 'denied', code: 'PERMISSION_DENIED', rule: 'freeze', reason: 'frozen' },
    ]);
  });

  it('hands what needs agreement to those who get it', async () => {
    const { gatekeeper, asked } = gatekeeperWith({ effect: 'confirm', requires: 'human', cooldownSeconds: 5 });
    await expect(gatekeeper.admit(REQUEST)).resolves.toMatchObject({ outcome: 'confirmed' });
    expect(asked).toMatchObject([{ requires: 'human', cooldownSeconds: 5 }]);
  });
});
