import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { readParameters } from '../../../src/catalog/create-operation.js';
import type { CurationRule, UpstreamConfig } from '../../../src/config/gateway-config.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

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

interface Given {
  readonly rules?: readonly CurationRule[];
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly settings?: Partial<UpstreamConfig>;
}

function sensitiveOf(
  properties: Readonly<Record<string, JsonSchema>>,
  { rules = [], definitions = {}, settings = {} }: Given = {},
): readonly string[] | undefined {
  const tool = aTool('do_it', { type: 'object', properties, $defs: definitions });
  return buildTestOperation(tool, { curation: rules, ...settings }).sensitive;
}

const text = { type: 'string' };
const secret = { type: 'string', writeOnly: true };

describe('the sensitive parameters of an operation', () => {
  it.each<[string, JsonSchema]>([
    ['is written and never read', secret],
    ['is a password', { type: 'string', format: 'password' }],
    ['may be null', { anyOf: [{ type: 'string', format: 'password' }, { type: 'null' }] }],
    ['is defined elsewhere', { $ref: '#/$defs/secret' }],
    ['is defined elsewhere, and secret here', { $ref: '#/$defs/text', writeOnly: true }],
    ['is one alternative', { oneOf: [{ type: 'integer' }, { allOf: [{ $ref: '#/$defs/secret' }] }] }],
    ['is a list', { type: 'array', items: secret }],
    ['is part of a circle', { $ref: '#/$defs/circle' }],
  ])('include a parameter whose schema marks it as secret, where it %s', (_, schema) => {
    const definitions = { secret, text, circle: { anyOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/secret' }] } };
    expect(sensitiveOf({ plain: text, hidden: schema }, { definitions })).toEqual(['hidden']);
  });

  it.each<[string, JsonSchema]>([
    ['text', text],
    ['text that may be read', { type: 'string', writeOnly: false, format: 'email' }],
    ['a broken reference', { $ref: '#/$defs/nowhere' }],
    ['a circle', { $ref: '#/$defs/circle' }],
  ])('do not include %s, and are then absent from the operation', (_, schema) => {
    const circle = { anyOf: [{ $ref: '#/$defs/circle' }, text] };
    expect(sensitiveOf({ plain: schema }, { definitions: { circle } })).toBeUndefined();
  });

  it.each(['accountNumber', 'account_number'])(
    "include a parameter that the operator names in either spelling, here '%s'",
    (name) => {
      const rules = [{ pattern: 'do_*', sensitive: [name] }];
      expect(sensitiveOf({ plain: text, accountNumber: text }, { rules })).toEqual(['accountNumber']);
    },
  );

  it('list each parameter once where both the operator and the schema mark it', () => {
    const rules = [{ pattern: '*', sensitive: ['pin', 'pass_word', 'passWord'] }];
    expect(sensitiveOf({ passWord: secret, pin: text }, { rules })).toEqual(['passWord', 'pin']);
  });

  it.each([
    [true, undefined],
    [false, ['unheard_of']],
  ])('include unknown names only where unknown parameters are forwarded (strict: %s)', (strict, expected) => {
    const rules = [{ pattern: '*', sensitive: ['unheard_of'] }];
    expect(sensitiveOf({ plain: text }, { rules, settings: { strict } })).toEqual(expected);
  });

  it('include parameters in the input of an UPDATE', () => {
    const tool = aTool('update_user', {
      type: 'object',
      properties: { userId: text, newPass: secret },
      required: ['userId'],
    });
    const operation = buildTestOperation(tool);
    expect(operation.parameters.map(({ name, place }) => [name, place])).toEqual([
      ['user_id', 'params'],
      ['new_pass', 'input'],
    ]);
    expect(operation.sensitive).toEqual(['newPass']);
  });
});

describe('the confirmation settings of an operation', () => {
  const rules: CurationRule[] = [
    { pattern: '*', cooldownSeconds: 10, confirmationMessage: 'Sure?' },
    { pattern: 'do_it', confirmationMessage: 'Do {plain}?' },
  ];

  it('come from the curation, where later rules overwrite earlier ones', () => {
    const operation = buildTestOperation(aTool('do_it'), { curation: rules });
    expect(operation).toMatchObject({ cooldownSeconds: 10, confirmationMessage: 'Do {plain}?' });
  });

  it('are absent where no rule sets them', () => {
    const operation = buildTestOperation(aTool('do_it'));
    for (const member of ['cooldownSeconds', 'confirmationMessage', 'sensitive']) {
      expect(operation[member as keyof typeof operation]).toBeUndefined();
    }
  });
});
