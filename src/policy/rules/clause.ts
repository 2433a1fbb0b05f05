import type { JsonObject } from '../../base/json/json.js';
import { allOf, type Budget, type Match } from '../../base/lib/glob.js';
import type { CallerFacts } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation, TRUST_LEVELS, type TrustLevel } from '../../base/protocol/operation.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { PolicyRule } from '../../config/policy-config.js';

/** What rules read of a call. */
export interface CallSubject {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling. */
  readonly args: JsonObject;
  readonly caller: CallerFacts;
  /** What comparing the arguments with patterns may cost, over all rules. */
  readonly budget: Budget;
}

/** One condition of a rule on its subject. */
export interface Clause<Subject> {
  match(subject: Subject): Match;
  /** The reason for the result, in words. */
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
  return match === 'yes' || (match === 'doubt' && whenRuns(decision) !== 'freely');
}

/**
 * Whether a rule names exactly this: the danger level, or the operation without any wildcard. Only then, and only without
 * doubt, its decision replaces the trust matrix's.
 *
 * A bare name may refer to another upstream while its first owner is disconnected. So it lifts the matrix only for upstreams
 * that are validated already; the rule must name others.
 */
export function liftsMatrix(rule: PolicyRule, operation: Operation, trust: TrustLevel, match: Match): boolean {
  if (whenRuns(rule.decision) === 'never' || match !== 'yes') return false;
  if (rule.match.danger?.includes(operation.classification.danger.level) === true) return true;
  if (rule.match.operation?.includes(operation.qualifiedName) === true) return true;
  const isTrusted = TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf(TRUSTED_FROM);
  return namesExactly(rule, operation) && (isTrusted || rule.match.upstream?.includes(operation.upstream) === true);
}

/** The trust of an upstream whose configuration gives none. */
const TRUSTED_FROM: TrustLevel = 'validated';

/** A rule for `*` must not block discovery: only a rule that names a built-in READ operation exactly applies to it. */
export function exemptsDiscovery(rule: PolicyRule, operation: Operation): boolean {
  const { upstream, classification } = operation;
  return upstream === GATEWAY_SOURCE && classification.category === 'READ' && !namesExactly(rule, operation);
}

/** Names hold no wildcards, so a pattern that equals one has none either. */
function namesExactly({ match }: PolicyRule, { name, qualifiedName }: Operation): boolean {
  return match.operation?.some((pattern) => pattern === name || pattern === qualifiedName) === true;
}
