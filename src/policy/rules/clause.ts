import type { PolicyRule } from '../../config/gateway-config.js';
import { allOf, type Match } from '../../lib/glob.js';
import type { JsonObject } from '../../protocol/json.js';
import { GATEWAY_SOURCE, type Operation, TRUST_LEVELS, type TrustLevel } from '../../protocol/operation.js';

/** A call, as far as rules look into it. */
export interface RuledCall {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling. */
  readonly args: JsonObject;
  /** The authenticated client's name. */
  readonly client: string | undefined;
}

/** One thing that a rule asks of its subject. */
export interface Clause<Subject> {
  match(subject: Subject): Match;
  /** In words, why it came out so. */
  explain(subject: Subject, match: Match): string;
}

export function matchClauses<Subject>(clauses: readonly Clause<Subject>[], subject: Subject): Match {
  let match: Match = 'yes';
  for (const clause of clauses) {
    match = allOf([match, clause.match(subject)]);
    if (match === 'no') break;
  }
  return match;
}

/** Doubt is strict: it counts for a rule that restricts, and not for one that allows. */
export function takesEffect({ decision }: PolicyRule, match: Match): boolean {
  return match === 'yes' || (match === 'doubt' && decision !== 'allow');
}

/**
 * Whether a rule vouches for exactly this: it names the danger level, or the operation without any wildcard. Only then, and
 * only beyond doubt, does its decision stand in for the trust matrix's.
 *
 * A bare name may pass to another upstream while its first owner is away. It vouches for upstreams that the operator has
 * vouched for already; others must be named.
 */
export function liftsMatrix(rule: PolicyRule, operation: Operation, trust: TrustLevel, match: Match): boolean {
  if (rule.decision === 'deny' || match !== 'yes') return false;
  if (rule.match.danger?.includes(operation.classification.danger.level) === true) return true;
  if (rule.match.operation?.includes(operation.qualifiedName) === true) return true;
  const isVouchedFor = TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf(VOUCHED_FOR);
  return namesExactly(rule, operation) && (isVouchedFor || rule.match.upstream?.includes(operation.upstream) === true);
}

/** What naming an upstream in the configuration means, unless it says otherwise. */
const VOUCHED_FOR: TrustLevel = 'validated';

/** A rule for `*` must not shut a model out of discovery: built-in READ operations are ruled by their names alone. */
export function sparesDiscovery(rule: PolicyRule, operation: Operation): boolean {
  const { upstream, classification } = operation;
  return upstream === GATEWAY_SOURCE && classification.category === 'READ' && !namesExactly(rule, operation);
}

/** Names hold no wildcards, so a pattern that equals one has none either. */
function namesExactly({ match }: PolicyRule, { name, qualifiedName }: Operation): boolean {
  return match.operation?.some((pattern) => pattern === name || pattern === qualifiedName) === true;
}
