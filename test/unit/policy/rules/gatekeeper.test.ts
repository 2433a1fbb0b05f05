import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { DangerLevel, TrustLevel } from '../../../../src/base/protocol/operation.js';
import { type AuditEvent, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { createGatekeeper, denyByDecision } from '../../../../src/policy/rules/gatekeeper.js';
import type { PolicyDecision, PolicyRequest } from '../../../../src/policy/rules/policy-types.js';
import { anOperation } from '../../../support/an-operation.js';
import { ANONYMOUS, anEngine, aRule, rated } from './an-engine.js';

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

function gatekeeperWith(decision: Partial<PolicyDecision>, accepts: () => boolean | Promise<boolean> = () => true) {
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
    recall: async () => undefined,
    recallOperation: async () => undefined,
    confirm: async (_request, given) => {
      asked.push(given);
      return { outcome: 'confirmed', tokenId: 't', by: 'token' };
    },
    audit: { ...noAuditTrail, accept: (event) => (records.push(event) > 0 ? accepts() : false) },
    redact: (_operation, args) => ({ ...args, password: '[redacted]' }),
  });
  return { gatekeeper, records, asked };
}

describe('the gatekeeper', () => {
  it('permits an allowed call synchronously and records nothing', () => {
    const { gatekeeper, records } = gatekeeperWith({});
    expect(gatekeeper.admit(REQUEST)).toEqual({ outcome: 'allowed' });
    expect(records).toEqual([]);
  });

  it('records the permission of a destructive call', () => {
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

  it('does not permit a destructive call whose record is not kept, and waits while the journal is full', async () => {
    const permitted = (accepted: boolean | Promise<boolean>) => {
      const { gatekeeper } = gatekeeperWith({ danger: 'destructive' }, () => accepted);
      return gatekeeper.admit(REQUEST);
    };
    expect(() => permitted(false)).toThrow(
      expect.objectContaining({
        code: 'INTERNAL_ERROR',
        message: expect.stringContaining('audit journal cannot be written'),
      }),
    );
    await expect(permitted(Promise.resolve(false))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(await permitted(Promise.resolve(true))).toEqual({ outcome: 'allowed' });
  });

  it('refuses a denied call and records the denial', () => {
    const { gatekeeper, records } = gatekeeperWith({ effect: 'deny', by: 'rule', rule: 'freeze', reason: 'frozen' });
    expect(() => gatekeeper.admit(REQUEST)).toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED', details: expect.objectContaining({ rule: 'freeze' }) }),
    );
    expect(records).toMatchObject([
      { type: 'decision', outcome: 'denied', code: 'PERMISSION_DENIED', rule: 'freeze', reason: 'frozen' },
    ]);
  });

  it('passes a call that needs agreement to confirmation', async () => {
    const { gatekeeper, asked } = gatekeeperWith({ effect: 'confirm', requires: 'human', cooldownSeconds: 5 });
    await expect(gatekeeper.admit(REQUEST)).resolves.toMatchObject({ outcome: 'confirmed' });
    expect(asked).toMatchObject([{ requires: 'human', cooldownSeconds: 5 }]);
  });
});

function denialBy(engine: ReturnType<typeof anEngine>, danger: DangerLevel) {
  const operation = rated(danger);
  return denyByDecision(operation, engine.decide(operation, {}, ANONYMOUS)).toFailure().error;
}

describe('a denial', () => {
  it.each<[danger: DangerLevel, trust: TrustLevel, needed: TrustLevel]>([
    ['safe', 'untested', 'generated'],
    ['reversible', 'generated', 'validated'],
  ])('of a %s operation on a %s upstream names the required trust level %s', (danger, trust, needed) => {
    expect(denialBy(anEngine([], trust), danger)).toEqual({
      code: 'PERMISSION_TRUST_LEVEL_INSUFFICIENT',
      message: `Operation 'run_job' requires trust level '${needed}', adapter has '${trust}'. Do not retry: the operator has to trust upstream 'demo' as '${needed}' or higher, or to name this operation in a policy rule`,
      details: { operation: 'run_job', required_trust: needed, actual_trust: trust, danger_level: danger },
    });
  });

  it.each<[danger: DangerLevel, trust: TrustLevel, needed: TrustLevel]>([
    ['destructive', 'generated', 'validated'],
    ['dangerous', 'validated', 'community_reviewed'],
    ['forbidden', 'validated', 'certified'],
  ])('of a %s operation on a %s upstream names the danger and the required trust level %s', (danger, trust, needed) => {
    expect(denialBy(anEngine([], trust), danger)).toEqual({
      code: 'PERMISSION_DANGER_LEVEL_DENIED',
      message: `Operation 'run_job' (danger: ${danger}) denied for adapter trust level '${trust}'. Do not retry: the operator has to trust upstream 'demo' as '${needed}' or higher, or to name this operation in a policy rule`,
      details: {
        operation: 'run_job',
        danger_level: danger,
        adapter_trust: trust,
        minimum_trust_required: needed,
        reasons: ['it says so'],
      },
    });
  });

  it.each([
    ['Production is frozen until Monday.', 'Production is frozen until Monday.'],
    [undefined, 'a rule of the operator denies this call'],
  ])('by a rule with the reason %j says %j', (reason, expected) => {
    const engine = anEngine([aRule({ name: 'freeze', ...(reason !== undefined && { reason }) })]);
    expect(denialBy(engine, 'safe')).toEqual({
      code: 'PERMISSION_DENIED',
      message: `Permission denied: '${expected}'. Do not retry it as it is; only the operator can change rule 'freeze'`,
      details: { operation: 'run_job', reason: expected, rule: 'freeze' },
    });
  });

  it('on a read-only gateway says that only READ operations run', () => {
    expect(denialBy(anEngine([], 'certified', true), 'safe')).toEqual({
      code: 'PERMISSION_DENIED',
      message:
        "Permission denied: 'this gateway is read-only'. Do not retry: 'run_job' is EXECUTE, and only READ operations run here",
      details: { operation: 'run_job', reason: 'this gateway is read-only' },
    });
  });
});
