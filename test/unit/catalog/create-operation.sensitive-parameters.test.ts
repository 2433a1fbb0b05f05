import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json/json.js';
import type { CurationRule, UpstreamConfig } from '../../../src/config/gateway-config.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

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
      expect(operation).not.toHaveProperty(member);
    }
  });
});
