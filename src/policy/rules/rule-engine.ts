import { getOrMake } from '../../base/lib/collections.js';
import { allOf, type Match, matchBudget } from '../../base/lib/glob.js';
import { dangerRank, GATEWAY_SOURCE, type Operation, type TrustLevel } from '../../base/protocol/operation.js';
import { DECISIONS, type Decision, strictnessOf, whenRuns } from '../../base/protocol/policy-decision.js';
import { riskyVariants } from '../../catalog/operation.js';
import { statementVerdict } from '../../catalog/proven-read.js';
import type { PolicyConfig } from '../../config/policy-config.js';
import { type CallSubject, type Clause, exemptsDiscovery, liftsMatrix, matchClauses, takesEffect } from './clause.js';
import { type CompiledRule, compileRules, rulesInView } from './conditions.js';
import { decide, type EffectiveRule, matrixDecision, minimumTrustFor, type RuleSubject } from './decide.js';
import type { Explanation, PolicyDecision, RuleEngine, RuleTrace, StaticDecision } from './policy-types.js';

/** What the rules say about an operation, computed at its first call. Calls that take a risk, or whose values decide, have one of their own. */
interface Plan {
  readonly subject: RuleSubject;
  /** Rules that take effect for every call. */
  readonly always: readonly EffectiveRule[];
  /** Rules that depend on a call's client or parameters, with how far the operation matches them. */
  readonly conditional: readonly (CompiledRule & { readonly match: Match })[];
  /** The decision where none of the conditional rules takes effect. */
  readonly settled: PolicyDecision;
  /** Computed where it is asked for, as it compares every variant of the operation. */
  readonly staticDecision: () => StaticDecision;
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
  const openPlans = (view: string): Plans => getOrMake(views, view, () => createPlans(view));

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
    return decideOnCall(plan, { operation, args, caller, budget: matchBudget() });
  };

  return {
    decide: decideOn,
    staticDecision: (operation, view) => planOf(operation, view).staticDecision(),
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
  const isRisky = (): boolean =>
    riskyVariants(subject.operation).some((operation) => {
      const variant = { ...subject, operation };
      return !isSameDecision(decide(variant, matchRules(rules, variant).always), settled);
    });
  let known: StaticDecision | undefined;
  const staticDecision = (): StaticDecision => {
    known ??= staticDecisionOf({ subject, always, conditional, settled }, isRisky());
    return known;
  };
  return { subject, always, conditional, settled, staticDecision };
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
  { subject, always, conditional, settled }: Omit<Plan, 'staticDecision'>,
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

interface Reading {
  readonly match: Match;
  readonly why: string;
}

/** A traced rule, and whether it replaces the trust matrix's decision. */
interface Trace extends RuleTrace {
  readonly lifts: boolean;
}

/** Explains a decision in words: every rule in its order, then the trust matrix, then the result. */
function explainDecision(
  rules: readonly CompiledRule[],
  subject: RuleSubject,
  call: CallSubject,
  decision: PolicyDecision,
): Explanation {
  const base = matrixDecision(subject);
  const traces = rules.map((rule) => traceRule(rule, call, subject, base));
  return {
    operation: call.operation.name,
    decision,
    matrix: { decision: base, lifted: whenRuns(base) !== 'freely' && traces.some(({ lifts }) => lifts) },
    rules: traces.map(({ lifts, ...trace }) => trace),
    summary: summarize(call, decision),
  };
}

function traceRule(compiled: CompiledRule, call: CallSubject, { trust }: RuleSubject, base: Decision): Trace {
  const { rule } = compiled;
  const line = { rule: rule.name, decision: rule.decision };
  if (exemptsDiscovery(rule, call.operation)) {
    const why = `'${call.operation.name}' is how operations are found, so only a rule that names it exactly applies to it`;
    return { ...line, matches: false, why, lifts: false };
  }
  const readings = [...readAll(compiled.ofOperation, call.operation), ...readAll(compiled.ofCall, call)];
  const match = allOf(readings.map((reading) => reading.match));
  const failing = readings.find((reading) => reading.match === 'no');
  const relevant = failing === undefined ? readings : [failing];
  const words = relevant.length === 0 ? 'it applies to every call' : relevant.map(({ why }) => why).join(', and ');
  const lifts = liftsMatrix(rule, call.operation, trust, match);
  const why = `${words}${noteDoubt(rule.decision, match)}${noteMatrix(rule.decision, match, base, lifts)}`;
  return { ...line, matches: takesEffect(rule, match), why, lifts };
}

function readAll<Subject>(clauses: readonly Clause<Subject>[], subject: Subject): readonly Reading[] {
  return clauses.map((clause) => {
    const match = clause.match(subject);
    return { match, why: clause.explain(subject, match) };
  });
}

function noteDoubt(decision: Decision, match: Match): string {
  if (match !== 'doubt') return '';
  return whenRuns(decision) === 'freely'
    ? '; when in doubt, a rule that allows does not match'
    : `; when in doubt, a rule that ${DECISIONS[decision].verb} matches`;
}

/** A note on a rule that has an effect only if it lifts the matrix. */
function noteMatrix(decision: Decision, match: Match, base: Decision, lifts: boolean): string {
  if (strictnessOf(decision) >= strictnessOf(base) || match === 'no') return '';
  if (lifts) return `; it replaces the decision of the trust matrix, which is ${base}`;
  if (match === 'doubt') return '; the trust matrix holds';
  return `; it ${DECISIONS[decision].verb}, but names neither the danger level nor this operation exactly, so the trust matrix holds`;
}

const SOURCES: Readonly<Record<PolicyDecision['by'], (call: CallSubject, decision: PolicyDecision) => string>> = {
  'read-only': ({ operation }) =>
    `because the gateway is read-only and '${operation.name}' is ${operation.classification.category}`,
  rule: (_, { rule, reason }) => `by rule '${rule}'${reason === null ? '' : `: ${reason}`}`,
  operation: ({ operation }) => `as '${operation.name}' is declared with 'requiresReauth'`,
  matrix: (call, decision) =>
    `by the trust matrix: danger '${decision.danger}'${noteReasons(call, decision)} at trust '${decision.trust}'${noteTrust(decision)}`,
};

/** Why the danger is high; of a statement also why it is low, or why the statement does not count as a read. */
function noteReasons({ operation, args }: CallSubject, { danger }: PolicyDecision): string {
  const { reasons } = operation.classification.danger;
  const verdict = statementVerdict(operation, args);
  const isShown = verdict?.read === true || dangerRank(danger) >= dangerRank('destructive');
  const doubt = verdict?.read === false ? [`its statement is not proven to only read: ${verdict.why}`] : [];
  const notes = isShown ? [...reasons, ...doubt] : [];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function noteTrust({ effect: decision, danger }: PolicyDecision): string {
  return whenRuns(decision) === 'never' ? ` (at least '${minimumTrustFor(danger)}' is needed)` : '';
}

function summarize(call: CallSubject, decision: PolicyDecision): string {
  const agreement = whenRuns(decision.effect) === 'when agreed' ? ` ${describeAgreement(decision)}` : '';
  return `${DECISIONS[decision.effect].outcome}${agreement} ${SOURCES[decision.by](call, decision)}`;
}

function describeAgreement({ requires, cooldownSeconds }: PolicyDecision): string {
  const who = requires === 'human' ? 'by a person' : 'with a token';
  return cooldownSeconds === 0 ? who : `${who}, ${cooldownSeconds} s after the question at the earliest,`;
}
