import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { describeCombinations } from '../../../../src/catalog/arguments/combinations.js';
import { exampleParams, findValidExample } from '../../../../src/catalog/arguments/example-params.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const operationOf = (properties: JsonObject, required: readonly string[], category: 'READ' | 'UPDATE' = 'READ') =>
  buildTestOperation(aTool('update_issue', { type: 'object', properties, required }), {
    curation: [{ pattern: '*', category }],
  });

describe('exampleParams', () => {
  it('shows what is required, and only that', () => {
    const operation = operationOf({ userId: { type: 'string' }, limit: { type: 'integer' } }, ['userId']);
    expect(exampleParams(operation)).toEqual({ user_id: 'example' });
  });

  it.each<[JsonSchema, unknown]>([
    [{ type: 'string', examples: ['mine', 'other'] }, 'mine'],
    [{ type: 'string', default: 'usual' }, 'usual'],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ const: 5 }, 5],
    [{ type: 'string', format: 'date' }, '2025-01-31'],
    [{ type: 'string', pattern: '^#[0-9a-f]{6}$' }, '#000000'],
    [{ type: 'string', minLength: 9 }, 'exampleex'],
    [{ type: 'string', maxLength: 3 }, 'exa'],
    [{ type: 'integer', minimum: 10 }, 10],
    [{ type: 'integer', exclusiveMinimum: 1, multipleOf: 5 }, 10],
    [{ type: 'number', maximum: -2 }, -2],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] }, { a: 'example' }],
    [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
    [{ $ref: '#/properties/other' }, 7],
  ])('makes a value of %j', (schema, value) => {
    const operation = operationOf({ v: schema, other: { const: 7 } }, ['v']);
    expect(exampleParams(operation)).toEqual({ v: value });
    expect(bindArguments(operation, exampleParams(operation)).ok).toBe(true);
  });

  it('ends where a type contains itself', () => {
    const operation = operationOf(
      { v: { type: 'object', properties: { v: { $ref: '#/properties/v' } }, required: ['v'] } },
      ['v'],
    );
    expect(JSON.stringify(exampleParams(operation)).length).toBeLessThan(200);
  });

  it('writes nothing of its own where the name says what changes, and an empty input is enough', () => {
    const markDone = (required: readonly string[]) =>
      buildTestOperation(
        aTool('mark_task_done', {
          type: 'object',
          properties: { task_id: { type: 'string' }, note: { type: 'string' } },
          required,
        }),
        { curation: [{ pattern: '*', category: 'UPDATE' }] },
      );
    const operation = markDone(['task_id']);
    expect(exampleParams(operation)).toEqual({ task_id: 'example', input: {} });
    expect(bindArguments(operation, { task_id: '5', input: {} })).toMatchObject({ ok: true });
    expect(bindArguments(operation, { task_id: '5' })).toMatchObject({
      ok: false,
      faults: [
        {
          message:
            "Missing required parameter 'input'. Expected: object (the fields to change). It may be empty, {}, or hold 'note'",
        },
      ],
    });
    expect(exampleParams(markDone(['task_id', 'note']))).toEqual({ task_id: 'example', input: { note: 'example' } });
  });

  describe('of an update', () => {
    const operation = operationOf(
      { issueId: { type: 'string' }, title: { type: 'string' }, count: { type: 'integer' } },
      ['issueId'],
      'UPDATE',
    );

    it('has both places filled', () => {
      expect(exampleParams(operation)).toEqual({ issue_id: 'example', input: { title: 'example' } });
    });

    it.each<[string, JsonObject, JsonObject]>([
      ['flat arguments', { issue_id: '7', title: 'x' }, { issue_id: '7', input: { title: 'x' } }],
      ['an identifier inside input', { input: { issueId: '7', title: 'x' } }, { issue_id: '7', input: { title: 'x' } }],
      ['input as a JSON text', { issue_id: '7', input: '{"title":"x"}' }, { issue_id: '7', input: { title: 'x' } }],
      [
        'params within params',
        { params: { issue_id: '7', input: { count: 3 } } },
        { issue_id: '7', input: { count: 3 } },
      ],
      ['params as a JSON text', { params: '{"issue_id":"7","count":3}' }, { issue_id: '7', input: { count: 3 } }],
      ['a slip', { isue_id: '7', input: { titel: 'x' } }, { issue_id: '7', input: { title: 'x' } }],
      ['a number as text', { issue_id: '7', input: { count: '3' } }, { issue_id: '7', input: { count: 3 } }],
      [
        'what cannot be used',
        { issue_id: 5, whatever: 1, input: { title: 'x', count: [] } },
        { issue_id: 'example', input: { title: 'x' } },
      ],
    ])('keeps what is right of %s', (_, given, expected) => {
      expect(exampleParams(operation, given)).toEqual(expected);
      expect(bindArguments(operation, exampleParams(operation, given)).ok).toBe(true);
    });
  });

  it('keeps nested values whose members are spelt as callers spell parameters', () => {
    const edit = {
      type: 'object',
      properties: { oldText: { type: 'string' }, newText: { $ref: '#/$defs/words' } },
      required: ['oldText'],
      additionalProperties: false,
    };
    const schema = {
      type: 'object',
      properties: { edits: { type: 'array', items: edit } },
      required: ['edits'],
      $defs: { words: { type: 'object', properties: { asText: { type: 'string' } }, additionalProperties: false } },
    };
    const operation = buildTestOperation(aTool('apply_edits', schema));
    const given = { edits: [{ old_text: 'a', new_text: { as_text: 'b' } }] };
    const edits = [{ oldText: 'a', newText: { asText: 'b' } }];
    expect(exampleParams(operation, given)).toEqual({ input: { edits } });
    expect(exampleParams(operation, { edits: [{ text: 'a' }] })).toEqual({
      input: { edits: [{ oldText: 'example' }] },
    });
  });

  it('unwraps an input that belongs to no update', () => {
    expect(exampleParams(operationOf({ title: {} }, ['title']), { input: { title: 'x' } })).toEqual({ title: 'x' });
    const own = operationOf({ input: { type: 'object' } }, ['input']);
    expect(exampleParams(own, { input: { title: 'x' } })).toEqual({ input: { title: 'x' } });
  });

  it('is not led astray by names that mean something to JavaScript', () => {
    const operation = operationOf({ a: { type: 'string' } }, []);
    expect(exampleParams(operation, JSON.parse('{"__proto__":{"a":"x"},"constructor":1}'))).toEqual({});
  });
});

describe('a schema that demands combinations at its root', () => {
  const text = { type: 'string' };
  const properties = { name: text, email: text, phone: text, kind: { enum: ['a', 'b'] }, ref: text };
  const operation = (rules: JsonSchema) =>
    buildTestOperation(aTool('create_contact', { type: 'object', properties, ...rules }));

  it.each<[string, JsonSchema, string]>([
    [
      'one of several',
      { anyOf: [{ required: ['email'] }, { required: ['phone'] }] },
      "Give one or more of: 'email'; or 'phone'.",
    ],
    [
      'exactly one',
      { oneOf: [{ required: ['email'] }, { required: ['phone'] }] },
      "Give exactly one of: 'email'; or 'phone'.",
    ],
    [
      'all of several rules',
      { allOf: [{ anyOf: [{ required: ['email'] }, { required: ['phone'] }] }, { required: ['name'] }] },
      "Give one or more of: 'email'; or 'phone'.",
    ],
    [
      'more where a value is given',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      { required: ['kind'], if: { properties: { kind: { const: 'a' } } }, then: { required: ['ref'] } },
      "With 'kind' = 'a', 'ref' must be given.",
    ],
    [
      'what belongs together',
      { required: ['name'], dependentRequired: { name: ['email'] } },
      "With 'name', 'email' must be given.",
    ],
  ])('of %s gets an example that is accepted, and says so in words', (_, rules, words) => {
    const one = operation(rules);
    expect(bindArguments(one, findValidExample(one) ?? {}).ok).toBe(true);
    expect(findValidExample(one, { name: 'Ada' })).toMatchObject({ name: 'Ada' });
    expect(describeCombinations(one)).toBe(words);
  });

  it.each<[string, JsonSchema]>([
    [
      'alternatives with conditions',
      {
        required: ['kind'],
        oneOf: [
          { properties: { kind: { const: 'x' } }, required: ['email'] },
          {
            properties: { kind: { const: 'b' } },
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
            ...{ if: { properties: { phone: { const: '12' } } }, then: { required: ['phone', 'ref'] } },
            else: { required: ['name'] },
          },
        ],
      },
    ],
    [
      'a condition that only its other branch can meet',
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'a' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { ref: { type: 'string', pattern: '^(?:q7){3}$' } }, required: ['ref'] },
        else: { required: ['phone'], properties: { kind: { const: 'b' } } },
      },
    ],
    [
      'alternatives by reference inside a parameter',
      {
        $defs: { mail: { properties: { by: { const: 'mail' }, to: text }, required: ['by', 'to'] } },
        properties: {
          target: {
            type: 'object',
            properties: { by: { enum: ['fax', 'mail'] }, to: text, number: { type: 'integer' } },
            oneOf: [
              { properties: { by: { const: 'pigeon' } }, required: ['by'] },
              { $ref: '#/$defs/mail' },
              { properties: { by: { const: 'fax' } }, required: ['by', 'number'] },
            ],
          },
        },
        required: ['target'],
      },
    ],
  ])('of %s gets an example that is accepted', (_, rules) => {
    const one = operation(rules);
    expect(bindArguments(one, findValidExample(one) ?? { none: true }).ok).toBe(true);
  });

  it('gets no example where none is found, and no words where there is nothing to say', () => {
    expect(findValidExample(operation({ required: ['name'], not: { required: ['name'] } }))).toBeUndefined();
    expect(describeCombinations(operation({ required: ['name'] }))).toBe('');
  });
});

it('an example costs little, whatever its schema repeats', () => {
  let nested: JsonSchema = { type: 'string', pattern: '^(?:x?y?){300}[0-9]{40}$' };
  for (let depth = 0; depth < 6; depth += 1) nested = { type: 'array', minItems: 200, items: nested };
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, nested]));
  const one = buildTestOperation(aTool('create_it', { type: 'object', properties, required: Object.keys(properties) }));
  // A full example would have 64 million million parts.
  expect(JSON.stringify(exampleParams(one)).length).toBeLessThan(100_000);
});
