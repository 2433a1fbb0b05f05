import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/base/protocol/operation.js';
import { operationOfCall } from '../../../src/catalog/operation.js';
import { readVariant } from '../../../src/catalog/proven-read.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const DESCRIPTION = { description: 'Execute a SQL query on the SQLite database.' };
const SCHEMA = { type: 'object', properties: { sql: { type: 'string' }, values: { type: 'array' } } };
const QUERY = aTool('query', SCHEMA, DESCRIPTION);

function operationsOf(
  tools: readonly unknown[],
  curation: Parameters<typeof anUpstream>[1] = {},
): readonly Operation[] {
  return buildTestCatalog({ shop: tools }, { upstreams: [anUpstream('shop', curation)] }).operations.filter(
    ({ upstream }) => upstream === 'shop',
  );
}

function named(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe('a runner of statements', () => {
  it('is a safe READ that may be repeated for a call that is proven to read, and itself for every other', () => {
    const query = named(operationsOf([QUERY]), 'query');
    const reading = operationOfCall(query, { sql: 'SELECT 1' });
    expect(reading).toMatchObject({
      retryable: true,
      classification: {
        category: 'READ',
        danger: {
          level: 'safe',
          reasons: ["the statement in 'sql' is proven to only read: SELECT in the SQL of SQLite"],
        },
      },
    });
    expect(operationOfCall(query, { sql: 'SELECT 2' })).toBe(reading);
    expect(reading.definition).toBe(query.definition);
    for (const args of [{}, { sql: 1 }, { sql: 'DELETE FROM t' }, { sql: 'SELECT 1', other: 1 }, { sql: [] }])
      expect(operationOfCall(query, args)).toBe(query);
  });

  it('reads where each item of a list and each member that carries one is proven to, and nothing lies beside them', () => {
    const text = { type: 'string' };
    const item = { type: 'object', properties: { sql: text, values: { type: 'array' } } };
    const properties = { connection: text, batch: { type: 'array', items: item } };
    const tool = aTool('run_sql', { type: 'object', properties }, { description: 'Runs SQL queries on SQLite.' });
    const [batch] = operationsOf([tool]);
    const rated = (...items: readonly unknown[]) =>
      batch && operationOfCall(batch, { connection: 'c', batch: items }).classification.category;
    expect(rated({ sql: 'SELECT 1' }, { sql: 'SELECT 2', values: [1] })).toBe('READ');
    expect(rated({ sql: 'SELECT 1' }, { sql: 'DROP TABLE t' })).toBe('EXECUTE');
    expect(rated({ sql: 'SELECT 1', after: 'x' })).toBe('EXECUTE');
    expect(rated()).toBe('EXECUTE');
  });

  it.each(["1'", '1;', '1 -- x', 'sleep(1)', 'a\\', '/*', 'a\n\u0000', '# x'])(
    'is itself beside the value %j',
    (value) => {
      const query = named(operationsOf([QUERY]), 'query');
      for (const values of [[value], { a: value }, { [value]: 1 }, [[{ a: [value] }]]])
        expect(operationOfCall(query, { sql: 'SELECT 1', values })).toBe(query);
    },
  );

  it('has one operation for its reads, under a name that no other tool has', () => {
    expect(operationsOf([QUERY]).map(({ name }) => name)).toEqual(['query', 'query_read_only']);
    expect(
      operationsOf([QUERY, aTool('query_read_only')]).map(({ name, classification }) => [
        name,
        classification.statement?.only,
      ]),
    ).toEqual([
      ['query', undefined],
      ['query_read_only', undefined],
      ['query_read_only_2', true],
    ]);
    const renamed = operationsOf([QUERY], { curation: [{ pattern: 'query', rename: 'sql' }] });
    expect(renamed.map(({ name }) => name)).toEqual(['sql', 'sql_read_only']);
    const hidden = operationsOf([QUERY], { curation: [{ pattern: 'query', hide: true }] });
    expect(hidden).toEqual([]);
    const onlyReads = operationsOf([QUERY], {
      curation: [
        { pattern: 'query', hide: true },
        { pattern: 'query_read_only', hide: false },
      ],
    });
    expect(onlyReads.map(({ name }) => name)).toEqual(['query_read_only']);
  });

  it('keeps refusing what is not proven whatever the operator declares of the operation for its reads', () => {
    const declared = { pattern: 'query_read_only', category: 'READ', danger: 'destructive', risks: [] } as const;
    const operation = named(operationsOf([QUERY], { curation: [declared] }), 'query_read_only');
    expect(operation.classification).toMatchObject({
      category: 'READ',
      danger: { level: 'destructive' },
      statement: { only: true },
    });
  });

  it('stays what it is under a dangerous name', () => {
    const operation = { ...named(operationsOf([QUERY]), 'query') };
    const { classification } = operation;
    const dangerous = {
      ...operation,
      classification: { ...classification, danger: { level: 'dangerous', reasons: [] } },
    } as const;
    expect(operationOfCall(dangerous, { sql: 'SELECT 1' })).toBe(dangerous);
    expect(readVariant(dangerous)).toBeUndefined();
  });
});
