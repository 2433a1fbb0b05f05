import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../../../src/base/json/json.js';
import type { RawTool } from '../../../../../../src/base/protocol/tools.js';
import {
  describeParameters,
  describeReturns,
} from '../../../../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { aTool, buildTestOperation } from '../../../../../support/build-test-catalog.js';

const describeOne = (schema: JsonSchema, name = 'value', rest: JsonSchema = {}) =>
  describeParameters(
    buildTestOperation(aTool('get_thing', { type: 'object', properties: { [name]: schema }, ...rest })),
  )[0];

const withCategory = (category: 'READ' | 'UPDATE', properties: JsonObject, rest: RawTool = {}) =>
  buildTestOperation(aTool('update_issue', { type: 'object', properties }, rest), {
    curation: [{ pattern: '*', category }],
  });

describe('describeParameters', () => {
  it.each([2 ** 63, -(2 ** 63), Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    'says nothing of the number %s, which may be another one than the server wrote',
    (number) => {
      const limits = { minimum: 0, maximum: number, exclusiveMaximum: number, default: number };
      expect(describeOne({ type: 'number', ...limits })).toEqual({
        name: 'value',
        type: 'number',
        required: false,
        minimum: 0,
      });
      const row = { type: 'object', properties: { n: { type: 'integer', ...limits } } };
      expect(JSON.stringify(describeOne(row))).not.toMatch(/e\+|\d{9}|Infinity/);
    },
  );

  it('describes scalars with their constraints', () => {
    expect(
      describeOne({
        type: 'string',
        description: 'A\u200b name',
        minLength: 1,
        maxLength: 9,
        pattern: '^a',
        format: 'email',
        default: 'a',
      }),
    ).toEqual({
      name: 'value',
      type: 'string',
      required: false,
      description: 'A name',
      default: 'a',
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      format: 'email',
    });
    expect(describeOne({ type: 'integer', minimum: 0, maximum: 5 })).toEqual({
      name: 'value',
      type: 'integer',
      required: false,
      minimum: 0,
      maximum: 5,
    });
    expect(describeOne({ type: 'boolean', minimum: 'x', minLength: -1 })).toEqual({
      name: 'value',
      type: 'boolean',
      required: false,
    });
    expect(describeOne({})).toEqual({ name: 'value', type: 'any', required: false });
  });

  it('says once that a parameter is deprecated', () => {
    const text = { type: 'string', deprecated: true };
    expect(describeOne({ ...text, description: 'Old name' })?.description).toBe('Deprecated. Old name');
    expect(describeOne({ ...text, description: 'Deprecated: use id' })?.description).toBe('Deprecated: use id');
    expect(describeOne(text)?.description).toBe('Deprecated');
  });

  it('describes limits without a key in words', () => {
    expect(describeOne({ type: 'number', description: 'Size', exclusiveMinimum: 0, multipleOf: 5 })?.description).toBe(
      'Size. [a multiple of 5, more than 0]',
    );
    expect(describeOne({ type: 'array', items: { type: 'string' }, maxItems: 3 })?.description).toBe(
      '[3 or fewer items]',
    );
  });

  it('describes enumerations, also of constants', () => {
    expect(describeOne({ type: 'string', enum: ['a', 'b'] })).toMatchObject({ type: 'string', enum: ['a', 'b'] });
    expect(describeOne({ anyOf: [{ const: 1 }, { const: 2 }] })).toMatchObject({ type: 'number', enum: [1, 2] });
  });

  it('resolves null, references and wrappers', () => {
    expect(describeOne({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'Page' })).toEqual({
      name: 'value',
      type: 'integer',
      required: false,
      description: 'Page. May be null.',
      minimum: 1,
    });
    expect(describeOne({ type: ['string', 'null'] })).toMatchObject({ type: 'string', description: 'May be null.' });
    expect(
      describeOne({ $ref: '#/$defs/x', description: 'Here' }, 'value', {
        $defs: { x: { type: 'number', description: 'There' } },
      }),
    ).toMatchObject({ type: 'number', description: 'Here' });
    expect(describeOne({ allOf: [{ type: 'string' }] })).toMatchObject({ type: 'string' });
  });

  it('describes arrays with their elements', () => {
    expect(describeOne({ type: 'array', items: { type: 'string', enum: ['a'] } })).toMatchObject({
      type: 'array',
      items: { type: 'string', enum: ['a'] },
    });
    expect(describeOne({ type: 'array' })).toEqual({ name: 'value', type: 'array', required: false });
    expect(
      describeOne({ type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } }),
    ).toMatchObject({
      type: 'array',
      items: { type: 'GetThingValueItem' },
      description: 'Each item: GetThingValueItem {a (string)}.',
    });
  });

  it('names the types of objects and unions and sketches what is inside', () => {
    const range = {
      type: 'object',
      properties: { from: { type: 'string' }, to: { enum: ['a', 'b'] } },
      required: ['from'],
    };
    expect(describeOne(range)).toMatchObject({
      type: 'GetThingValue',
      description: "Fields (* required): from* (string), to ('a'|'b').",
    });
    expect(describeOne({ anyOf: [{ type: 'string' }, range] })).toMatchObject({
      type: 'GetThingValue',
      description: "One of: string; GetThingValueOption2 {from* (string), to ('a'|'b')}.",
    });
    expect(describeOne({ type: 'object', additionalProperties: { type: 'number' } })).toMatchObject({
      type: 'object',
      description: 'Free keys, each value number.',
    });
  });

  it('ends where a type contains itself', () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/node' }, all: { type: 'array', items: { $ref: '#/$defs/node' } } },
    };
    expect(describeOne({ $ref: '#/$defs/node' }, 'node', { $defs: { node } })).toMatchObject({
      type: 'GetThingNode',
      description: 'Fields (* required): next (GetThingNode), all (GetThingNode[]).',
    });
  });

  it('ends where a list contains itself', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/list' } };
    expect(describeOne({ $ref: '#/$defs/list' }, 'list', { $defs: { list } })).toMatchObject({
      type: 'array',
      items: { type: 'array' },
    });
    const holder = { type: 'object', properties: { list: { $ref: '#/$defs/list' } } };
    expect(describeOne(holder, 'holder', { $defs: { list } })?.description).toMatch(/list \(array(\[\])+\)/);
  });

  it.each([
    ['password', true],
    ['apiKey', true],
    ['client_secret', true],
    ['authToken', true],
    ['token', true],
    ['max_tokens', false],
    ['next_page_token', false],
    ['page_token', false],
    ['key', false],
    ['keyboard', false],
  ])('marks %s as sensitive: %s', (name, sensitive) => {
    expect(describeOne({ type: 'string' }, name)?.sensitive ?? false).toBe(sensitive);
  });

  it('puts what an update changes inside one parameter and lists it there', () => {
    const properties = {
      issueId: { type: 'string' },
      newTitle: { type: 'string', description: 'What to call it. At length.' },
      tags: { type: 'array', items: { type: 'string' } },
    };
    expect(describeParameters(withCategory('UPDATE', properties))).toEqual([
      { name: 'issue_id', type: 'string', required: false },
      {
        name: 'input',
        type: 'UpdateIssueInput',
        required: true,
        description: 'The fields to change (* required): new_title (string): What to call it; tags (string[])',
      },
    ]);
    expect(describeParameters(withCategory('READ', properties)).map(({ name }) => name)).toEqual([
      'issue_id',
      'new_title',
      'tags',
    ]);
  });

  it('leaves out no field of an update, however many there are', () => {
    const names = Array.from({ length: 200 }, (_, index) => `field_number_${index}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string', description: 'Long words. '.repeat(9) }]),
    );
    const description = describeParameters(withCategory('UPDATE', properties)).at(-1)?.description ?? '';
    expect(names.filter((name) => !description.includes(name))).toEqual([]);
    expect(description.length).toBeLessThan(8_000);
  });
});

describe('describeReturns', () => {
  it('describes what a tool declares', () => {
    const outputSchema = {
      type: 'object',
      description: 'An issue.',
      properties: { id: { type: 'string' } },
      required: ['id'],
    };
    expect(describeReturns(withCategory('READ', {}, { outputSchema }))).toEqual({
      name: 'UpdateIssueResult',
      kind: 'object',
      description: 'An issue. Fields: id* (string)',
    });
  });

  it('describes the answer of a tool that declares nothing', () => {
    expect(describeReturns(withCategory('READ', {}))).toMatchObject({ name: 'ToolData', kind: 'union' });
    expect(describeReturns(withCategory('READ', {}), true).description).toMatch(/\. CollectionResult where controls/);
  });
});
