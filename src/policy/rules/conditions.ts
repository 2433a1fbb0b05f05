import { anyOf, compileGlob, compileNameGlob, type Match, matchBudget, matchGlobs } from '../../base/lib/glob.js';
import { quoteValue, quoteValues } from '../../base/lib/text.js';
import type { CallerFacts } from '../../base/protocol/call.js';
import { ISSUER_SIGN } from '../../base/protocol/caller.js';
import { type Operation, restrictedNames } from '../../base/protocol/operation.js';
import { CALLER_KEYS, type CallerKey, type PolicyRule, type RuleMatch } from '../../config/policy-config.js';
import type { CallSubject, Clause } from './clause.js';
import { compileParameter } from './param-conditions.js';

/** A compiled rule: the conditions on the operation, and those that only a call can decide. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  readonly ofOperation: readonly Clause<Operation>[];
  readonly ofCall: readonly Clause<CallSubject>[];
}

/** Compiles the patterns of each rule once. */
export function compileRules(rules: readonly PolicyRule[]): readonly CompiledRule[] {
  return rules.map((rule) => ({ rule, ofOperation: compileOperation(rule.match), ofCall: compileCall(rule.match) }));
}

/** The conditions of a match on the operation. */
export function compileOperation(match: RuleMatch): readonly Clause<Operation>[] {
  return [
    ...clauseOf(match.operation, operationClause),
    ...clauseOf(match.category, (listed) => listClause('category', listed, ({ category }) => category)),
    ...clauseOf(match.danger, (listed) => listClause('danger', listed, ({ danger }) => danger.level)),
    ...clauseOf(match.upstream, (patterns) => nameClause('upstream', patterns, ({ upstream }) => [upstream])),
  ];
}

function compileCall(match: RuleMatch): readonly Clause<CallSubject>[] {
  const ofCaller = compileCaller(match).map(
    ({ match: matchCaller, explain }): Clause<CallSubject> => ({
      match: ({ caller }) => matchCaller(caller),
      explain: ({ caller }, result) => explain(caller, result),
    }),
  );
  const params = Object.entries(match.params ?? {});
  return [...ofCaller, ...params.map(([key, condition]) => compileParameter(key, condition))];
}

/** The conditions of a match on the caller. */
export function compileCaller(match: RuleMatch): readonly Clause<CallerFacts>[] {
  return CALLER_KEYS.flatMap((key) => clauseOf(match[key], (listed) => callerClause(key, listed)));
}

/** What a caller has that a condition is about, and what is said of one that has nothing of it. */
interface CallerCondition {
  readonly namesOf: (caller: CallerFacts) => readonly string[];
  readonly nameless: string;
}

/** One entry a condition on callers: one that is declared and not here does not compile. */
const CALLER_CONDITIONS: Readonly<Record<CallerKey, CallerCondition>> = {
  client: {
    namesOf: ({ client }) => toList(client),
    nameless: 'the caller is not an authenticated client, and would have to be',
  },
  user: {
    namesOf: ({ user }) => toList(user),
    nameless: 'the caller is not an authenticated user, and would have to be',
  },
  issuer: {
    namesOf: ({ user, client }) => toList(issuerOf(user ?? client)),
    nameless: 'the caller has no token of an identity provider, and would have to have one of',
  },
  group: { namesOf: ({ groups = [] }) => groups, nameless: 'the caller is in no group, and would have to be in' },
  scope: { namesOf: ({ scopes = [] }) => scopes, nameless: 'the caller has no scope, and would have to have' },
  view: { namesOf: ({ view }) => toList(view), nameless: 'the call is in no view, and would have to be in' },
};

/** Configured clients have no issuer. */
function issuerOf(name = ''): string | undefined {
  const end = name.indexOf(ISSUER_SIGN);
  return end === -1 ? undefined : name.slice(0, end);
}

function toList(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

function viewClause(listed: readonly string[]): Clause<CallerFacts> {
  return callerClause('view', listed);
}

/**
 * The rules that can hold in a view, without their conditions on it, as these hold for every call there.
 * @param view the whole where absent
 */
export function rulesInView(rules: readonly CompiledRule[], view: string | undefined): readonly CompiledRule[] {
  return rules.flatMap((compiled): readonly CompiledRule[] => {
    const { rule } = compiled;
    const [clause] = clauseOf(rule.match.view, viewClause);
    if (clause === undefined) return [compiled];
    const { view: _view, ...others } = rule.match;
    const isHere = clause.match(view === undefined ? {} : { view }) === 'yes';
    return isHere ? [{ ...compiled, ofCall: compileCall(others) }] : [];
  });
}

function clauseOf<Given, Subject>(given: Given | undefined, compile: (given: Given) => Clause<Subject>) {
  return given === undefined ? [] : [compile(given)];
}

/**
 * A bare name belongs to one operation as long as no other upstream offers it. From then on it may mean each of them, which
 * counts as doubt: otherwise an upstream could remove another's operation from a rule by offering a tool of the same name. The name
 * of a tool counts so for its parts, too: what denies or counts it reaches them, and what allows it does not.
 */
function operationClause(patterns: readonly string[]): Clause<Operation> {
  const { match, explain } = nameClause('operation', patterns, ({ name, qualifiedName }) => [name, qualifiedName]);
  const restricts = compileRestriction(patterns);
  return {
    match: (operation) => anyOf([match(operation), restricts(operation) === 'no' ? 'no' : 'doubt']),
    explain: (operation, result) =>
      result === 'doubt' && operation.partOf !== undefined
        ? `operation '${operation.name}' is a part of what ${oneOf(patterns)} names`
        : explain(operation, result),
  };
}

/** Whether one of the patterns restricts an operation, by whatever name it is reached. */
export function compileRestriction(patterns: readonly string[]): (operation: Operation) => Match {
  const globs = patterns.map(compileGlob);
  return (operation) => anyOf(restrictedNames(operation).map((name) => matchGlobs(globs, name)));
}

/** A clause that at least one of the names must match. */
function nameClause(
  noun: string,
  patterns: readonly string[],
  namesOf: (operation: Operation) => readonly [string, ...string[]],
): Clause<Operation> {
  const globs = patterns.map(compileGlob);
  return {
    match: (operation) => anyOf(namesOf(operation).map((name) => matchGlobs(globs, name))),
    explain: (operation, match) => explainName(`${noun} '${namesOf(operation)[0]}'`, patterns, match),
  };
}

/** Only what was authenticated counts; what a client calls itself does not. Of several names one has to match. */
function callerClause(noun: CallerKey, patterns: readonly string[]): Clause<CallerFacts> {
  const { namesOf, nameless } = CALLER_CONDITIONS[noun];
  const globs = patterns.map(compileNameGlob);
  return {
    match(caller) {
      const budget = matchBudget();
      return anyOf(namesOf(caller).flatMap((name) => globs.map((glob) => glob.match(name, budget))));
    },
    explain(caller, match) {
      const names = namesOf(caller);
      if (names.length === 0) return `${nameless} ${oneOf(patterns)}`;
      return explainName(`${noun} ${quoteValues(names, ', ')}`, patterns, match);
    },
  };
}

function listClause<Listed extends string>(
  noun: string,
  listed: readonly Listed[],
  pick: (classification: Operation['classification']) => Listed,
): Clause<Operation> {
  return {
    match: ({ classification }) => (listed.includes(pick(classification)) ? 'yes' : 'no'),
    explain: ({ classification }, match) => {
      const value = pick(classification);
      return match === 'yes' ? `${noun} is ${quoteValue(value)}` : `${noun} '${value}' is not ${oneOf(listed)}`;
    },
  };
}

const VERBS: Readonly<Record<Match, string>> = { yes: 'matches', doubt: 'may match', no: 'is not' };

function explainName(subject: string, patterns: readonly string[], match: Match): string {
  return `${subject} ${VERBS[match]} ${oneOf(patterns)}`;
}

function oneOf(values: readonly string[]): string {
  return quoteValues(values, ' or ');
}
