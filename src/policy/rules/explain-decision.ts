import { statementVerdict } from '../../catalog/proven-read.js';
import type { Decision } from '../../config/policy-config.js';
import { allOf, type Match } from '../../lib/glob.js';
import { dangerRank } from '../../protocol/operation.js';
import { type CallSubject, type Clause, exemptsDiscovery, liftsMatrix, takesEffect } from './clause.js';
import type { CompiledRule } from './conditions.js';
import { matrixDecision, minimumTrustFor, type RuleSubject } from './decide.js';
import type { Explanation, PolicyDecision, RuleTrace } from './rule-types.js';

interface Reading {
  readonly match: Match;
  readonly why: string;
}

/** A traced rule, and whether it replaces the trust matrix's decision. */
interface Trace extends RuleTrace {
  readonly lifts: boolean;
}

/** Explains a decision in words: every rule in its order, then the trust matrix, then the result. */
export function explainDecision(
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
    matrix: { decision: base, lifted: base !== 'allow' && traces.some(({ lifts }) => lifts) },
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
  return decision === 'allow'
    ? '; when in doubt, a rule that allows does not match'
    : `; when in doubt, a rule that ${decision === 'deny' ? 'denies' : 'confirms'} matches`;
}

/** A note on a rule that has an effect only if it lifts the matrix. */
function noteMatrix(decision: Decision, match: Match, base: Decision, lifts: boolean): string {
  const isWeaker = decision === 'allow' ? base !== 'allow' : decision === 'confirm' && base === 'deny';
  if (!isWeaker || match === 'no') return '';
  if (lifts) return `; it replaces the decision of the trust matrix, which is ${base}`;
  if (match === 'doubt') return '; the trust matrix holds';
  const verb = decision === 'allow' ? 'allows' : 'confirms';
  return `; it ${verb}, but names neither the danger level nor this operation exactly, so the trust matrix holds`;
}

const OUTCOMES: Readonly<Record<Decision, string>> = {
  allow: 'Allowed',
  confirm: 'Needs confirmation',
  deny: 'Denied',
};

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
  return decision === 'deny' ? ` (at least '${minimumTrustFor(danger)}' is needed)` : '';
}

function summarize(call: CallSubject, decision: PolicyDecision): string {
  const agreement = decision.effect === 'confirm' ? ` ${describeAgreement(decision)}` : '';
  return `${OUTCOMES[decision.effect]}${agreement} ${SOURCES[decision.by](call, decision)}`;
}

function describeAgreement({ requires, cooldownSeconds }: PolicyDecision): string {
  const who = requires === 'human' ? 'by a person' : 'with a token';
  return cooldownSeconds === 0 ? who : `${who}, ${cooldownSeconds} s after the question at the earliest,`;
}
