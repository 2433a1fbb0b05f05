import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { prepareControls, splitControls } from '../../../../src/results/shape/controls.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const LIST = buildTestOperation(aTool('list_items', { type: 'object', properties: { owner: {}, filter: {} } }));
const CREATE = buildTestOperation(aTool('create_item', { type: 'object', properties: { _sort: {} } }));
const controlsOf = prepareControls;
const split = (operation: typeof LIST, params: JsonObject) => {
  const { given, ...rest } = splitControls(controlsOf(operation), operation, params);
  return { ...rest, given: Object.fromEntries(given) };
};

describe('splitControls', () => {
  it('separates controls from the parameters of the upstream', () => {
    const params = { owner: 'me', filter: 'open', result_filter: { id: 1 }, first: 3 };
    expect(split(LIST, params)).toEqual({
      params: { owner: 'me', filter: 'open' },
      given: { filter: { id: 1 }, first: 3 },
      unknownControls: [],
    });
  });

  it("returns the caller's own object where no parameter is a control", () => {
    const params = { owner: 'me', filter: 'open' };
    expect(splitControls(controlsOf(LIST), LIST, params).params).toBe(params);
    const foreign = { first: 3 };
    expect(splitControls(controlsOf(CREATE), CREATE, foreign).params).toBe(foreign);
  });

  it('takes out a control that is null or undefined, too', () => {
    expect(split(LIST, { first: null, after: undefined })).toEqual({
      params: {},
      given: { first: null, after: undefined },
      unknownControls: [],
    });
  });

  it('reports underscored names of controls that this operation does not use', () => {
    expect(split(LIST, { _sort: 'id', __filter: {}, _meta: {}, _confirmation: 'x' }).unknownControls).toEqual([
      { key: '_sort', meant: 'sort' },
      { key: '__filter', meant: 'result_filter' },
    ]);
    expect(split(LIST, { _result_filtr: {} }).unknownControls).toEqual([
      { key: '_result_filtr', meant: 'result_filter' },
    ]);
    expect(split(CREATE, { _sort: 'id', _filter: {} }).unknownControls).toEqual([{ key: '_filter' }]);
  });

  it('keeps a parameter called __proto__ as an own member', () => {
    const params = JSON.parse('{"__proto__": {"x": 1}, "first": 1}');
    expect(Object.keys(split(LIST, params).params)).toEqual(['__proto__']);
  });
});
