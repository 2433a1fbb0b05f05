import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { describe, expect, it, vi } from 'vitest';
import {
  CATEGORIES,
  DANGER_LEVELS,
  type DangerLevel,
  GATEWAY_SOURCE,
  type Operation,
  TRUST_LEVELS,
  type TrustLevel,
} from '../../../../src/base/protocol/operation.js';
import { DECISIONS, type Decision, strictnessOf } from '../../../../src/base/protocol/policy-decision.js';
import type { PolicyRule, RuleMatch } from '../../../../src/config/policy-config.js';
import { TRUST_MATRIX } from '../../../../src/policy/rules/decide.js';
import { createRuleEngine } from '../../../../src/policy/rules/rule-engine.js';
import { ANONYMOUS, anEngine, aParameter, aRule, rated } from './an-engine.js';

const EXACT: RuleMatch = { operation: ['run_job'] };
const QUALIFIED: RuleMatch = { operation: ['other', 'demo__run_job'] };
const PATTERN: RuleMatch = { operation: ['run_*'] };
const BRACES: RuleMatch = { operation: ['{run_job,run_all}'] };
const LEVEL: RuleMatch = { danger: ['destructive', 'dangerous'] };
const OTHER: RuleMatch = { operation: ['stop_*'] };
const ANY: RuleMatch = {};

type RuleText = readonly [Decision, RuleMatch];

function named(texts: readonly RuleText[]): readonly PolicyRule[] {
  return texts.map(([decision, match], index) => aRule({ name: `rule ${index + 1}`, decision, match }));
}

describe('the rules and the trust matrix together', () => {
  it.each<[danger: DangerLevel, trust: TrustLevel, rules: readonly RuleText[], decision: Decision, by: string]>([
    ['safe', 'validated', [], 'allow', 'matrix'],
    ['safe', 'validated', [['deny', OTHER]], 'allow', 'matrix'],
    ['safe', 'validated', [['deny', PATTERN]], 'deny', 'rule 1'],
    ['safe', 'validated', [['confirm', ANY]], 'confirm', 'rule 1'],
    [
      'safe',
      'validated',
      [
        ['allow', EXACT],
        ['confirm', ANY],
      ],
      'confirm',
      'rule 2',
    ],
    [
      'safe',
      'validated',
      [
        ['allow', EXACT],
        ['confirm', EXACT],
        ['deny', ANY],
      ],
      'deny',
      'rule 3',
    ],
    [
      'safe',
      'validated',
      [
        ['deny', ANY],
        ['allow', EXACT],
      ],
      'deny',
      'rule 1',
    ],
    ['safe', 'validated', [['allow', ANY]], 'allow', 'rule 1'],
    // An allow lifts the matrix where it names exactly this.
    ['destructive', 'validated', [['allow', ANY]], 'confirm', 'matrix'],
    ['destructive', 'validated', [['allow', PATTERN]], 'confirm', 'matrix'],
    ['destructive', 'validated', [['allow', BRACES]], 'confirm', 'matrix'],
    ['destructive', 'validated', [['allow', EXACT]], 'allow', 'rule 1'],
    ['destructive', 'validated', [['allow', QUALIFIED]], 'allow', 'rule 1'],
    ['destructive', 'validated', [['allow', LEVEL]], 'allow', 'rule 1'],
    ['destructive', 'validated', [['allow', { ...PATTERN, ...LEVEL }]], 'allow', 'rule 1'],
    ['destructive', 'validated', [['allow', { ...EXACT, upstream: ['other'] }]], 'confirm', 'matrix'],
    [
      'destructive',
      'validated',
      [
        ['allow', PATTERN],
        ['allow', EXACT],
      ],
      'allow',
      'rule 2',
    ],
    // A bare name may come to mean another upstream's operation: it lifts the matrix only for trusted upstreams.
    ['forbidden', 'untested', [['allow', EXACT]], 'deny', 'matrix'],
    ['forbidden', 'generated', [['allow', EXACT]], 'deny', 'matrix'],
    ['forbidden', 'validated', [['allow', EXACT]], 'allow', 'rule 1'],
    ['forbidden', 'untested', [['allow', QUALIFIED]], 'allow', 'rule 1'],
    ['forbidden', 'untested', [['allow', { ...EXACT, upstream: ['demo'] }]], 'allow', 'rule 1'],
    ['forbidden', 'untested', [['allow', { ...EXACT, upstream: ['de*'] }]], 'deny', 'matrix'],
    ['forbidden', 'untested', [['allow', LEVEL]], 'deny', 'matrix'],
    // So does a confirm; one that names nothing exactly only adds to the matrix.
    ['dangerous', 'validated', [['confirm', EXACT]], 'confirm', 'rule 1'],
    ['dangerous', 'validated', [['confirm', LEVEL]], 'confirm', 'rule 1'],
    ['dangerous', 'validated', [['confirm', PATTERN]], 'deny', 'matrix'],
    [
      'dangerous',
      'validated',
      [
        ['allow', EXACT],
        ['confirm', PATTERN],
      ],
      'confirm',
      'rule 2',
    ],
    [
      'dangerous',
      'validated',
      [
        ['allow', EXACT],
        ['deny', PATTERN],
      ],
      'deny',
      'rule 2',
    ],
    ['dangerous', 'validated', [['deny', EXACT]], 'deny', 'rule 1'],
    ['destructive', 'validated', [['confirm', PATTERN]], 'confirm', 'rule 1'],
    ['destructive', 'certified', [['confirm', PATTERN]], 'confirm', 'rule 1'],
  ])('%s under %s with %j: %s by %s', (danger, trust, rules, expected, by) => {
    const decision = anEngine(named(rules), trust).decide(rated(danger), {}, ANONYMOUS);
    expect([decision.effect, decision.rule ?? decision.by]).toEqual([expected, by]);
    expect([decision.danger, decision.trust]).toEqual([danger, trust]);
  });

  it.each<[match: RuleMatch, client: string | undefined, applies: boolean]>([
    [{ category: ['DELETE', 'EXECUTE'] }, undefined, true],
    [{ category: ['DELETE'] }, undefined, false],
    [{ danger: ['safe'] }, undefined, true],
    [{ danger: ['reversible'] }, undefined, false],
    [{ upstream: ['de*'] }, undefined, true],
    [{ upstream: ['de'] }, undefined, false],
    [{ operation: ['demo__*'] }, undefined, true],
    [{ operation: [] }, undefined, false],
    [{ client: ['ci-*'] }, 'ci-main', true],
    [{ client: ['ci-*', 'dev'] }, 'dev', true],
    [{ client: ['ci-*'] }, 'dev', false],
    [{ client: ['*'] }, undefined, false],
    [{ client: ['**'] }, undefined, false],
    [{ client: ['ci'], operation: ['run_*'], category: ['EXECUTE'], upstream: ['demo'] }, 'ci', true],
    [{ client: ['ci'], operation: ['run_*'], category: ['EXECUTE'], upstream: ['other'] }, 'ci', false],
    // A pattern that cannot be used is in doubt, and doubt is strict.
    [{ operation: ['!(run_job)'] }, undefined, true],
    [{ upstream: ['{1..1000}'] }, undefined, true],
  ])('%j for client %s applies: %s', (match, client, applies) => {
    const decision = anEngine([aRule({ match })]).decide(rated('safe'), {}, client === undefined ? {} : { client });
    expect(decision.effect).toBe(applies ? 'deny' : 'allow');
  });

  it.each<[danger: DangerLevel, rule: RuleText, decision: Decision]>([
    ['safe', ['deny', EXACT], 'deny'],
    ['safe', ['deny', PATTERN], 'deny'],
    ['safe', ['confirm', EXACT], 'confirm'],
    ['safe', ['deny', OTHER], 'allow'],
    // The rule may mean the other upstream's operation.
    ['dangerous', ['allow', EXACT], 'deny'],
    ['destructive', ['allow', EXACT], 'confirm'],
    ['destructive', ['allow', QUALIFIED], 'allow'],
  ])(
    'an operation whose bare name another upstream offers too stays in the rules about it: %s, %j: %s',
    (danger, rule, decision) => {
      const shared = rated(danger, { name: 'demo__run_job', qualifiedName: 'demo__run_job' });
      expect(anEngine(named([rule])).decide(shared, {}, ANONYMOUS).effect).toBe(decision);
    },
  );

  it('allow nothing by a pattern that cannot be used', () => {
    const rule = aRule({ decision: 'allow', match: { operation: ['+(run_job)'], danger: ['dangerous'] } });
    expect(anEngine([rule]).decide(rated('dangerous'), {}, ANONYMOUS).effect).toBe('deny');
  });
});

describe('a confirmation', () => {
  const confirm = (name: string, changes: Partial<PolicyRule>): PolicyRule =>
    aRule({ name, decision: 'confirm', ...changes });

  it('requires a person where one confirming rule does, and the longest cooldown of the rules', () => {
    const rules = [
      confirm('slow', { cooldownSeconds: 60, reason: 'Take your time.' }),
      confirm('person', { requires: 'human', cooldownSeconds: 10, reason: 'Ask Ada.' }),
      confirm('elsewhere', { requires: 'human', cooldownSeconds: 600, match: OTHER }),
    ];
    const operation = rated('safe', { cooldownSeconds: 30 });
    expect(anEngine(rules).decide(operation, {}, ANONYMOUS)).toEqual({
      effect: 'confirm',
      requires: 'human',
      cooldownSeconds: 60,
      rule: 'person',
      by: 'rule',
      reason: 'Ask Ada.',
      danger: 'safe',
      trust: 'validated',
    });
  });

  it("requires the operation's cooldown where no rule has a longer one", () => {
    const operation = rated('destructive', { cooldownSeconds: 30 });
    expect(anEngine([]).decide(operation, {}, ANONYMOUS)).toMatchObject({ effect: 'confirm', cooldownSeconds: 30 });
    expect(anEngine([confirm('a', { cooldownSeconds: 5 })]).decide(operation, {}, ANONYMOUS).cooldownSeconds).toBe(30);
  });

  it('requires nothing where the call is allowed or denied', () => {
    const rules = [confirm('person', { requires: 'human', cooldownSeconds: 60 }), aRule({ name: 'no' })];
    const operation = rated('safe', { cooldownSeconds: 30 });
    expect(anEngine(rules).decide(operation, {}, ANONYMOUS)).toMatchObject({ requires: 'token', cooldownSeconds: 0 });
    expect(anEngine([]).decide(operation, {}, ANONYMOUS)).toMatchObject({ requires: 'token', cooldownSeconds: 0 });
  });
});

describe('a read-only gateway', () => {
  it.each([
    ['READ', 'allow', 'matrix'],
    ['CREATE', 'deny', 'read-only'],
    ['UPDATE', 'deny', 'read-only'],
    ['DELETE', 'deny', 'read-only'],
    ['EXECUTE', 'deny', 'read-only'],
  ] as const)('decides a %s operation with %s by %s', (category, decision, by) => {
    const operation = rated('safe', {}, category);
    expect(anEngine([], 'certified', true).decide(operation, {}, ANONYMOUS)).toMatchObject({
      effect: decision,
      by,
      rule: null,
    });
  });

  it('denies what is not READ whatever the rules say', () => {
    const engine = anEngine([aRule({ decision: 'allow', match: EXACT })], 'certified', true);
    expect(engine.decide(rated('safe'), {}, ANONYMOUS)).toMatchObject({ effect: 'deny', by: 'read-only' });
    expect(engine.staticDecision(rated('safe'))).toEqual({ effect: 'deny', requires: 'token', conditional: false });
  });
});

describe("the gateway's own operations", () => {
  const BUILT_IN = { upstream: GATEWAY_SOURCE, name: 'introspect', qualifiedName: 'introspect' };
  const introspect = rated('safe', BUILT_IN, 'READ');

  it('are certified, without a look-up of the trust', () => {
    const trustOf = vi.fn((): TrustLevel => 'untested');
    const engine = createRuleEngine({ readOnly: true, rules: [] }, trustOf);
    expect(engine.decide(introspect, {}, ANONYMOUS)).toMatchObject({ effect: 'allow', trust: 'certified' });
    expect(trustOf).not.toHaveBeenCalled();
  });

  it.each<[match: RuleMatch, decision: Decision]>([
    [{}, 'allow'],
    [{ operation: ['*'] }, 'allow'],
    [{ operation: ['introspec?'] }, 'allow'],
    [{ upstream: ['gateway'] }, 'allow'],
    [{ category: ['READ'], danger: ['safe'] }, 'allow'],
    [{ operation: ['introspect'] }, 'deny'],
  ])('that READ are denied only by a rule with their exact name: %j: %s', (match, decision) => {
    expect(anEngine([aRule({ match })]).decide(introspect, {}, ANONYMOUS).effect).toBe(decision);
  });

  it('that are not READ are subject to every rule', () => {
    const revoke = rated('reversible', { ...BUILT_IN, name: 'revoke_token' });
    expect(anEngine([aRule()]).decide(revoke, {}, ANONYMOUS).effect).toBe('deny');
  });
});

describe('the static decision', () => {
  const CLIENT: RuleMatch = { client: ['ci'] };
  const operation = rated('destructive', { parameters: [aParameter('path')] });

  it.each<[rules: readonly Partial<PolicyRule>[], decision: Decision, requires: string, conditional: boolean]>([
    [[], 'confirm', 'token', false],
    [[{ match: CLIENT }], 'confirm', 'token', true],
    [[{ match: { params: { path: { present: true } } } }], 'confirm', 'token', true],
    [[{ match: { ...CLIENT, ...OTHER } }], 'confirm', 'token', false],
    [[{ match: EXACT }, { match: CLIENT }], 'deny', 'token', false],
    [[{ match: CLIENT, decision: 'confirm' }], 'confirm', 'token', false],
    [[{ match: CLIENT, decision: 'confirm', requires: 'human' }], 'confirm', 'token', true],
    [[{ match: EXACT, decision: 'confirm', requires: 'human' }], 'confirm', 'human', false],
    [[{ match: CLIENT, decision: 'allow' }], 'confirm', 'token', false],
    [[{ match: { ...CLIENT, ...EXACT }, decision: 'allow' }], 'confirm', 'token', true],
    [
      [
        { match: { ...CLIENT, ...EXACT }, decision: 'allow' },
        { match: PATTERN, decision: 'confirm' },
      ],
      'confirm',
      'token',
      false,
    ],
  ])('under the rules %j is %s by %s, conditional: %s', (changes, decision, requires, conditional) => {
    const rules = changes.map((change, index) => aRule({ name: `rule ${index + 1}`, ...change }));
    expect(anEngine(rules).staticDecision(operation)).toEqual({ effect: decision, requires, conditional });
  });
});

describe('a call that no rule depends on', () => {
  it('gets the same frozen decision each time, with one look-up of the trust', () => {
    const trustOf = vi.fn((): TrustLevel => 'validated');
    const engine = createRuleEngine(
      { readOnly: false, rules: [aRule({ match: { ...OTHER, client: ['ci'] } })] },
      trustOf,
    );
    const operation: Operation = rated('safe');
    const decision = engine.decide(operation, {}, ANONYMOUS);
    expect(engine.decide(operation, { other: 1 }, { client: 'ci' })).toBe(decision);
    expect(Object.isFrozen(decision)).toBe(true);
    expect(trustOf).toHaveBeenCalledTimes(1);
  });
});

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
  decision: fc.constantFrom(...(Object.keys(DECISIONS) as Decision[])),
  requires: fc.constantFrom('token' as const, 'human' as const),
  cooldownSeconds: fc.constantFrom(0, 10, 60),
});

const ruleLists = fc
  .array(ruleOf, { maxLength: 6 })
  .map((rules) => rules.map((rule, index) => aRule({ ...rule, name: `rule ${index + 1}` })));

const trusts = fc.constantFrom(...TRUST_LEVELS);
const readOnlys = fc.boolean();

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
      expect(strictnessOf(after.effect)).toBeGreaterThanOrEqual(strictnessOf(before.effect));
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

it('applies the rules of a view to calls in it, and to no other calls', () => {
  const engine = anEngine([aRule({ match: { view: ['ops'] } })]);
  const decisionIn = (view?: string) =>
    engine.decide(rated('safe'), {}, view === undefined ? ANONYMOUS : { ...ANONYMOUS, view }).effect;
  expect([decisionIn('ops'), decisionIn(), decisionIn('dev'), decisionIn('ops')]).toEqual([
    'deny',
    'allow',
    'allow',
    'deny',
  ]);
});
