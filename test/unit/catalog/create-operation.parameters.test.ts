import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { readParameters } from '../../../src/catalog/create-operation.js';

const read = (schema: JsonSchema) =>
  readParameters(schema).parameters.map(({ name, required }) => (required ? `${name}*` : name));

describe('readParameters', () => {
  it('gives canonical names and keeps the upstream spelling and the order', () => {
    const schema = { properties: { 'If-Match': {}, pageID: { type: 'integer' }, plain: {} }, required: ['plain'] };
    expect(readParameters(schema).parameters).toEqual([
      { name: 'if_match', upstreamName: 'If-Match', place: 'params', required: false, schema: {} },
      { name: 'page_id', upstreamName: 'pageID', place: 'params', required: false, schema: { type: 'integer' } },
      { name: 'plain', upstreamName: 'plain', place: 'params', required: true, schema: {} },
    ]);
  });

  it('numbers parameters of the same canonical name and reports them', () => {
    const { parameters, suffixed } = readParameters({ properties: { userId: {}, user_id: {}, 'user-id': {} } });
    expect(parameters.map(({ name }) => name)).toEqual(['user_id_3', 'user_id', 'user_id_2']);
    expect(suffixed.map(({ upstreamName }) => upstreamName)).toEqual(['userId', 'user-id']);
  });

  it.each<[string, JsonSchema, string[]]>([
    ['a root reference', { $ref: '#/$defs/A', $defs: { A: { properties: { a: {} }, required: ['a'] } } }, ['a*']],
    ['allOf', { properties: { a: {} }, allOf: [{ properties: { b: {} }, required: ['a', 'b'] }] }, ['a*', 'b*']],
    [
      'anyOf',
      {
        anyOf: [
          { properties: { a: {}, b: {} }, required: ['a', 'b'] },
          { properties: { a: {} }, required: ['a'] },
        ],
      },
      ['a*', 'b'],
    ],
    [
      'alternatives that only require',
      { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      ['a', 'b'],
    ],
    [
      'oneOf with null',
      { oneOf: [{ type: 'null' }, { type: 'object', properties: { a: {} }, required: ['a'] }] },
      ['a*'],
    ],
    [
      'conditions',
      JSON.parse('{"if":{},"then":{"properties":{"a":{}},"required":["a"]},"else":{"properties":{"b":{}}}}'),
      ['a', 'b'],
    ],
    ['a name that is only required', { required: ['ghost'] }, ['ghost*']],
    ['a forbidden property', { properties: { a: false, b: true } }, ['b']],
    ['recursion', { $ref: '#', properties: { a: {} }, allOf: [{ $ref: '#' }] }, ['a']],
    ['a broken reference', { $ref: '#/nowhere', properties: { a: {} } }, ['a']],
    ['a remote reference', { $ref: 'https://example.com/schema.json', properties: { a: {} } }, ['a']],
    ['nonsense', { properties: [1, 2], required: 'a', allOf: 5 }, []],
  ])('reads %s', (_, schema, expected) => {
    expect(read(schema)).toEqual(expected);
  });

  it('keeps the schemas of one property in several alternatives as alternatives', () => {
    const schema = { oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] };
    expect(readParameters(schema).parameters[0]?.schema).toEqual({ anyOf: [{ const: 'a' }, { const: 'b' }] });
  });

  it('reads a property called __proto__ like any other', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{}}}');
    expect(read(schema)).toEqual(['proto', 'constructor']);
  });

  it('never throws and never repeats a name', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (properties) => {
        const names = readParameters({ properties }).parameters.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
