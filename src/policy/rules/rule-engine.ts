import type { PolicyConfig } from '../../config/gateway-config.js';
import { allOf, type Match } from '../../lib/glob.js';
import { GATEWAY_SOURCE, type Operation, type TrustLevel } from '../../protocol/operation.js';
import type { Outlook } from '../admission.js';
import { liftsMatrix, matchClauses, type RuledCall, sparesDiscovery, takesEffect } from './clause.js';
import { type CompiledRule, compileRules } from './conditions.js';
import { decide, type EffectiveRule, type Standing } from './decide.js';
import { explainRuling } from './explain-ruling.js';
import type { RuleBook, Ruling } from './rule-types.js';

/** What is found out about an operation at its first call. */
interface Plan {
  readonly standing: Standing;
  /** Rules that take effect for every call. */
  readonly always: readonly EffectiveRule[];
  /** Rules that a call's client or parameters decide about, with what the operation makes of them. */
  readonly conditional: readonly (CompiledRule & { readonly match: Match })[];
  /** What holds where none of the conditional rules takes effect. */
  readonly settled: Ruling;
  readonly outlook: Outlook;
}

/**
 * Holds the rules over the trust matrix. Operations never change, so each is held against the rules once and forgotten with its
 * catalog; most calls then cost one look-up.
 * @param trustOf the trust of an upstream by slug, the same for the life of the book; not asked for the gateway's own operations
 */
export function createRuleBook(
  policy: Pick<PolicyConfig, 'readOnly' | 'rules'>,
  trustOf: (upstreamSlug: string) => TrustLevel,
): RuleBook {
  const rules = compileRules(policy.rules);
  const plans = new WeakMap<Operation, Plan>();

  const planOf = (operation: Operation): Plan => {
    const known = plans.get(operation);
    if (known !== undefined) return known;
    const trust = operation.upstream === GATEWAY_SOURCE ? 'certified' : trustOf(operation.upstream);
    const plan = makePlan(rules, { operation, trust, readOnly: policy.readOnly });
    plans.set(operation, plan);
    return plan;
  };
  const ruleOn: RuleBook['ruleOn'] = (operation, args, { client }) => {
    const plan = planOf(operation);
    return plan.conditional.length === 0 ? plan.settled : ruleOnCall(plan, { operation, args, client });
  };

  return {
    ruleOn,
    outlook: (operation) => planOf(operation).outlook,
    explain: (operation, args, caller) => {
      const ruling = ruleOn(operation, args, caller);
      return explainRuling(rules, planOf(operation).standing, { operation, args, client: caller.client }, ruling);
    },
  };
}

function makePlan(rules: readonly CompiledRule[], standing: Standing): Plan {
  const { operation } = standing;
  const matched = rules
    .filter(({ rule }) => !sparesDiscovery(rule, operation))
    .map((compiled) => ({ ...compiled, match: matchClauses(compiled.ofOperation, operation) }))
    .filter(({ rule, match }) => takesEffect(rule, match));
  const conditional = matched.filter(({ ofCall }) => ofCall.length > 0);
  const always = matched
    .filter(({ ofCall }) => ofCall.length === 0)
    .map(({ rule, match }) => ({ rule, lifts: liftsMatrix(rule, operation, standing.trust, match) }));
  const settled = decide(standing, always);
  return { standing, always, conditional, settled, outlook: outlookOf(standing, always, conditional, settled) };
}

function ruleOnCall({ standing, always, conditional, settled }: Plan, call: RuledCall): Ruling {
  const effective = conditional.flatMap(({ rule, ofCall, match: ofOperation }): readonly EffectiveRule[] => {
    const match = allOf([ofOperation, matchClauses(ofCall, call)]);
    return takesEffect(rule, match) ? [{ rule, lifts: liftsMatrix(rule, call.operation, standing.trust, match) }] : [];
  });
  return effective.length === 0 ? settled : decide(standing, [...always, ...effective]);
}

/** Whether the rules may decide otherwise: several together change nothing that none of them changes alone. */
function outlookOf(
  standing: Standing,
  always: readonly EffectiveRule[],
  conditional: Plan['conditional'],
  { decision, requires }: Ruling,
): Outlook {
  const changes = ({ rule, match }: Plan['conditional'][number]): boolean => {
    const effective = { rule, lifts: liftsMatrix(rule, standing.operation, standing.trust, match) };
    const ruling = decide(standing, [...always, effective]);
    return ruling.decision !== decision || ruling.requires !== requires;
  };
  return Object.freeze({ decision, requires, conditional: conditional.some(changes) });
}
