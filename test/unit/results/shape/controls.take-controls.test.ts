import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/protocol/json.js';
import { createControls, splitControls } from '../../../../src/results/shape/controls.js';
import { createShapeMemory } from '../../../../src/results/shape/learned-shape.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const LIST = buildTestOperation(aTool('list_items', { type: 'object', properties: { owner: {}, filter: {} } }));
const CREATE = buildTestOperation(aTool('create_item', { type: 'object', properties: { _sort: {} } }));
const controlsOf = createControls(createShapeMemory());
const split = (operation: typeof LIST, params: JsonObject) => {
  const { given, ...rest } = splitControls(controlsOf(operation), operation, params);
  return { ...rest, given: Object.fromEntries(given) };
};

describe('splitControls', () => {
  it('tells what is asked of the answer from what is asked of the upstream', () => {
    const params = { owner: 'me', filter: 'open', result_filter: { id: 1 }, first: 3 };
    expect(split(LIST, params)).toEqual({
      params: { owner: 'me', filter: 'open' },
      given: { filter: { id: 1 }, first: 3 },
      unknownControls: [],
    });
  });

  it('hands the same parameters on where none is a control', () => {
    const params = { owner: 'me', filter: 'open' };
    expect(splitControls(controlsOf(LIST), LIST, params).params).toBe(params);
    const foreign = { first: 3 };
    expect(splitControls(controlsOf(CREATE), CREATE, foreign).params).toBe(foreign);
  });

  it('takes a control that was given as null or undefined out as well', () => {
    expect(split(LIST, { first: null, after: undefined })).toEqual({
      params: {},
      given: { first: null, after: undefined },
      unknownControls: [],
    });
  });

  it('names controls under names that would pass for metadata', () => {
    expect(split(LIST, { _sort: 'id', __filter: {}, _meta: {}, _confirmation: 'x' }).unknownControls).toEqual([
      { key: '_sort', meant: 'sort' },
      { key: '__filter', meant: 'result_filter' },
    ]);
    expect(split(CREATE, { _sort: 'id', _filter: {} }).unknownControls).toEqual([{ key: '_filter' }]);
  });

  it('keeps a parameter called __proto__ a parameter', () => {
    const params = JSON.parse('{"__proto__": {"x": 1}, "first": 1}');
    expect(Object.keys(split(LIST, params).params)).toEqual(['__proto__']);
  });
});
