import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import { splitTool } from '../../../../src/catalog/grouped-tools/split-tool.js';

const tool = (method: JsonSchema, rest: JsonObject = {}) => ({
  name: 'crate_write',
  description: 'Works on crates.',
  inputSchema: { type: 'object', properties: { method, id: { type: 'string' } }, ...rest },
});

describe('splitTool', () => {
  it('gives each value a name', () => {
    expect(splitTool(tool({ enum: ['create', 'delete'] }))).toEqual({
      parameter: 'method',
      values: [
        { value: 'create', name: 'create_crate' },
        { value: 'delete', name: 'delete_crate' },
      ],
      differs: true,
    });
  });

  it.each([
    ['categories', ['create', 'update'], true],
    ['dangers of one category', ['update', 'overwrite'], true],
    ['nothing', ['start', 'stop', 'restart'], false],
  ])('says whether the values differ in category or danger, here in %s: %j', (_what, values, differs) => {
    expect(splitTool(tool({ enum: values }))?.differs).toBe(differs);
  });

  it('ignores annotations when it compares the values', () => {
    const method = { enum: ['list', 'delete'] };
    const hinted = { ...tool(method), annotations: { readOnlyHint: true, destructiveHint: true } };
    expect(splitTool(hinted)).toEqual(splitTool(tool(method)));
  });

  it.each([
    ['a reference', { $ref: '#/$defs/Method' }],
    ['a wrapped reference', { allOf: [{ $ref: '#/$defs/Method' }], default: 'create' }],
    ['an optional one', { anyOf: [{ $ref: '#/$defs/Method' }, { type: 'null' }] }],
    ['constants', { oneOf: [{ const: 'create' }, { const: 'delete' }] }],
  ])('finds the values in %s', (_what, method) => {
    const $defs = { Method: { type: 'string', enum: ['create', 'delete'] } };
    expect(splitTool(tool(method, { $defs }))?.values.map(({ value }) => value)).toEqual(['create', 'delete']);
  });

  it('finds values that are only in the branches', () => {
    const branch = (value: string) => ({ properties: { method: { const: value } }, required: ['method'] });
    const oneOf = [branch('create'), branch('delete')];
    expect(splitTool(tool({ type: 'string' }, { oneOf }))?.values.map(({ value }) => value)).toEqual([
      'create',
      'delete',
    ]);
  });

  it.each([
    ['other texts are taken too', { anyOf: [{ enum: ['create', 'delete'] }, { type: 'string' }] }],
    ['not all are texts', { enum: ['create', 'delete', 3] }],
    ['there are too many', { enum: Array.from({ length: 51 }, (_, index) => `delete_${index}`) }],
    ['there are none', { type: 'string' }],
    ['all read', { enum: ['list', 'get'] }],
  ])('does not split a tool where %s', (_what, method) => {
    expect(splitTool(tool(method))).toBeNull();
  });
});
