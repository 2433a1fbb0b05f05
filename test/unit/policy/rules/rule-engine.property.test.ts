import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { describe, expect, it } from 'vitest';
import {
  CATEGORIES,
  DANGER_LEVELS,
  type Operation,
  TRUST_LEVELS,
  type TrustLevel,
} from '../../../../src/base/protocol/operation.js';
import { DECISIONS, type Decision, type PolicyRule, type RuleMatch } from '../../../../src/config/policy-config.js';
import { TRUST_MATRIX } from '../../../../src/policy/rules/decide.js';
import { anEngine, aParameter, aRule, rated } from './an-engine.js';

interface Question {
  readonly operation: Operation;
  readonly args: { readonly path?: string; readonly amount?: number };
  readonly caller: { readonly client?: string };
}

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const sparse = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const operations = fc
  .record({
    name: fc.constantFrom('push_files', 'pull_files', 'drop_table'),
    upstream: fc.constantFrom('git', 'db'),
    danger: fc.constantFrom(...DANGER_LEVELS),
    category: fc.constantFrom(...CATEGORIES),
    cooldownSeconds: fc.constantFrom(0, 20),
  })
  .map(({ name, upstream, danger, category, cooldownSeconds }) => {
    const parameters = [aParameter('path'), aParameter('amount')];
    const qualifiedName = `${upstream}__${name}`;
    return rated(danger, { name, qualifiedName, upstream, parameters, cooldownSeconds }, category);
  });

const questions: fc.Arbitrary<Question> = fc.record({
  operation: operations,
  args: fc.record(
    { path: fc.constantFrom('/prod/a', '/dev/a', '/dev/b'), amount: fc.integer({ min: 0, max: 10 }) },
    { requiredKeys: [] },
  ),
  caller: fc.record({ client: fc.constantFrom('ci', 'dev') }, { requiredKeys: [] }),
});

const matches: fc.Arbitrary<RuleMatch> = fc
  .record({
    operation: sparse(some('push_*', 'pull_files', '*', 'git__*', 'db__drop_table')),
    category: sparse(some(...CATEGORIES)),
    danger: sparse(some(...DANGER_LEVELS)),
    upstream: sparse(some('g*', 'db')),
    client: sparse(some('ci', 'd*')),
    params: sparse(
      fc.record(
        { path: some('/prod/*', '**/b').map((glob) => ({ glob })), amount: fc.constantFrom({ gt: 5 }, { lte: 2 }) },
        { requiredKeys: [] },
      ),
    ),
  })
  .map((match) => Object.fromEntries(Object.entries(match).filter(([, value]) => value !== undefined)));

const ruleOf = fc.record({
  match: matches,
  decision: fc.constantFrom(...DECISIONS),
  requires: fc.constantFrom('token' as const, 'human' as const),
  cooldownSeconds: fc.constantFrom(0, 10, 60),
});

const ruleLists = fc
  .array(ruleOf, { maxLength: 6 })
  .map((rules) => rules.map((rule, index) => aRule({ ...rule, name: `rule ${index + 1}` })));

const trusts = fc.constantFrom(...TRUST_LEVELS);
const readOnlys = fc.boolean();

const rank = (decision: Decision): number => DECISIONS.indexOf(decision);

/** A direct implementation of the rules with minimatch, without compilation. */
function naiveMatch({ match }: PolicyRule, { operation, args, caller }: Question): boolean {
  const { name, qualifiedName, upstream, classification } = operation;
  const fits = (patterns: readonly string[], text: string) => patterns.some((pattern) => minimatch(text, pattern));
  const glob = match.params?.['path']?.glob;
  const amount = match.params?.['amount'];
  return (
    (match.operation === undefined || fits(match.operation, name) || fits(match.operation, qualifiedName)) &&
    (match.category === undefined || match.category.includes(classification.category)) &&
    (match.danger === undefined || match.danger.includes(classification.danger.level)) &&
    (match.upstream === undefined || fits(match.upstream, upstream)) &&
    (match.client === undefined || (caller.client !== undefined && fits(match.client, caller.client))) &&
    (glob === undefined || (args.path !== undefined && fits(glob, args.path))) &&
    (amount?.gt === undefined || (args.amount !== undefined && args.amount > amount.gt)) &&
    (amount?.lte === undefined || (args.amount !== undefined && args.amount <= amount.lte))
  );
}

function naiveDecision(rules: readonly PolicyRule[], trust: TrustLevel, readOnly: boolean, question: Question) {
  const { operation } = question;
  const { name, qualifiedName, classification } = operation;
  if (readOnly && classification.category !== 'READ') return { effect: 'deny', requires: 'token', cooldownSeconds: 0 };
  const matching = rules.filter((rule) => naiveMatch(rule, question));
  const lifted = matching.some(
    ({ decision, match }) =>
      decision !== 'deny' &&
      (match.danger !== undefined ||
        match.operation?.includes(qualifiedName) ||
        (match.operation?.includes(name) === true &&
          (match.upstream?.includes(operation.upstream) === true || !['untested', 'generated'].includes(trust)))),
  );
  const base: Decision = lifted ? 'allow' : TRUST_MATRIX[trust][classification.danger.level];
  const decisions = [base, ...matching.map(({ decision }) => decision)];
  const decision = decisions.includes('deny') ? 'deny' : decisions.includes('confirm') ? 'confirm' : 'allow';
  const asking = decision === 'confirm' ? matching.filter((rule) => rule.decision === 'confirm') : [];
  return {
    effect: decision,
    requires: asking.some(({ requires }) => requires === 'human') ? 'human' : 'token',
    cooldownSeconds:
      decision === 'confirm'
        ? Math.max(operation.cooldownSeconds ?? 0, ...asking.map(({ cooldownSeconds }) => cooldownSeconds ?? 0))
        : 0,
  };
}

describe('a rule engine with any rules', () => {
  it('decides each call as a direct implementation of the rules does', () => {
    const cases = fc.property(
      ruleLists,
      trusts,
      readOnlys,
      fc.array(questions, { minLength: 1, maxLength: 4 }),
      (rules, trust, readOnly, asked) => {
        const engine = anEngine(rules, trust, readOnly);
        for (const question of [...asked, ...asked]) {
          const { operation, args, caller } = question;
          const expected = naiveDecision(rules, trust, readOnly, question);
          expect(engine.decide(operation, { ...args }, caller)).toMatchObject(expected);
        }
      },
    );
    fc.assert(cases, { numRuns: 500 });
  });

  it('never becomes more permissive by an added deny rule', () => {
    const cases = fc.property(ruleLists, matches, trusts, questions, (rules, match, trust, question) => {
      const { operation, args, caller } = question;
      const before = anEngine(rules, trust).decide(operation, { ...args }, caller);
      const after = anEngine([...rules, aRule({ name: 'added', match })], trust).decide(operation, { ...args }, caller);
      expect(rank(after.effect)).toBeGreaterThanOrEqual(rank(before.effect));
    });
    fc.assert(cases, { numRuns: 500 });
  });

  it('decides the same in any order of the rules', () => {
    const shuffled = ruleLists.chain((rules) =>
      fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
    );
    const cases = fc.property(shuffled, trusts, questions, ([rules, other], trust, { operation, args, caller }) => {
      const decision = anEngine(rules, trust).decide(operation, { ...args }, caller);
      expect(anEngine(other, trust).decide(operation, { ...args }, caller)).toEqual(decision);
      expect(anEngine(other, trust).staticDecision(operation)).toEqual(
        anEngine(rules, trust).staticDecision(operation),
      );
    });
    fc.assert(cases, { numRuns: 500 });
  });

  it('decides the same with an added rule that does not match', () => {
    const cases = fc.property(ruleLists, ruleOf, trusts, questions, (rules, rule, trust, question) => {
      const added = aRule({ ...rule, name: 'added' });
      fc.pre(!naiveMatch(added, question));
      const { operation, args, caller } = question;
      const before = anEngine(rules, trust).decide(operation, { ...args }, caller);
      expect(anEngine([added, ...rules], trust).decide(operation, { ...args }, caller)).toEqual(before);
    });
    fc.assert(cases, { numRuns: 500 });
  });

  it('decides every call as the static decision says where that is not conditional', () => {
    const cases = fc.property(ruleLists, trusts, readOnlys, questions, (rules, trust, readOnly, question) => {
      const { operation, args, caller } = question;
      const engine = anEngine(rules, trust, readOnly);
      const { conditional, ...staticDecision } = engine.staticDecision(operation);
      if (!conditional) expect(engine.decide(operation, { ...args }, caller)).toMatchObject(staticDecision);
    });
    fc.assert(cases, { numRuns: 500 });
  });

  it('explains the decision that it makes', () => {
    const cases = fc.property(ruleLists, trusts, readOnlys, questions, (rules, trust, readOnly, question) => {
      const { operation, args, caller } = question;
      const engine = anEngine(rules, trust, readOnly);
      const explanation = engine.explain(operation, { ...args }, caller);
      expect(explanation.decision).toEqual(engine.decide(operation, { ...args }, caller));
      expect(explanation.rules.map(({ matches }) => matches)).toEqual(rules.map((rule) => naiveMatch(rule, question)));
    });
    fc.assert(cases, { numRuns: 500 });
  });
});
