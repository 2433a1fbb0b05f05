import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../../src/base/json/json.js';
import { readParameters } from '../../../../src/catalog/create-operation.js';
import { describeValue, narrowSchema } from '../../../../src/catalog/grouped-tools/narrow-schema.js';
import { validatorFor } from '../../../../src/schema/validator.js';

const text = { type: 'string' };

/** The parameters that are left, required ones starred. */
const left = (schema: JsonSchema, value: string, parameter = 'method'): readonly string[] =>
  readParameters(narrowSchema(schema, { parameter, value }), schema).parameters.map(
    ({ name, required }) => name + (required ? '*' : ''),
  );

const branch = (method: unknown, properties: JsonObject, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties: { method, ...properties },
  required: ['method', ...required],
});

/** `if`, `then` and `else`; an object with a `then` by name looks like a promise. */
const conditional = (condition: JsonSchema, consequence: JsonSchema, alternative?: JsonSchema): JsonSchema =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
    ...(alternative === undefined ? [] : [['else', alternative]]),
  ]);

describe('narrowSchema', () => {
  it('hides the parameter and leaves everything else', () => {
    const schema = { type: 'object', properties: { method: text, owner: text }, required: ['method', 'owner'] };
    expect(left(schema, 'create')).toEqual(['owner*']);
    expect(narrowSchema(schema, { parameter: 'method', value: 'create' })).toEqual({
      type: 'object',
      properties: { owner: text },
      required: ['owner'],
    });
    expect(schema.required).toEqual(['method', 'owner']);
  });

  it.each(['oneOf', 'anyOf'])('keeps only the branches of the value in %s', (keyword) => {
    const schema = {
      type: 'object',
      properties: { owner: text },
      [keyword]: [
        branch({ const: 'create' }, { title: text }, ['title']),
        branch({ enum: ['update', 'close'] }, { number: text }, ['number']),
      ],
    };
    expect(left(schema, 'create')).toEqual(['owner', 'title*']);
    expect(left(schema, 'close')).toEqual(['owner', 'number*']);
  });

  it('follows references at the top and in the branches', () => {
    const schema = {
      $defs: {
        Create: branch({ const: 'create' }, { title: text }, ['title']),
        Delete: branch({ $ref: '#/$defs/DeleteMethod' }, { number: text }),
        DeleteMethod: { const: 'delete' },
        Arguments: { oneOf: [{ $ref: '#/$defs/Create' }, { $ref: '#/$defs/Delete' }] },
      },
      $ref: '#/$defs/Arguments',
    };
    expect(left(schema, 'create')).toEqual(['title*']);
    expect(left(schema, 'delete')).toEqual(['number']);
  });

  it('resolves conditions on nothing but the parameter', () => {
    const condition = { properties: { method: { const: 'create' } }, required: ['method'] };
    const schema = {
      type: 'object',
      properties: { method: text, title: text },
      allOf: [conditional(condition, { required: ['title'] }, { properties: { number: text }, required: ['number'] })],
    };
    expect(left(schema, 'create')).toEqual(['title*']);
    expect(left(schema, 'delete')).toEqual(['title', 'number*']);
  });

  it('keeps conditions that other arguments decide', () => {
    const schema = {
      type: 'object',
      properties: { method: text, title: text, kind: text },
      ...conditional({ properties: { method: { const: 'create' }, kind: { const: 'x' } } }, { required: ['title'] }),
      oneOf: [branch(text, { a: text }), { properties: { b: text } }],
    };
    expect(left(schema, 'create')).toEqual(['title', 'kind', 'a', 'b']);
  });

  it('keeps all branches where the value excludes all of them', () => {
    const schema = { oneOf: [branch({ const: 'a' }, { x: text }), branch({ const: 'b' }, { y: text })] };
    expect(left(schema, 'c')).toEqual(['x', 'y']);
  });

  it('ends on a schema that contains itself', () => {
    const schema: JsonObject = {
      properties: { method: text, child: { $ref: '#' } },
      anyOf: [{ $ref: '#/$defs/again' }],
    };
    schema['$defs'] = { again: { properties: { more: text }, allOf: [{ $ref: '#/$defs/again' }] } };
    expect(left(schema, 'x')).toEqual(['child', 'more']);
  });

  it('accepts the same arguments as the whole schema with the value', () => {
    const methods = ['a', 'b', 'c'];
    const names = ['x', 'y', 'z'];
    const anyNames = fc.subarray(names);
    const anyPart = fc.record({
      values: fc.subarray(methods, { minLength: 1 }),
      described: anyNames,
      required: anyNames,
    });
    const toBranch = ({ values, described, required }: { values: string[]; described: string[]; required: string[] }) =>
      branch({ enum: values }, Object.fromEntries(described.map((name) => [name, text])), required);
    const anySchema = fc.record({ parts: fc.array(anyPart, { minLength: 1, maxLength: 4 }), condition: anyPart }).map(
      ({ parts, condition }): JsonSchema => ({
        type: 'object',
        properties: { method: { enum: methods } },
        required: ['method'],
        oneOf: parts.map(toBranch),
        ...conditional(
          { properties: { method: { enum: condition.values } } },
          { required: condition.required },
          { required: condition.described },
        ),
      }),
    );
    const anyArguments = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.integer()));
    fc.assert(
      fc.property(anySchema, fc.constantFrom(...methods), anyArguments, (schema, value, given) => {
        const parts = (schema['oneOf'] as readonly { properties: { method: { enum: readonly string[] } } }[]).filter(
          ({ properties }) => properties.method.enum.includes(value),
        );
        fc.pre(parts.length > 0);
        const narrowed = narrowSchema(schema, { parameter: 'method', value });
        const takes = (one: JsonSchema, args: JsonObject) => validatorFor(one).takes(one, args);
        expect(takes(narrowed, given)).toBe(takes(schema, { ...given, method: value }));
      }),
    );
  });
});

const describeGet = (method: JsonSchema, description = 'Works on crates.') =>
  describeValue(
    { name: 'crate_write', description, inputSchema: { type: 'object', properties: { method } } },
    { parameter: 'method', value: 'get', name: 'get_crate' },
    description,
  );

const lead = (method: JsonSchema, description?: string) => describeGet(method, description).split(' (')[0];

describe('describeValue', () => {
  it("says what the value does and which tool it is from, then the tool's description", () => {
    expect(describeGet({})).toBe("Get crate ('crate_write' with method 'get'). Works on crates.");
    expect(describeGet({}, '')).toBe("Get crate ('crate_write' with method 'get').");
  });

  it.each([
    "'get' reads one crate; 'create' adds one",
    'Options: get (reads one crate), create (adds one)',
    'Options are:\n- get: reads one crate\n- create: adds one',
    '`get` — reads one crate. Fast.',
    'Operation: get=reads one crate, create=adds one',
    "One of 'create' - adds one; 'get' - reads one crate (needs an id).",
  ])("takes the author's words: %j", (description) => {
    expect(lead({ description })).toBe('Reads one crate');
  });

  it('uses the description of a constant', () => {
    const oneOf = [
      { const: 'put', description: 'No' },
      { const: 'get', description: 'Reads one crate.' },
    ];
    expect(lead({ oneOf })).toBe('Reads one crate');
  });

  it("uses a list item of the tool's description", () => {
    expect(lead({}, 'Modes:\n- list: all\n- get: reads one crate\n')).toBe('Reads one crate');
    expect(lead({}, 'Never call get: it is slow.')).toBe('Get crate');
  });

  it.each(['`get` and `put` are deprecated', 'get', 'To get: ', 'forget: all of it', "'get' is required", 'get: x'])(
    'does not take %j for an explanation of the value',
    (description) => {
      expect(lead({ description })).toBe('Get crate');
    },
  );

  it.each(['(', '[', 'a+', '.*', '\\', '$&', '-'])('does not read the value %j as a pattern', (value) => {
    const schema = { properties: { method: { description: `'${value}' opens the crate` } } };
    const tool = { name: 'crate', inputSchema: schema };
    expect(describeValue(tool, { parameter: 'method', value, name: 'crate' }, '')).toMatch(
      /^Opens the crate \('crate'/,
    );
  });
});
