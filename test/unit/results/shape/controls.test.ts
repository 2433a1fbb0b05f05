import { describe, expect, it } from 'vitest';
import { CONTROLS } from '../../../../src/results/result-types.js';
import { createControls, splitControls } from '../../../../src/results/shape/controls.js';
import { createShapeMemory } from '../../../../src/results/shape/learned-shape.js';
import { anOperation } from '../../../support/an-operation.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const controlsOf = createControls(createShapeMemory());
const operationWith = (name: string, ...params: string[]) =>
  buildTestOperation(
    aTool(name, { type: 'object', properties: Object.fromEntries(params.map((key) => [key, { type: 'string' }])) }),
  );
const renamed = (...params: string[]) => {
  const { names } = controlsOf(operationWith('list_items', ...params));
  return Object.fromEntries([...names].filter(([control, name]) => control !== name));
};

describe('createControls', () => {
  it('offers all controls on collections, only field selection on other READs, and none on other operations', () => {
    const collection = controlsOf(operationWith('list_items'));
    expect(collection.kind).toBe('collection');
    expect([...collection.names]).toEqual(CONTROLS.map((control) => [control, control]));
    const object = controlsOf(anOperation({ collection: null }));
    expect(object.kind).toBe('object');
    expect([...object.names.keys()]).toEqual(['fields', 'preset']);
    expect([...controlsOf(anOperation()).names.keys()]).toEqual(['fields', 'preset']);
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

  it('returns the same object until more is known', () => {
    const memory = createShapeMemory();
    const controls = createControls(memory);
    const operation = anOperation();
    const seen = [controls(operation)];
    for (let id = 0; id < 4; id++) {
      memory.learn(operation, { items: [{ id }] });
      seen.push(controls(operation));
    }
    expect(seen.map(({ kind }) => kind)).toEqual(['object', 'object', 'object', 'collection', 'collection']);
    expect(seen[4]).toBe(seen[3]);
    expect(seen[3]?.fields).toEqual([{ name: 'id', type: 'number' }]);
    memory.learn(operation, { id: 1 });
    expect(controls(operation).kind).toBe('object');
  });

  it('includes the fields that the operator computes', () => {
    const compute = () => 1;
    const age = { name: 'age', description: 'Days', type: 'number', compute } as const;
    const withComputed = createControls(createShapeMemory(), () => [age]);
    expect(withComputed(anOperation({ name: 'list_items' })).computed).toEqual([age]);
  });
});
