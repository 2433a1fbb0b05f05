import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/base/json/json.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { CONTROLS } from '../../../../src/results/query/result-types.js';
import { compileComputedFields, prepareControls, splitControls } from '../../../../src/results/shape/controls.js';
import { anOperation } from '../../../support/an-operation.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const controlsOf = (operation: Operation) => prepareControls(operation);
const operationWith = (name: string, ...params: string[]) =>
  buildTestOperation(
    aTool(name, { type: 'object', properties: Object.fromEntries(params.map((key) => [key, { type: 'string' }])) }),
  );
const renamed = (...params: string[]) => {
  const { names } = controlsOf(operationWith('list_items', ...params));
  return Object.fromEntries([...names].filter(([control, name]) => control !== name));
};

describe('prepareControls', () => {
  it('offers all controls on READs, fields alone where no list can be, and none on other operations', () => {
    const collection = controlsOf(operationWith('list_items'));
    expect(collection.kind).toBe('collection');
    expect([...collection.names]).toEqual(CONTROLS.map((control) => [control, control]));
    const object = controlsOf(anOperation({ collection: null }));
    expect(object.kind).toBe('object');
    expect([...object.names.keys()]).toEqual(['fields', 'preset']);
    expect(controlsOf(anOperation()).names).toEqual(collection.names);
    const giving = (properties: JsonSchema) =>
      controlsOf(anOperation({ outputSchema: { type: 'object', properties } }));
    const number = { type: 'number' };
    expect([...giving({ count: number, at: { type: 'object', properties: { x: number } } }).names.keys()]).toEqual([
      'fields',
      'preset',
    ]);
    // A text may hold a list, and what is not described may be one.
    for (const other of [{ type: 'string' }, { type: 'array' }, {}, { type: 'object' }])
      expect([...giving({ count: number, other }).names.keys()]).toContain('filter');
    expect(controlsOf(operationWith('create_item'))).toMatchObject({ kind: 'none' });
  });

  it("leaves the upstream's parameters their names, in either spelling", () => {
    expect(renamed('filter', 'sort', 'owner')).toEqual({ filter: 'result_filter', sort: 'result_sort' });
    expect(renamed('pageSize')).toEqual({ page_size: 'result_page_size' });
    expect(renamed('PAGE_SIZE', 'Limit')).toEqual({ page_size: 'result_page_size', limit: 'result_limit' });
    expect(renamed('_filter')).toEqual({ filter: 'result_filter' });
  });

  it("avoids the upstream's parameters under its own names too", () => {
    expect(renamed('filter', 'result_filter')).toEqual({ filter: 'result_result_filter' });
  });

  it.each([
    [{ _querry: 'leaf' }, [{ key: '_querry', meant: 'result_query' }]],
    [{ _limit: 5 }, [{ key: '_limit', meant: 'limit' }]],
    [{ _page_sise: 5 }, [{ key: '_page_sise', meant: 'page_size' }]],
    [{ _meta: {}, _request_id: '7', _progress_token: 1, _client: 'x' }, []],
  ])('reads %j as a misspelt control where it is near one', (params, unknown) => {
    const operation = operationWith('search_items', 'query');
    expect(splitControls(controlsOf(operation), operation, params).unknownControls).toEqual(unknown);
  });

  it('takes the path of the list from the caller only where it is not declared', () => {
    expect(controlsOf(anOperation()).names.has('collection')).toBe(true);
    expect(controlsOf(anOperation({ collection: ['issues'] })).names.has('collection')).toBe(false);
  });

  it('shows the fields that the output schema describes, with one level inside', () => {
    const author = { type: 'object', properties: { login: { type: 'string' }, teams: { type: 'array' } } };
    const items = { type: 'object', properties: { id: { type: 'integer' }, author, labels: { type: 'array' } } };
    const outputSchema = {
      type: 'object',
      properties: {
        result: { type: 'object', properties: { rows: { type: 'array', items: { $ref: '#/$defs/Row' } } } },
      },
      $defs: { Row: items },
    };
    expect(controlsOf(anOperation({ outputSchema })).fields).toEqual([
      { name: 'id', type: 'integer' },
      { name: 'author', type: 'object' },
      { name: 'author.login', type: 'string' },
      { name: 'author.teams', type: 'array' },
      { name: 'labels', type: 'array' },
    ]);
  });

  it('includes the fields that the operator computes', () => {
    const compute = () => 1;
    const age = { name: 'age', description: 'Days', type: 'number', compute } as const;
    expect(prepareControls(anOperation({ name: 'list_items' }), [age]).computed).toEqual([age]);
  });
});

const NOW = Date.parse('2026-04-15T00:00:00Z');

const computed = {
  age_days: { expression: 'days_since(created_at)', description: 'Days since creation' },
  child_count: { expression: 'length(children)' },
  is_stale: { expression: 'days_since(created_at) > 30' },
  label: { expression: "concat(kind, ': ', name)" },
};

describe('compileComputedFields', () => {
  it("gives each field as introspection shows it, in the operator's order", () => {
    const fields = compileComputedFields(anOperation({ computed }));
    expect(fields.map(({ name, type, description }) => [name, type, description])).toEqual([
      ['age_days', 'number', 'Days since creation'],
      ['child_count', 'number', 'length(children)'],
      ['is_stale', 'boolean', 'days_since(created_at) > 30'],
      ['label', 'string', "concat(kind, ': ', name)"],
    ]);
  });

  it("computes the specification's examples", () => {
    const item = {
      name: 'Atlas',
      kind: 'widget',
      created_at: '2026-02-27T00:00:00Z',
      children: new Array(12).fill({}),
    };
    const fields = compileComputedFields(anOperation({ computed }));
    const values = fields.map(({ name, compute }) => [name, compute(item, NOW)]);
    expect(Object.fromEntries(values)).toEqual({
      age_days: 47,
      child_count: 12,
      is_stale: true,
      label: 'widget: Atlas',
    });
  });

  it('gives no fields where none are declared, and leaves out invalid expressions', () => {
    expect(compileComputedFields(anOperation())).toEqual([]);
    const broken = { bad: { expression: '1 +' }, good: { expression: '1' } };
    expect(compileComputedFields(anOperation({ computed: broken })).map(({ name }) => name)).toEqual(['good']);
  });
});
