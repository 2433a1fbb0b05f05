import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/config/gateway-config.js';
import { minimumTrustFor, TRUST_MATRIX } from '../../../../src/policy/rules/decide.js';
import { DANGER_LEVELS, type DangerLevel, TRUST_LEVELS, type TrustLevel } from '../../../../src/protocol/operation.js';
import { ANONYMOUS, anEngine, rated } from './an-engine.js';

/** The specification's table, row by row. */
const TABLE: readonly (readonly [DangerLevel, ...Decision[]])[] = [
  //              untested  generated  validated  community_reviewed  certified
  ['safe', 'deny', 'allow', 'allow', 'allow', 'allow'],
  ['reversible', 'deny', 'deny', 'allow', 'allow', 'allow'],
  ['destructive', 'deny', 'deny', 'confirm', 'allow', 'allow'],
  ['dangerous', 'deny', 'deny', 'deny', 'confirm', 'allow'],
  ['forbidden', 'deny', 'deny', 'deny', 'deny', 'confirm'],
];

const CELLS = TABLE.flatMap(([danger, ...row]) =>
  row.map((decision, column): [DangerLevel, TrustLevel, Decision] => [danger, TRUST_LEVELS[column]!, decision]),
);

describe('the trust matrix', () => {
  it('has a cell for each danger and trust', () => {
    expect(CELLS).toHaveLength(DANGER_LEVELS.length * TRUST_LEVELS.length);
  });

  it.each(CELLS)('decides a %s call on a %s upstream with %s', (danger, trust, decision) => {
    expect(TRUST_MATRIX[trust][danger]).toBe(decision);
    expect(anEngine([], trust).decide(rated(danger), {}, ANONYMOUS)).toEqual({
      effect: decision,
      requires: 'token',
      cooldownSeconds: 0,
      rule: null,
      by: 'matrix',
      reason: null,
      danger,
      trust,
    });
  });

  it.each([
    ['safe', 'generated'],
    ['reversible', 'validated'],
    ['destructive', 'validated'],
    ['dangerous', 'community_reviewed'],
    ['forbidden', 'certified'],
  ] as const)('denies %s calls below the trust level %s', (danger, trust) => {
    expect(minimumTrustFor(danger)).toBe(trust);
  });
});
