import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { GATEWAY_SOURCE, type Statement, type TrustLevel } from '../../../../src/base/protocol/operation.js';
import { operationOfCall } from '../../../../src/catalog/operation.js';
import type { PolicyRule } from '../../../../src/config/policy-config.js';
import { ANONYMOUS, anEngine, aParameter, aRule, rated } from './an-engine.js';

const DELETE_FILE = rated(
  'destructive',
  {
    name: 'delete_file',
    parameters: [aParameter('path'), aParameter('amount'), aParameter('pass_word', 'passWord')],
    sensitive: ['passWord'],
  },
  'DELETE',
);

function traceOf(changes: Partial<PolicyRule>, args: JsonObject = {}, client?: string) {
  const caller = client === undefined ? ANONYMOUS : { client };
  return anEngine([aRule(changes)]).explain(DELETE_FILE, args, caller).rules[0];
}

describe('the explanation of a rule', () => {
  it.each<[changes: Partial<PolicyRule>, args: JsonObject, client: string | undefined, matches: boolean, why: string]>([
    [{}, {}, undefined, true, 'it applies to every call'],
    [{ match: { operation: ['push_*'] } }, {}, undefined, false, "operation 'delete_file' is not 'push_*'"],
    [{ match: { operation: ['a', 'b'] } }, {}, undefined, false, "operation 'delete_file' is not 'a' or 'b'"],
    [{ match: { operation: ['delete_*'] } }, {}, undefined, true, "operation 'delete_file' matches 'delete_*'"],
    [
      { match: { operation: ['!(x)'] } },
      {},
      undefined,
      true,
      "operation 'delete_file' may match '!(x)'; when in doubt, a rule that denies matches",
    ],
    [{ match: { category: ['READ'] } }, {}, undefined, false, "category 'DELETE' is not 'READ'"],
    [
      { match: { category: ['DELETE'], danger: ['destructive'] } },
      {},
      undefined,
      true,
      "category is 'DELETE', and danger is 'destructive'",
    ],
    [{ match: { upstream: ['git*'] } }, {}, undefined, false, "upstream 'demo' is not 'git*'"],
    [
      { match: { client: ['ci'] } },
      {},
      undefined,
      false,
      "the caller is not an authenticated client, and would have to be 'ci'",
    ],
    [{ match: { client: ['ci'] } }, {}, 'dev', false, "client 'dev' is not 'ci'"],
    [{ match: { client: ['c*'] } }, {}, 'ci', true, "client 'ci' matches 'c*'"],
    [
      { match: { params: { path: { glob: ['/prod/**'] } } } },
      { path: '/prod/x' },
      undefined,
      true,
      "parameter 'path' '/prod/x' matches '/prod/**'",
    ],
    [
      { match: { params: { path: { glob: ['/prod/**'] } } } },
      { path: '/dev/x' },
      undefined,
      false,
      "parameter 'path' '/dev/x' would have to match '/prod/**'",
    ],
    [
      { match: { params: { path: { glob: ['/prod/**'] } } } },
      {},
      undefined,
      false,
      "parameter 'path' is not given and would have to match '/prod/**'",
    ],
    [{ match: { params: { path: { present: false } } } }, {}, undefined, true, "parameter 'path' is not given"],
    [
      { match: { params: { path: { present: false } } } },
      { path: 1 },
      undefined,
      false,
      "parameter 'path' 1 would have to be absent",
    ],
    [{ match: { params: { path: {} } } }, { path: 1 }, undefined, true, "parameter 'path' 1 is given"],
    [
      { match: { params: { amount: { gt: 5, lte: 9 } } } },
      { amount: 7 },
      undefined,
      true,
      "parameter 'amount' 7 is greater than 5 and is at most 9",
    ],
    [
      { match: { params: { amount: { gte: 5, lt: 9 } } } },
      { amount: 2 },
      undefined,
      false,
      "parameter 'amount' 2 would have to be at least 5 and be less than 9",
    ],
    [
      { match: { params: { amount: { gt: 5 } } } },
      { amount: '1000' },
      undefined,
      true,
      "parameter 'amount' '1000' may be greater than 5; when in doubt, a rule that denies matches",
    ],
    [
      { decision: 'confirm', match: { params: { amount: { gt: 5 } } } },
      { amount: '1000' },
      undefined,
      true,
      "parameter 'amount' '1000' may be greater than 5; when in doubt, a rule that confirms matches",
    ],
    [
      { decision: 'allow', match: { operation: ['delete_file'], params: { amount: { gt: 5 } } } },
      { amount: '1000' },
      undefined,
      false,
      "operation 'delete_file' matches 'delete_file', and parameter 'amount' '1000' may be greater than 5; when in doubt, a rule that allows does not match; the trust matrix holds",
    ],
    [
      { match: { params: { amount: { equals: { a: 1 } } } } },
      { amount: 7 },
      undefined,
      false,
      'parameter \'amount\' 7 would have to equal {"a":1}',
    ],
    [
      { match: { params: { amount: { in: [1, 'b'] } } } },
      { amount: 1 },
      undefined,
      true,
      "parameter 'amount' 1 is one of 1, 'b'",
    ],
    [
      { match: { params: { 'path.x': { equals: 1 } } } },
      { path: '{"x":1}' },
      undefined,
      true,
      "parameter 'path.x' may equal 1; when in doubt, a rule that denies matches",
    ],
    [
      { match: { params: { pass_word: { glob: ['s*'] } } } },
      { passWord: 'secret' },
      undefined,
      true,
      "parameter 'pass_word' matches 's*'",
    ],
    [
      { decision: 'allow', match: { operation: ['delete_*'] } },
      {},
      undefined,
      true,
      "operation 'delete_file' matches 'delete_*'; it allows, but names neither the danger level nor this operation exactly, so the trust matrix holds",
    ],
    [
      { decision: 'allow', match: { operation: ['delete_file'] } },
      {},
      undefined,
      true,
      "operation 'delete_file' matches 'delete_file'; it replaces the decision of the trust matrix, which is confirm",
    ],
  ])('of %j for the arguments %j by client %s: matches %s, because %s', (changes, args, client, matches, why) => {
    const decision = changes.decision ?? 'deny';
    expect(traceOf(changes, args, client)).toEqual({ rule: 'rule 1', decision, matches, why });
  });

  it('says why a rule for every operation does not apply to discovery', () => {
    const introspect = rated('safe', { name: 'introspect', upstream: GATEWAY_SOURCE }, 'READ');
    expect(anEngine([aRule()]).explain(introspect, {}, ANONYMOUS).rules).toEqual([
      {
        rule: 'rule 1',
        decision: 'deny',
        matches: false,
        why: "'introspect' is how operations are found, so only a rule that names it exactly applies to it",
      },
    ]);
  });
});

describe('the explanation of a decision', () => {
  it.each<[rules: readonly PolicyRule[], trust: TrustLevel, readOnly: boolean, lifted: boolean, summary: string]>([
    [
      [],
      'certified',
      false,
      false,
      "Allowed by the trust matrix: danger 'destructive' (it says so) at trust 'certified'",
    ],
    [
      [],
      'validated',
      false,
      false,
      "Needs confirmation with a token by the trust matrix: danger 'destructive' (it says so) at trust 'validated'",
    ],
    [
      [],
      'untested',
      false,
      false,
      "Denied by the trust matrix: danger 'destructive' (it says so) at trust 'untested' (at least 'validated' is needed)",
    ],
    [[], 'certified', true, false, "Denied because the gateway is read-only and 'delete_file' is DELETE"],
    [
      [aRule({ name: 'no', reason: 'Never on Fridays.' })],
      'certified',
      false,
      false,
      "Denied by rule 'no': Never on Fridays.",
    ],
    [
      [aRule({ name: 'yes', decision: 'allow', match: { danger: ['destructive'] } })],
      'validated',
      false,
      true,
      "Allowed by rule 'yes'",
    ],
    [
      [aRule({ name: 'yes', decision: 'allow', match: { danger: ['destructive'] } })],
      'certified',
      false,
      false,
      "Allowed by rule 'yes'",
    ],
    [
      [aRule({ name: 'ask', decision: 'confirm', requires: 'human', cooldownSeconds: 9 })],
      'validated',
      false,
      false,
      "Needs confirmation by a person, 9 s after the question at the earliest, by rule 'ask'",
    ],
  ])(
    'by the rules %j at trust %s (read-only: %s) says whether the matrix was lifted (%s) and %j',
    (rules, trust, readOnly, lifted, summary) => {
      const explanation = anEngine(rules, trust, readOnly).explain(DELETE_FILE, {}, ANONYMOUS);
      expect(explanation.operation).toBe('delete_file');
      expect(explanation.matrix.lifted).toBe(lifted);
      expect(explanation.summary).toBe(summary);
    },
  );

  it('lists every rule in the configured order', () => {
    const rules = ['c', 'a', 'b'].map((name) => aRule({ name }));
    expect(
      anEngine(rules)
        .explain(DELETE_FILE, {}, ANONYMOUS)
        .rules.map(({ rule }) => rule),
    ).toEqual(['c', 'a', 'b']);
  });

  it.each([
    [
      'SELECT 1',
      "Allowed by the trust matrix: danger 'safe' (the statement in 'sql' is proven to only read: SELECT in the SQL of SQLite) at trust 'validated'",
    ],
    [
      'DELETE FROM t',
      "Needs confirmation with a token by the trust matrix: danger 'destructive' (it says so; its statement is not proven to only read: 'delete' (character 1) is not part of a plain read) at trust 'validated'",
    ],
  ])('says why the statement %j counts as it does', (sql, summary) => {
    const statement: Statement = { language: 'sql', dialects: ['sqlite'], parameter: 'sql', companions: [] };
    const runner = rated('destructive', { parameters: [aParameter('sql')] });
    const operation = { ...runner, classification: { ...runner.classification, statement } };
    const explanation = anEngine([]).explain(operationOfCall(operation, { sql }), { sql }, ANONYMOUS);
    expect(explanation.summary).toBe(summary);
  });
});
