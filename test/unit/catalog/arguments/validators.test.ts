import { describe, expect, it } from 'vitest';
import { validatorFor } from '../../../../src/catalog/arguments/validators.js';
import type { JsonSchema } from '../../../../src/protocol/json.js';

const accepts = (schema: JsonSchema, value: unknown) => validatorFor(schema).accepts(value);

describe('validatorFor', () => {
  it('shares one validator among schemas of the same content', () => {
    expect(validatorFor({ type: 'string' })).toBe(validatorFor({ type: 'string' }));
    expect(validatorFor({ type: 'string' })).not.toBe(validatorFor({ type: 'number' }));
  });

  it('speaks the dialect that the schema names', () => {
    const prefix = { type: 'array', prefixItems: [{ type: 'string' }] };
    expect(accepts({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...prefix }, [1])).toBe(false);
    expect(accepts(prefix, [1])).toBe(true);
    const tuple = { type: 'array', items: [{ type: 'string' }] };
    expect(accepts({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, [1])).toBe(false);
    const unevaluated = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(accepts({ $schema: 'https://json-schema.org/draft/2019-09/schema', ...unevaluated }, { b: 1 })).toBe(false);
  });

  it('keeps the schemas of two servers apart, whatever they call themselves', () => {
    const named = (type: string): JsonSchema => ({
      $id: 'https://example.com/thing',
      properties: { a: { $ref: '#/definitions/a' } },
      definitions: { a: { $id: 'https://example.com/a', type } },
    });
    expect(validatorFor(named('string')).problem).toBeUndefined();
    expect(validatorFor(named('number')).problem).toBeUndefined();
    expect(accepts(named('string'), { a: 'x' })).toBe(true);
    expect(accepts(named('number'), { a: 'x' })).toBe(false);
    expect(accepts({ properties: { a: { $ref: 'https://example.com/a' } } }, { a: true })).toBe(true);
  });

  it.each<[string, JsonSchema]>([
    ['a remote reference', { $ref: 'https://example.com/schema.json' }],
    ['a broken reference', { $ref: '#/definitions/none' }],
    ['an unknown type', { type: 'Object' }],
  ])('accepts everything where %s does not compile, and says so', (_, schema) => {
    const validator = validatorFor(schema);
    expect(validator.problem).toBeTypeOf('string');
    expect(validator.accepts(5)).toBe(true);
    expect(validator.violations(5)).toEqual([]);
  });

  it.each<[string, JsonSchema]>([
    ['$async', { $async: true, type: 'string' }],
    ['the id of draft-04', { id: 'thing', type: 'string' }],
    ['unknown keywords and formats', { type: 'string', 'x-thing': 1, format: 'whatever' }],
    ['an unknown dialect', { $schema: 'https://example.com/dialect', type: 'string' }],
    ['a pattern of another language', { type: 'string', pattern: '(?P<name>a)' }],
    ['a pattern that is not Unicode', { type: 'string', pattern: '^[\\w-\\.]+$' }],
  ])('checks what it can in spite of %s', (_, schema) => {
    expect(validatorFor(schema).problem).toBeUndefined();
    expect(accepts(schema, 5)).toBe(false);
    expect(accepts(schema, 'text')).toBe(true);
  });

  it('follows recursion', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } } };
    expect(accepts(tree, { child: { child: { name: 'x' } } })).toBe(true);
    expect(accepts(tree, { child: { child: { name: 5 } } })).toBe(false);
  });

  it('reports every violation, and changes nothing', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } } };
    const value = { a: 1, b: 2 };
    expect(
      validatorFor(schema)
        .violations(value)
        .map(({ instancePath }) => instancePath),
    ).toEqual(['/a', '/b']);
    expect(validatorFor(schema).violations({})).toEqual([]);
    expect(value).toEqual({ a: 1, b: 2 });
  });

  it('does not let a pattern that it skips claim members', () => {
    const schema = { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } };
    expect(validatorFor(schema).problem).toContain('patternProperties');
    expect(accepts(schema, { b: 5 })).toBe(true);
  });

  it('survives a schema that is nested beyond compiling', () => {
    let schema: JsonSchema = { type: 'string' };
    for (let depth = 0; depth < 50_000; depth++) schema = { properties: { a: schema } };
    expect(validatorFor(schema).problem).toBeTypeOf('string');
  });
});
