import { DECISIONS, type Decision, type PolicyRule } from '../../config/gateway-config.js';
import { type DangerLevel, type Operation, TRUST_LEVELS, type TrustLevel } from '../../protocol/operation.js';
import type { PolicyDecision } from './rule-types.js';

/** What is known of an operation before any rule is asked. */
export interface RuleSubject {
  readonly operation: Operation;
  readonly trust: TrustLevel;
  readonly readOnly: boolean;
}

/** A rule that takes effect, and whether it stands in for the trust matrix. */
export interface EffectiveRule {
  readonly rule: PolicyRule;
  readonly lifts: boolean;
}

/**
 * Deny beats confirm beats allow, over the rules that take effect and the trust matrix; the matrix is left out where a rule lifts
 * it. The order of the rules decides nothing, not even which of them is named.
 */
export function decide(subject: RuleSubject, rules: readonly EffectiveRule[]): PolicyDecision {
  const { operation, trust, readOnly } = subject;
  const danger = operation.classification.danger.level;
  if (readOnly && operation.classification.category !== 'READ') {
    return decisionOf({ effect: 'deny', by: 'read-only', danger, trust });
  }
  const base: readonly Decision[] = rules.some(({ lifts }) => lifts) ? [] : [matrixDecision(subject)];
  const effect = strictest([...base, ...rules.map(({ rule }) => rule.decision)]);
  const deciding = rules.filter(({ rule }) => rule.decision === effect);
  const named = deciding.toSorted(compareWeight)[0]?.rule;
  return decisionOf({
    effect,
    by: named === undefined ? 'matrix' : 'rule',
    ...(named !== undefined && { rule: named.name, reason: named.reason ?? null }),
    ...(effect === 'confirm' && agreement(operation, deciding)),
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

function agreement({ cooldownSeconds = 0 }: Operation, deciding: readonly EffectiveRule[]) {
  return {
    requires: deciding.some(({ rule }) => rule.requires === 'human') ? 'human' : 'token',
    cooldownSeconds: Math.max(cooldownSeconds, ...deciding.map(({ rule }) => rule.cooldownSeconds ?? 0)),
  } as const;
}

function strictest(decisions: readonly Decision[]): Decision {
  const ranks = decisions.map((decision) => DECISIONS.indexOf(decision));
  return DECISIONS[Math.max(0, ...ranks)] ?? 'deny';
}

/** The rule that asks for most is named; then one that lifts the matrix; then the first by name. */
function compareWeight(a: EffectiveRule, b: EffectiveRule): number {
  return (
    Number(b.rule.requires === 'human') - Number(a.rule.requires === 'human') ||
    (b.rule.cooldownSeconds ?? 0) - (a.rule.cooldownSeconds ?? 0) ||
    Number(b.lifts) - Number(a.lifts) ||
    (a.rule.name < b.rule.name ? -1 : 1)
  );
}

/**
 * What a call of some danger may do on an upstream of some trust (companion document "danger levels", gating matrix).
 * An untested upstream may be looked at by introspection, which is the gateway's own, and not be called at all.
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

/** The least trust under which a call of this danger is not denied outright. */
export function minimumTrustFor(danger: DangerLevel): TrustLevel {
  return TRUST_LEVELS.find((trust) => TRUST_MATRIX[trust][danger] !== 'deny') ?? 'certified';
}
