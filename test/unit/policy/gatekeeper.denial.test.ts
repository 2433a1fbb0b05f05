import { describe, expect, it } from 'vitest';
import { denyByDecision } from '../../../src/policy/gatekeeper.js';
import type { DangerLevel, TrustLevel } from '../../../src/protocol/operation.js';
import { aBook, aRule, NOBODY, rated } from './rules/a-rule.js';

function denialBy(book: ReturnType<typeof aBook>, danger: DangerLevel) {
  const operation = rated(danger);
  return denyByDecision(operation, book.decide(operation, {}, NOBODY)).toFailure().error;
}

describe('a denial', () => {
  it.each<[danger: DangerLevel, trust: TrustLevel, needed: TrustLevel]>([
    ['safe', 'untested', 'generated'],
    ['reversible', 'generated', 'validated'],
  ])('of a %s operation asks for trust', (danger, trust, needed) => {
    expect(denialBy(aBook([], trust), danger)).toEqual({
      code: 'PERMISSION_TRUST_LEVEL_INSUFFICIENT',
      message: `Operation 'run_job' requires trust level '${needed}', adapter has '${trust}'. Do not retry: the operator has to trust upstream 'demo' as '${needed}' or higher, or to name this operation in a policy rule`,
      details: { operation: 'run_job', required_trust: needed, actual_trust: trust, danger_level: danger },
    });
  });

  it.each<[danger: DangerLevel, trust: TrustLevel, needed: TrustLevel]>([
    ['destructive', 'generated', 'validated'],
    ['dangerous', 'validated', 'community_reviewed'],
    ['forbidden', 'validated', 'certified'],
  ])('of a %s operation names the danger', (danger, trust, needed) => {
    expect(denialBy(aBook([], trust), danger)).toEqual({
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
  ])('by a rule with the reason %j gives it', (reason, told) => {
    const book = aBook([aRule({ name: 'freeze', ...(reason !== undefined && { reason }) })]);
    expect(denialBy(book, 'safe')).toEqual({
      code: 'PERMISSION_DENIED',
      message: `Permission denied: '${told}'. Do not retry it as it is; rule 'freeze' is the operator's to change`,
      details: { operation: 'run_job', reason: told, rule: 'freeze' },
    });
  });

  it('by the read-only switch says what runs', () => {
    expect(denialBy(aBook([], 'certified', true), 'safe')).toEqual({
      code: 'PERMISSION_DENIED',
      message:
        "Permission denied: 'this gateway is read-only'. Do not retry: 'run_job' is EXECUTE, and READ operations alone run here",
      details: { operation: 'run_job', reason: 'this gateway is read-only' },
    });
  });
});
