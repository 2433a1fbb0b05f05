import { riskyVariants } from '../../catalog/operation.js';
import type { PolicyConfig } from '../../config/policy-config.js';
import { allOf, type Match, matchBudget } from '../../lib/glob.js';
import { turns } from '../../lib/turns.js';
import { GATEWAY_SOURCE, type Operation, type TrustLevel } from '../../protocol/operation.js';
import type { StaticDecision } from '../admission.js';
import { type CallSubject, exemptsDiscovery, liftsMatrix, matchClauses, takesEffect } from './clause.js';
import { type CompiledRule, compileRules, rulesInView } from './conditions.js';
import { decide, type EffectiveRule, type RuleSubject } from './decide.js';
import { explainDecision } from './explain-decision.js';
import type { PolicyDecision, RuleEngine } from './rule-types.js';

/** What the rules say about an operation, computed at its first call. */
interface Plan {
  readonly subject: RuleSubject;
  /** Rules that take effect for every call. */
  readonly always: readonly EffectiveRule[];
  /** Rules that depend on a call's client or parameters, with how far the operation matches them. */
  readonly conditional: readonly (CompiledRule & { readonly match: Match })[];
  /** The decision where none of the conditional rules takes effect. */
  readonly settled: PolicyDecision;
  readonly staticDecision: StaticDecision;
}

/** The rules of one view, and what they say about operations. Views are configured, so there are few. */
interface Plans {
  readonly rules: readonly CompiledRule[];
  readonly plans: WeakMap<Operation, Plan>;
}

/**
 * Applies the rules and the trust matrix. Operations never change, so each is matched against the rules once, and the result is
 * dropped with its catalog; most calls then cost one look-up.
 * @param trustOf the trust of an upstream by slug, constant while the engine lives; not called for the gateway's own operations
 */
export function createRuleEngine(
  policy: Pick<PolicyConfig, 'readOnly' | 'rules'>,
  trustOf: (upstreamSlug: string) => TrustLevel,
): RuleEngine {
  const rules = compileRules(policy.rules);
  const createPlans = (view: string | undefined): Plans => ({ rules: rulesInView(rules, view), plans: new WeakMap() });
  const whole = createPlans(undefined);
  const views = new Map<string, Plans>();
  const openPlans = (view: string): Plans => {
    const known = views.get(view) ?? createPlans(view);
    views.set(view, known);
    return known;
  };

  const planOf = (operation: Operation, view: string | undefined): Plan => {
    const { rules: ownRules, plans } = view === undefined ? whole : openPlans(view);
    const known = plans.get(operation);
    if (known !== undefined) return known;
    const trust = operation.upstream === GATEWAY_SOURCE ? 'certified' : trustOf(operation.upstream);
    const plan = makePlan(ownRules, { operation, trust, readOnly: policy.readOnly });
    plans.set(operation, plan);
    return plan;
  };
  const decideOn: RuleEngine['decide'] = (operation, args, caller) => {
    const plan = planOf(operation, caller.view);
    if (plan.conditional.length === 0) return plan.settled;
    const budget = matchBudget();
    const before = budget.left;
    const decision = decideOnCall(plan, { operation, args, caller, budget });
    turns.spend(before - budget.left);
    return decision;
  };

  return {
    decide: decideOn,
    staticDecision: (operation, view) => planOf(operation, view).staticDecision,
    explain: (operation, args, caller) => {
      const decision = decideOn(operation, args, caller);
      const subject = { operation, args, caller, budget: matchBudget() };
      return explainDecision(rules, planOf(operation, caller.view).subject, subject, decision);
    },
  };
}

function makePlan(rules: readonly CompiledRule[], subject: RuleSubject): Plan {
  const { always, conditional } = matchRules(rules, subject);
  const settled = decide(subject, always);
  const isRisky = riskyVariants(subject.operation).some((operation) => {
    const variant = { ...subject, operation };
    return !isSameDecision(decide(variant, matchRules(rules, variant).always), settled);
  });
  return {
    subject,
    always,
    conditional,
    settled,
    staticDecision: staticDecisionOf(subject, always, conditional, settled, isRisky),
  };
}

/** The rules that concern the operation: those that take effect for every call, and those that depend on the call. */
function matchRules(rules: readonly CompiledRule[], { operation, trust }: RuleSubject) {
  const matched = rules
    .filter(({ rule }) => !exemptsDiscovery(rule, operation))
    .map((compiled) => ({ ...compiled, match: matchClauses(compiled.ofOperation, operation) }))
    .filter(({ rule, match }) => takesEffect(rule, match));
  return {
    conditional: matched.filter(({ ofCall }) => ofCall.length > 0),
    always: matched
      .filter(({ ofCall }) => ofCall.length === 0)
      .map(({ rule, match }) => ({ rule, lifts: liftsMatrix(rule, operation, trust, match) })),
  };
}

function isSameDecision(one: PolicyDecision, other: PolicyDecision): boolean {
  return one.effect === other.effect && one.requires === other.requires;
}

function decideOnCall({ subject, always, conditional, settled }: Plan, call: CallSubject): PolicyDecision {
  const effective = conditional.flatMap(({ rule, ofCall, match: ofOperation }): readonly EffectiveRule[] => {
    const match = allOf([ofOperation, matchClauses(ofCall, call)]);
    return takesEffect(rule, match) ? [{ rule, lifts: liftsMatrix(rule, call.operation, subject.trust, match) }] : [];
  });
  return effective.length === 0 ? settled : decide(subject, [...always, ...effective]);
}

/** Conditional where a risk or a single rule changes the decision: several rules together change nothing that no single one does. */
function staticDecisionOf(
  subject: RuleSubject,
  always: readonly EffectiveRule[],
  conditional: Plan['conditional'],
  settled: PolicyDecision,
  isRisky: boolean,
): StaticDecision {
  const { effect, requires } = settled;
  const changes = ({ rule, match }: Plan['conditional'][number]): boolean => {
    const decided = decide(subject, [
      ...always,
      { rule, lifts: liftsMatrix(rule, subject.operation, subject.trust, match) },
    ]);
    return !isSameDecision(decided, settled);
  };
  return Object.freeze({ effect, requires, conditional: isRisky || conditional.some(changes) });
}
