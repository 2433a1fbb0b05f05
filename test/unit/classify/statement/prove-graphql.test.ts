import { describe, expect, it } from 'vitest';
import { proveGraphql } from '../../../../src/classify/statement/prove-graphql.js';

describe('proveGraphql', () => {
  it.each([
    '{ me { name } }',
    'query { me { name } }',
    'query Me($id: ID!, $tags: [String!] = ["a"], $f: Filter = {a: 1}) { user(id: $id, filter: {b: [1, -2.5e3]}) { ...F } }',
    'fragment F on User { name } query { me { ...F ... on Admin { level } } }',
    'query A { a } query B { b }',
    '# mutation { x }\nquery { a @include(if: true) b @skip(if: $c) }',
    'query { text(value: "mutation { x }", block: """mutation { "x" } \\""" """) }',
    'query { mutation { subscription } }',
    '{ a(x: "") }',
    '{ __schema { types { name } } }',
  ])('proves %s', (text) => expect(proveGraphql(text)).toEqual({ read: true, kind: 'query' }));

  it.each([
    '',
    ' ',
    'mutation { x }',
    'mutation X($a: Int) { x(a: $a) { id } }',
    'subscription { x }',
    'query { a } mutation { x }',
    '{ a } mutation { x }',
    '{ a }{ b } mutation { x }',
    'fragment F on T { a } mutation { ...F }',
    'fragment F on T { a }',
    'query { a(x: "}") } mutation { x }',
    'query { a(x: """ \\""" """) } mutation { x }',
    'query { a(x: "\\"") } mutation { x }',
    'query { a # }\n } mutation { x }',
    '# {\nmutation { x }',
    '#\rmutation { x }',
    'query { a } \ufeffmutation { x }',
    'query { a },mutation { x }',
    'query { a ( } ) mutation { x } }',
    'query { a',
    'query { a }}',
    'query { a @export(as: "x") }',
    'query @live { a }',
    'query { a @ include(if: true) @delete }',
    'query { a @defer }',
    '"description" mutation { x }',
    'type X { a: Int }',
    'extend type X { a: Int }',
    'schema { query: Q }',
    'Query { a }',
    'MUTATION { x }',
    'query { a(x: "open) }',
    'query { a(x: """open) }',
    'query { \u0000 }',
    'query { a\u00a0b }',
    'query { a; b }',
    '[{ a }]',
    '{"query": "mutation { deleteAll }"}',
    '{"extensions": {"persistedQuery": {"sha256Hash": "x"}}}',
    '{ "id": "persisted-mutation-7" }',
    'query { a } {"query": "mutation { x }"}',
    'query { a } trailing',
    'query { a(x: {b}) }',
    'query {}',
    `query { ${'a { '.repeat(1_500)} b ${'} '.repeat(1_500)} }`,
    `query { ${'a '.repeat(3_000)} }`,
    `query { ${'a'.repeat(9_000)} }`,
  ])('does not prove %j', (text) => expect(proveGraphql(text).read).toBe(false));

  it('says why, with the place', () =>
    expect(proveGraphql('query { a } mutation { x }')).toEqual({
      read: false,
      why: "'mutation' (character 13) is neither a query nor a fragment",
    }));
});
