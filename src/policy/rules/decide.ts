import { type DangerLevel, type Operation, TRUST_LEVELS, type TrustLevel } from '../../base/protocol/operation.js';
import { type Decision, strictnessOf, whenRuns } from '../../base/protocol/policy-decision.js';
import type { PolicyRule } from '../../config/policy-config.js';
import type { PolicyDecision } from './policy-types.js';

/** What is known about an operation before any rule applies. */
export interface RuleSubject {
  readonly operation: Operation;
  readonly trust: TrustLevel;
  readonly readOnly: boolean;
}

/** A rule that takes effect, and whether it replaces the trust matrix's decision. */
export interface EffectiveRule {
  readonly rule: PolicyRule;
  readonly lifts: boolean;
}

/**
 * Deny beats confirm beats allow, over the rules that take effect, the trust matrix and what the operation's curation demands;
 * the matrix does not count where a rule lifts it. The order of the rules has no effect, not even on which of them is named.
 */
export function decide(subject: RuleSubject, rules: readonly EffectiveRule[]): PolicyDecision {
  const { operation, trust, readOnly } = subject;
  const danger = operation.classification.danger.level;
  if (readOnly && operation.classification.category !== 'READ') {
    return decisionOf({ effect: 'deny', by: 'read-only', danger, trust });
  }
  const base: readonly Decision[] = rules.some(({ lifts }) => lifts) ? [] : [matrixDecision(subject)];
  const declared: readonly Decision[] = operation.requiresReauth === true ? ['confirm'] : [];
  const effect = strictest([...base, ...declared, ...rules.map(({ rule }) => rule.decision)]);
  const deciding = rules.filter(({ rule }) => rule.decision === effect);
  const named = deciding.toSorted(compareWeight)[0]?.rule;
  return decisionOf({
    effect,
    by: named !== undefined ? 'rule' : base.includes(effect) ? 'matrix' : 'operation',
    ...(named !== undefined && { rule: named.name, reason: named.reason ?? null }),
    ...(whenRuns(effect) === 'when agreed' && agreement(operation, deciding)),
    danger,
    trust,
  });
}

export function matrixDecision({ operation, trust }: RuleSubject): Decision {
  return TRUST_MATRIX[trust][operation.classification.danger.level];
}

function decisionOf(
  known: Pick<PolicyDecision, 'effect' | 'by' | 'danger' | 'trust'> & Partial<PolicyDecision>,
): PolicyDecision {
  return Object.freeze({ requires: 'token', cooldownSeconds: 0, rule: null, reason: null, ...known });
}

function agreement({ cooldownSeconds = 0, requiresReauth = false }: Operation, deciding: readonly EffectiveRule[]) {
  return {
    requires: requiresReauth || deciding.some(({ rule }) => rule.requires === 'human') ? 'human' : 'token',
    cooldownSeconds: Math.max(cooldownSeconds, ...deciding.map(({ rule }) => rule.cooldownSeconds ?? 0)),
  } as const;
}

function strictest(decisions: readonly Decision[]): Decision {
  return decisions.reduce((one, other) => (strictnessOf(other) > strictnessOf(one) ? other : one), 'allow');
}

/** The rule that requires most is named; then one that lifts the matrix; then the first by name. */
function compareWeight(a: EffectiveRule, b: EffectiveRule): number {
  return (
    Number(b.rule.requires === 'human') - Number(a.rule.requires === 'human') ||
    (b.rule.cooldownSeconds ?? 0) - (a.rule.cooldownSeconds ?? 0) ||
    Number(b.lifts) - Number(a.lifts) ||
    (a.rule.name < b.rule.name ? -1 : 1)
  );
}

/**
 * The decision for a call of some danger on an upstream of some trust (companion document "danger levels", gating matrix).
 * An untested upstream cannot be called; introspection, which the gateway answers itself, still describes it.
 */
export const TRUST_MATRIX = {
  untested: { safe: 'deny', reversible: 'deny', destructive: 'deny', dangerous: 'deny', forbidden: 'deny' },
  generated: { safe: 'allow', reversible: 'deny', destructive: 'deny', dangerous: 'deny', forbidden: 'deny' },
  validated: { safe: 'allow', reversible: 'allow', destructive: 'confirm', dangerous: 'deny', forbidden: 'deny' },
  community_reviewed: {
    safe: 'allow',
    reversible: 'allow',
    destructive: 'allow',
    dangerous: 'confirm',
    forbidden: 'deny',
  },
  certified: { safe: 'allow', reversible: 'allow', destructive: 'allow', dangerous: 'allow', forbidden: 'confirm' },
} as const satisfies Record<TrustLevel, Record<DangerLevel, Decision>>;

/** The lowest trust level at which the matrix does not deny a call of this danger. */
export function minimumTrustFor(danger: DangerLevel): TrustLevel {
  return TRUST_LEVELS.find((trust) => whenRuns(TRUST_MATRIX[trust][danger]) !== 'never') ?? 'certified';
}
