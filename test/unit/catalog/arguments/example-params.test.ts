import { describe, expect, it } from 'vitest';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { exampleParams } from '../../../../src/catalog/arguments/example-params.js';
import type { JsonObject, JsonSchema } from '../../../../src/protocol/json.js';
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
