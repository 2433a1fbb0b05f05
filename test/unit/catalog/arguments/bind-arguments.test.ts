import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { bindArguments, checkArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { Meter, MOST_WORK } from '../../../../src/schema/evaluation.js';
import { anOperation } from '../../../support/an-operation.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const reading = (inputSchema: JsonSchema, strict = true): Operation =>
  buildTestOperation(aTool('get_thing', inputSchema), { strict, curation: [{ pattern: '*', category: 'READ' }] });

const updating = (inputSchema: JsonSchema, strict = true): Operation =>
  buildTestOperation(aTool('update_issue', inputSchema), { strict, curation: [{ pattern: '*', category: 'UPDATE' }] });

const typed = (properties: JsonObject, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

const faultsOf = (operation: Operation, params: JsonObject) => {
  const bound = bindArguments(operation, params);
  return bound.ok ? [] : bound.faults;
};
const codes = (operation: Operation, params: JsonObject) =>
  faultsOf(operation, params).map(({ code, param }) => `${code} ${param}`);

it('says what a member is that only a condition or an alternative demands', () => {
  const operation = reading({
    type: 'object',
    properties: {
      kind: { type: 'string' },
      when: { type: 'string' },
      seats: {
        type: 'array',
        items: { type: 'object', properties: { row: { type: 'integer' } }, anyOf: [{ required: ['row'] }] },
      },
    },
    if: { properties: { kind: { const: 'fast' } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['when'] },
  });
  const [fault] = faultsOf(operation, { kind: 'fast' });
  expect(fault).toMatchObject({
    param: 'when',
    expected: 'string',
    message: expect.stringContaining('Expected: string'),
  });
  expect(faultsOf(operation, { seats: [{}] })).toMatchObject([{ param: 'seats[0].row', expected: 'integer' }]);
});

describe('names', () => {
  const operation = reading(
    typed({ userId: { type: 'string' }, 'If-Match': { type: 'string' }, limit: { type: 'integer' } }),
  );

  it('are accepted as canonical and as the upstream spells them, and sent as the upstream spells them', () => {
    const expected = { ok: true, arguments: { userId: 'a', 'If-Match': 'b' } };
    expect(bindArguments(operation, { user_id: 'a', if_match: 'b' })).toEqual(expected);
    expect(bindArguments(operation, { userId: 'a', 'If-Match': 'b' })).toEqual(expected);
  });

  it("keep the caller's order", () => {
    const bound = bindArguments(operation, { limit: 1, user_id: 'a' });
    expect(bound.ok && Object.keys(bound.arguments)).toEqual(['limit', 'userId']);
  });

  it('are refused in both spellings at once', () => {
    expect(codes(operation, { user_id: 'a', userId: 'a' })).toEqual(['VALIDATION_INVALID_VALUE user_id']);
  });

  it('that are unknown are refused with the nearest; what else is valid is known where the refusal is worded', () => {
    expect(faultsOf(operation, { user: 'a', limits: 1, whatever: 2 })).toMatchObject([
      { code: 'VALIDATION_UNKNOWN_PARAM', param: 'user' },
      { code: 'VALIDATION_UNKNOWN_PARAM', param: 'limits', nearest: 'limit' },
      { code: 'VALIDATION_UNKNOWN_PARAM', param: 'whatever' },
    ]);
    expect(faultsOf(operation, { whatever: 2 })[0]?.message).toBe(
      "Unknown parameter 'whatever' for operation 'get_thing'",
    );
  });

  it('that are unknown pass as they are where the operator is not strict', () => {
    const lenient = reading(typed({ userId: {} }), false);
    expect(bindArguments(lenient, { user_id: 1, other_thing: 2 })).toEqual({
      ok: true,
      arguments: { userId: 1, other_thing: 2 },
    });
    const closed = reading({ ...typed({ userId: {} }), additionalProperties: false }, false);
    expect(codes(closed, { other: 2 })).toEqual(['VALIDATION_UNKNOWN_PARAM other']);
  });

  it('beginning with an underscore are metadata, unless the tool has such a parameter', () => {
    expect(bindArguments(operation, { _meta: 1, _request_id: 'x', _confirmation: 'conf_1' })).toEqual({
      ok: true,
      arguments: {},
    });
    const own = reading(typed({ _meta: { type: 'string' } }));
    expect(bindArguments(own, { _meta: 'x' })).toEqual({ ok: true, arguments: { _meta: 'x' } });
    expect(codes(own, { _meta: 5 })).toEqual(['VALIDATION_INVALID_TYPE meta']);
  });

  it('that mean something to JavaScript are names like others', () => {
    const params = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
    expect(codes(reading(typed({ userId: {} })), params)).toEqual([
      'VALIDATION_UNKNOWN_PARAM constructor',
      'VALIDATION_UNKNOWN_PARAM toString',
    ]);
    const lenient = reading(typed({}), false);
    const bound = bindArguments(lenient, JSON.parse('{"constructor":1}'));
    expect(bound.ok && Object.keys(bound.arguments)).toEqual(['constructor']);
    const proto = reading(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'));
    const sent = bindArguments(proto, { proto: 'x' });
    expect(sent.ok && JSON.stringify(sent.arguments)).toBe('{"__proto__":"x"}');
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

describe('values', () => {
  it.each<[string, JsonSchema, unknown, string]>([
    [
      'a type',
      { type: 'integer' },
      'five',
      "VALIDATION_INVALID_TYPE: Parameter 'the_value' expected 'integer', got 'string'",
    ],
    [
      'one of several types',
      { type: ['string', 'null'] },
      5,
      "VALIDATION_INVALID_TYPE: Parameter 'the_value' expected 'string or null', got 'number'",
    ],
    [
      'an enumeration',
      { enum: ['open', 'closed'] },
      'ajar',
      "VALIDATION_INVALID_ENUM: Parameter 'the_value' must be one of 'open', 'closed', got 'ajar'",
    ],
    ['a constant', { const: 'x' }, 'y', "VALIDATION_INVALID_ENUM: Parameter 'the_value' must be 'x', got 'y'"],
    [
      'a minimum',
      { type: 'number', minimum: 1 },
      0,
      "VALIDATION_OUT_OF_RANGE: Parameter 'the_value' must be 1 or more, got 0",
    ],
    [
      'a maximum',
      { type: 'number', exclusiveMaximum: 9 },
      9,
      "VALIDATION_OUT_OF_RANGE: Parameter 'the_value' must be less than 9, got 9",
    ],
    [
      'a multiple',
      { type: 'number', multipleOf: 5 },
      7,
      "VALIDATION_OUT_OF_RANGE: Parameter 'the_value' must be a multiple of 5, got 7",
    ],
    [
      'a length',
      { type: 'string', maxLength: 2 },
      'abc',
      "VALIDATION_OUT_OF_RANGE: Parameter 'the_value' must be 2 or fewer characters long",
    ],
    [
      'a count',
      { type: 'array', minItems: 2 },
      [1],
      "VALIDATION_OUT_OF_RANGE: Parameter 'the_value' must be 2 or more items long",
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^a+$' },
      'b',
      "VALIDATION_PATTERN_MISMATCH: Parameter 'the_value' must be text matching '^a+$', got 'b'",
    ],
    [
      'a format',
      { type: 'string', format: 'date' },
      'today',
      "VALIDATION_PATTERN_MISMATCH: Parameter 'the_value' must be text in the notation 'date', got 'today'",
    ],
    [
      'uniqueness',
      { type: 'array', uniqueItems: true },
      [1, 1],
      "VALIDATION_INVALID_VALUE: Parameter 'the_value' must be a list without repetitions",
    ],
  ])('are checked for %s', (_, schema, value, expected) => {
    const [fault, ...others] = faultsOf(reading(typed({ theValue: schema })), { the_value: value });
    expect(`${fault?.code}: ${fault?.message}`).toBe(expected);
    expect(others).toEqual([]);
  });

  it('are reported by their path, nested data in the spelling of the upstream', () => {
    const operation = reading(
      typed({
        theList: {
          type: 'array',
          items: {
            type: 'object',
            properties: { firstName: { type: 'string' } },
            required: ['firstName'],
            additionalProperties: false,
          },
        },
      }),
    );
    expect(codes(operation, { the_list: [{ firstName: 'a' }, { firstName: 5, surName: 1 }, {}] }).sort()).toEqual([
      'VALIDATION_INVALID_TYPE the_list[1].firstName',
      'VALIDATION_MISSING_PARAM the_list[2].firstName',
      'VALIDATION_UNKNOWN_PARAM the_list[1].surName',
    ]);
    const unknown = faultsOf(operation, { the_list: [{ firstName: 'a', firstNam: 1 }] });
    expect(unknown).toMatchObject([{ param: 'the_list[0].firstNam', nearest: 'firstName' }]);
  });

  it('are all reported at once, names included', () => {
    const operation = reading(typed({ a: { type: 'string' }, b: { type: 'integer' }, c: {} }, ['c']));
    expect(codes(operation, { a: 1, b: 'x', d: 2 }).sort()).toEqual([
      'VALIDATION_INVALID_TYPE a',
      'VALIDATION_INVALID_TYPE b',
      'VALIDATION_MISSING_PARAM c',
      'VALIDATION_UNKNOWN_PARAM d',
    ]);
  });

  it('that are missing are asked for with type and purpose', () => {
    const operation = reading(
      typed({ userName: { type: 'string', description: 'Who it is about. More text.' } }, ['userName']),
    );
    expect(faultsOf(operation, {})).toEqual([
      {
        code: 'VALIDATION_MISSING_PARAM',
        param: 'user_name',
        expected: 'string',
        message: "Missing required parameter 'user_name'. Expected: string (Who it is about.)",
      },
    ]);
  });

  it('that are missing are described beside the message where the words read as a stack to the published suite', () => {
    const orgId = { type: 'string', description: 'Organization that owns the project' };
    expect(faultsOf(reading(typed({ org_id: orgId }, ['org_id'])), {})).toEqual([
      {
        code: 'VALIDATION_MISSING_PARAM',
        param: 'org_id',
        expected: 'string',
        message: "Missing required parameter 'org_id'. Expected: string",
        description: 'Organization that owns the project',
      },
    ]);
  });

  it('are never converted and no default is put in', () => {
    const operation = reading(typed({ a: { type: 'integer', default: 5 }, b: { type: 'boolean' } }));
    expect(bindArguments(operation, {})).toEqual({ ok: true, arguments: {} });
    expect(codes(operation, { a: '5', b: 'true' })).toHaveLength(2);
  });

  it('that are secrets are not repeated', () => {
    const operation = reading(
      typed({ apiKey: { type: 'string', pattern: '^k' }, auth: typed({ password: { maxLength: 3 } }) }),
    );
    expect(JSON.stringify(faultsOf(operation, { api_key: 'hunter2', auth: { password: 'hunter2' } }))).not.toContain(
      'hunter2',
    );
  });

  it('that are wrong ten thousand times are not all explained', () => {
    const operation = reading(
      typed({ list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }),
    );
    expect(
      faultsOf(operation, { list: Array.from({ length: 10_000 }, (_, index) => index) }).length,
    ).toBeLessThanOrEqual(50);
  });
});

describe('alternatives', () => {
  const one = (schema: JsonSchema, value: unknown) => faultsOf(reading(typed({ v: schema })), { v: value });

  it('that all fail make one fault', () => {
    expect(one({ anyOf: [{ type: 'string' }, { type: 'integer' }] }, true)).toMatchObject([
      { code: 'VALIDATION_INVALID_TYPE', param: 'v', expected: 'string or integer', actual: 'boolean' },
    ]);
    expect(one({ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'c')).toMatchObject([
      { code: 'VALIDATION_INVALID_ENUM', expected: "'a' or 'b'" },
    ]);
  });

  it('speak through the one that was meant', () => {
    const nullable = { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] };
    expect(one(nullable, 'a')).toMatchObject([{ code: 'VALIDATION_OUT_OF_RANGE', param: 'v' }]);
    const tagged = {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'square' }, side: { type: 'number' } },
          required: ['kind', 'side'],
        },
      ],
    };
    expect(one(tagged, { kind: 'square' })).toMatchObject([{ code: 'VALIDATION_MISSING_PARAM', param: 'v.side' }]);
    expect(one(tagged, { kind: 'line' })).toMatchObject([{ code: 'VALIDATION_INVALID_VALUE', param: 'v' }]);
  });

  it('do not hide the faults beside them', () => {
    const operation = reading(typed({ v: { anyOf: [{ type: 'string' }, { type: 'null' }] }, w: { type: 'string' } }));
    expect(codes(operation, { v: 1, w: 1 })).toEqual(['VALIDATION_INVALID_TYPE v', 'VALIDATION_INVALID_TYPE w']);
  });

  it('that several of fit where one should are told apart', () => {
    expect(one({ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 5)).toMatchObject([
      { code: 'VALIDATION_INVALID_VALUE', message: expect.stringContaining('exactly one of') },
    ]);
  });

  it('of the whole call are told as such', () => {
    const operation = reading({ ...typed({ a: {}, b: {} }), anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(faultsOf(operation, {})).toMatchObject([
      { code: 'VALIDATION_INVALID_VALUE', param: 'params', expected: "object with 'a' or object with 'b'" },
    ]);
  });
});

describe('updates', () => {
  const schema = typed({ issueId: { type: 'string' }, title: { type: 'string' }, labelIds: { type: 'array' } }, [
    'issueId',
  ]);
  const operation = updating(schema);

  it('take identifiers beside input and what changes inside, either spelling', () => {
    const expected = { ok: true, arguments: { issueId: '1', title: 'x', labelIds: [] } };
    expect(bindArguments(operation, { issue_id: '1', input: { title: 'x', label_ids: [] } })).toEqual(expected);
    expect(bindArguments(operation, { issueId: '1', input: { title: 'x', labelIds: [] } })).toEqual(expected);
  });

  it('without input are asked for it first', () => {
    expect(codes(operation, { issue_id: '1' })).toEqual(['VALIDATION_MISSING_PARAM input']);
  });

  it('with flat arguments are shown the right shape, each field once', () => {
    const faults = faultsOf(operation, { issue_id: '1', title: 'x' });
    expect(faults).toMatchObject([
      { code: 'VALIDATION_MISSING_PARAM', param: 'input', message: expect.stringContaining("Put 'title' inside it") },
      { code: 'VALIDATION_UNKNOWN_PARAM', param: 'title', nearest: 'input.title' },
    ]);
  });

  it('with an identifier inside input are told where it belongs', () => {
    expect(faultsOf(operation, { input: { issue_id: '1', title: 'x' } })).toMatchObject([
      { code: 'VALIDATION_UNKNOWN_FIELD', param: 'input.issue_id', nearest: 'issue_id' },
    ]);
  });

  it('refuse unknown fields, unknown parameters and an input that is no object', () => {
    expect(codes(operation, { issue_id: '1', colour: 1, input: { titel: 'x' } })).toEqual([
      'VALIDATION_UNKNOWN_PARAM colour',
      'VALIDATION_UNKNOWN_FIELD input.titel',
    ]);
    expect(codes(operation, { issue_id: '1', input: '{}' })).toEqual(['VALIDATION_INVALID_TYPE input']);
  });

  it('report values by their path inside input', () => {
    expect(codes(operation, { issue_id: '1', input: { title: 5 } })).toEqual(['VALIDATION_INVALID_TYPE input.title']);
  });

  it('whose upstream has a parameter called input take it inside input', () => {
    const nested = updating(typed({ issueId: {}, input: { type: 'string' } }, ['issueId', 'input']));
    expect(bindArguments(nested, { issue_id: 1, input: { input: 'x' } })).toEqual({
      ok: true,
      arguments: { issueId: 1, input: 'x' },
    });
  });

  it('other operations take a parameter called input as it is', () => {
    expect(bindArguments(reading(typed({ input: { type: 'object' } })), { input: { a: 1 } })).toEqual({
      ok: true,
      arguments: { input: { a: 1 } },
    });
  });

  it('without any parameter need no input', () => {
    expect(bindArguments(updating(typed({})), {})).toEqual({ ok: true, arguments: {} });
  });
});

describe('an UPDATE that merges', () => {
  const schema = typed(
    { issueId: { type: 'string' }, state: { type: 'string' }, meta: typed({ a: { type: 'string' }, b: {} }, ['a']) },
    ['issueId', 'state'],
  );
  const curation = [{ pattern: '*', category: 'UPDATE', merge: { read: 'get_issue' } }] as const;
  const operation = buildTestOperation(aTool('update_issue', schema), { curation });

  it.each<[string, JsonObject, readonly string[]]>([
    ['takes a part of an object', { issue_id: '1', input: { meta: { b: 1 } } }, []],
    ['takes null for what is to go', { issue_id: '1', input: { state: null, meta: { a: null } } }, []],
    ['needs its identifier', { input: { meta: {} } }, ['VALIDATION_MISSING_PARAM issue_id']],
    ['needs an identifier that fits', { issue_id: 1, input: {} }, ['VALIDATION_INVALID_TYPE issue_id']],
    ['needs values that fit', { issue_id: '1', input: { state: 5 } }, ['VALIDATION_INVALID_TYPE input.state']],
    ['needs known names', { issue_id: '1', input: { stat: 'x' } }, ['VALIDATION_UNKNOWN_FIELD input.stat']],
  ])('%s', (_what, params, faults) => {
    expect(codes(operation, params)).toEqual(faults);
  });

  it('is checked as a whole once it is merged', () => {
    expect(checkArguments(operation, { issueId: '1', state: 'open', meta: { a: 'x' } })).toEqual([]);
    expect(checkArguments(operation, { issueId: '1', meta: {} }).map(({ param }) => param)).toEqual([
      'input.state',
      'input.meta.a',
    ]);
  });
});

describe('fixed arguments', () => {
  it('are added', () => {
    const operation = anOperation({
      inputSchema: typed({ method: { enum: ['get'] } }, ['method']),
      fixedArguments: { method: 'get' },
    });
    expect(bindArguments(operation, {})).toEqual({ ok: true, arguments: { method: 'get' } });
  });
});

describe('a schema that does not compile', () => {
  it('still has its required parameters and its names', () => {
    const operation = reading({ ...typed({ a: { $ref: 'https://example.com/remote.json' } }, ['a']) });
    expect(bindArguments(operation, { a: 'anything' })).toEqual({ ok: true, arguments: { a: 'anything' } });
    expect(codes(operation, { b: 1 })).toEqual(['VALIDATION_UNKNOWN_PARAM b', 'VALIDATION_MISSING_PARAM a']);
  });
});

it('answers anything with arguments or with faults that name a place', () => {
  const operation = updating(
    typed({ id: { type: 'string' }, a: { anyOf: [{ type: 'string' }, typed({ x: {} }, ['x'])] } }, ['id']),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('id', 'a', 'input', '_meta', '__proto__', 'z'), fc.jsonValue()),
      (params) => {
        const bound = bindArguments(operation, params);
        if (bound.ok) return;
        expect(bound.faults.length).toBeGreaterThan(0);
        for (const fault of bound.faults) expect(fault.param).not.toBe('');
      },
    ),
  );
});

it('null for a field of an update is named where the tool takes none, so that its caller learns of it', () => {
  const operation = updating(
    typed({ id: { type: 'string' }, note: { type: 'string' }, due: { type: ['string', 'null'] } }, ['id']),
  );
  const bound = bindArguments(operation, { id: 'a', input: { note: null, due: null } });
  expect(bound).toEqual({ ok: true, arguments: { id: 'a', due: null }, leftOut: ['input.note'] });
});

it.each([undefined, 'changed'] as const)(
  'null for all that an update changes is refused where the tool takes none, be it merged or not: %j',
  (writes) => {
    const schema = typed({ id: { type: 'string' }, note: { type: 'string' } }, ['id']);
    const operation = { ...updating(schema), ...(writes !== undefined && { merge: { read: 'get', writes } }) };
    const refused = bindArguments(operation, { id: 'a', input: { note: null } });
    expect(refused).toMatchObject({ ok: false, faults: [{ code: 'VALIDATION_INVALID_TYPE', param: 'input.note' }] });
  },
);

describe('null for an optional parameter', () => {
  const schema = typed({ id: { type: 'string' }, note: { type: 'string' }, due: { type: ['string', 'null'] } }, ['id']);

  it('is absent where the schema takes no null, and sent where it does', () => {
    const bound = bindArguments(reading(schema), { id: 'a', note: null, due: null });
    expect(bound).toEqual({ ok: true, arguments: { id: 'a', due: null } });
  });

  const either = (key: string, ...schemas: readonly JsonObject[]): JsonObject => ({ [key]: schemas });
  const text = { type: 'string' };
  const nothing = { type: 'null' };
  it.each<[schema: JsonObject | boolean, isSent: boolean]>([
    [text, false],
    [{ type: ['string', 'number'] }, false],
    [{ type: ['string', 'null'] }, true],
    [{ type: 'string', nullable: true }, true],
    [either('anyOf', text, nothing), true],
    [either('anyOf', text, { type: 'number' }), false],
    [either('oneOf', text, nothing), true],
    [either('allOf', text, { minLength: 1 }), false],
    [{ enum: ['a', null] }, true],
    [{ enum: ['a', 'b'] }, false],
    [{ const: null }, true],
    [{ $ref: '#/$defs/text' }, false],
    [{ $ref: '#/$defs/maybe' }, true],
    [{ type: 'string', default: null }, false],
    [{ description: 'Anything' }, true],
    [true, true],
  ])('of the schema %j: is sent: %j', (v, isSent) => {
    const $defs = { text, maybe: either('anyOf', text, nothing) };
    const both = { ...typed({ id: text, w: text, v }, ['id']), $defs };
    const expected = { ok: true, arguments: { id: 'a', w: 'x', ...(isSent && { v: null }) } };
    expect(bindArguments(reading(both), { id: 'a', w: 'x', v: null })).toEqual(expected);
    expect(bindArguments(updating(both), { id: 'a', input: { w: 'x', v: null } })).toEqual({
      ...expected,
      ...(!isSent && { leftOut: ['input.v'] }),
    });
  });

  it.each([
    ['a member of an object', { at: { a: null, b: 1 } }, { at: { b: 1 } }],
    ['a member of a list item', { list: [{ b: 1 }, { b: 2, a: null }] }, { list: [{ b: 1 }, { b: 2 }] }],
    ['several members', { at: { a: null, b: 1, c: null } }, { at: { b: 1, c: null } }],
  ])('is absent for %s too', (_, given, sent) => {
    const inner = {
      type: 'object',
      properties: { a: text, b: { type: 'integer' }, c: { type: ['string', 'null'] } },
      required: ['b'],
    };
    const operation = reading(typed({ at: inner, list: { type: 'array', items: inner } }));
    expect(bindArguments(operation, given)).toEqual({ ok: true, arguments: sent });
  });

  it('is refused in a nested object that needs the member, and in a list', () => {
    const inner = { type: 'object', properties: { a: text, b: text }, required: ['a'] };
    const operation = reading(typed({ at: inner, list: { type: 'array', items: text } }));
    expect(codes(operation, { at: { a: null } })).toEqual(['VALIDATION_INVALID_TYPE at.a']);
    expect(codes(operation, { list: ['x', null] })).toEqual(['VALIDATION_INVALID_TYPE list[1]']);
  });

  it('counts as missing where the parameter is required', () => {
    expect(codes(reading(schema), { id: null })).toEqual(['VALIDATION_INVALID_TYPE id']);
  });

  it('is looked for within the work of one check', () => {
    const slow = { oneOf: [{ $ref: '#/$defs/d0' }, { $ref: '#/$defs/d0' }] };
    const $defs: JsonObject = { d30: { type: 'string' } };
    for (let index = 0; index < 30; index += 1) {
      $defs[`d${index}`] = { oneOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] };
    }
    const names = Array.from({ length: 500 }, (_, index) => `p${index}`);
    const operation = reading({ ...typed(Object.fromEntries(names.map((name) => [name, slow]))), $defs });
    const meter = new Meter();
    bindArguments(operation, Object.fromEntries(names.map((name) => [name, null])), meter);
    expect(meter.work).toBe(MOST_WORK);
  });

  it('removes a field in an update that writes the whole', () => {
    const merging = { ...updating(schema), merge: { read: 'get_issue', writes: 'whole' as const } };
    expect(bindArguments(merging, { id: 'a', input: { note: null } })).toMatchObject({
      ok: true,
      arguments: { id: 'a', note: null },
    });
  });
});

describe('the number of faults', () => {
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown_name_${index}`, value]));
  const operation = reading(typed({ known_name: { type: 'array', items: { type: 'string' } } }));

  it('is bounded, and so is the number of names that are suggested', () => {
    const faults = faultsOf(operation, many(20_000, 1));
    expect(faults).toHaveLength(50);
    expect(faults.filter(({ nearest }) => nearest !== undefined).length).toBeLessThanOrEqual(8);
  });

  it('is bounded for lists of wrong items, and for parameters that are missing', () => {
    const list = Array.from({ length: 10_000 }, () => 1);
    expect(faultsOf(operation, { known_name: list })).toHaveLength(50);
    const demanding = reading(typed(many(1_000, { type: 'string' }), Object.keys(many(1_000, 1))));
    expect(faultsOf(demanding, {})).toHaveLength(50);
  });

  it('repeats a long name by its beginning', () => {
    const [fault] = faultsOf(operation, { ['x'.repeat(800_000)]: 1 });
    expect(fault?.message.length).toBeLessThan(500);
    expect(fault?.param.length).toBeLessThanOrEqual(100);
  });
});

describe('arguments that cannot be checked to the end', () => {
  const next = (index: number) => ({ $ref: `#/$defs/d${index}` });
  const $defs: JsonObject = { d30: { type: 'string' } };
  for (let index = 0; index < 30; index += 1) $defs[`d${index}`] = { allOf: [next(index + 1), next(index + 1)] };
  const operation = reading({ ...typed({ a: next(0), level: { type: 'integer', maximum: 3 } }), $defs });

  it('are sent, which is said, and switch off nothing for the next call', () => {
    expect(bindArguments(operation, { a: 'text' })).toMatchObject({ ok: true, unchecked: expect.any(String) });
    expect(codes(operation, { level: 99 })).toEqual(['VALIDATION_OUT_OF_RANGE level']);
  });
});
