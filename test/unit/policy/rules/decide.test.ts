import { describe, expect, it } from 'vitest';
import {
  DANGER_LEVELS,
  type DangerLevel,
  TRUST_LEVELS,
  type TrustLevel,
} from '../../../../src/base/protocol/operation.js';
import type { Decision } from '../../../../src/base/protocol/policy-decision.js';
import { minimumTrustFor, TRUST_MATRIX } from '../../../../src/policy/rules/decide.js';
import { ANONYMOUS, anEngine, aRule, rated } from './an-engine.js';

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

describe('an operation that requires reauthentication', () => {
  const reauth = rated('safe', { requiresReauth: true });

  it('needs a person for each call, whatever the matrix and the rules allow', () => {
    const allowing = aRule({ name: 'all', decision: 'allow', match: { operation: ['run_job'] } });
    const token = aRule({ name: 'ask', decision: 'confirm', requires: 'token' });
    expect(anEngine([], 'certified').decide(reauth, {}, ANONYMOUS)).toMatchObject({
      effect: 'confirm',
      requires: 'human',
      by: 'operation',
    });
    expect(anEngine([allowing]).decide(reauth, {}, ANONYMOUS)).toMatchObject({ effect: 'confirm', requires: 'human' });
    expect(anEngine([token]).decide(reauth, {}, ANONYMOUS)).toMatchObject({ requires: 'human', rule: 'ask' });
  });

  it('stays denied where the matrix, a rule or the read-only switch denies it', () => {
    expect(anEngine([], 'untested').decide(reauth, {}, ANONYMOUS)).toMatchObject({ effect: 'deny', by: 'matrix' });
    expect(anEngine([aRule()]).decide(reauth, {}, ANONYMOUS)).toMatchObject({ effect: 'deny', by: 'rule' });
    expect(anEngine([], 'certified', true).decide(reauth, {}, ANONYMOUS)).toMatchObject({ by: 'read-only' });
  });

  it('is explained by its declaration', () => {
    expect(anEngine([], 'certified').explain(reauth, {}, ANONYMOUS).summary).toBe(
      "Needs confirmation by a person as 'run_job' is declared with 'requiresReauth'",
    );
  });
});
