import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../../src/base/json/json.js';
import { validatorFor } from '../../../src/schema/validator.js';
import { corpusIsHere, readCorpus } from '../../support/corpus.js';
import { createDice, type Dice, generateArguments } from '../../support/generate-arguments.js';

const OPTIONS = { strict: false, validateSchema: false, logger: false, allErrors: false } as const;

/** The verdict of a well-known implementation; undefined for a schema that it does not compile. */
function judgeOf(schema: AnySchema, newest: boolean): ((value: unknown) => boolean) | undefined {
  const engine = newest ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
  formatsPlugin.default(engine, { mode: 'full' });
  try {
    const check = engine.compile(schema);
    return (value) => check(value) === true;
  } catch {
    return undefined;
  }
}

const accepts = (schema: JsonSchema, value: unknown) => {
  const { violations, undecided } = validatorFor(schema, 'strict').check(value);
  expect(undecided).toBeUndefined();
  return violations.length === 0;
};

const WRONG: readonly unknown[] = [null, -1, 0, 1.5, '', 'x', true, [], {}, [1, 'a'], { a: 1 }, '2026-02-30'];

/** The arguments with one value, anywhere in them, exchanged or left out. */
function spoil(value: unknown, dice: Dice): unknown {
  if (dice(3) > 0 && Array.isArray(value) && value.length > 0) {
    const at = dice(value.length);
    return value.map((item, index) => (index === at ? spoil(item, dice) : item));
  }
  const names = isJsonObject(value) ? Object.keys(value) : [];
  const name = names[dice(Math.max(1, names.length))];
  if (!isJsonObject(value) || name === undefined || dice(4) === 0) return WRONG[dice(WRONG.length)];
  const { [name]: member, ...rest } = value;
  return dice(4) === 0 ? rest : { ...rest, [name]: spoil(member, dice) };
}

describe.skipIf(!corpusIsHere)('real schemas (skipped where ../shared/corpus is absent)', () => {
  it('are read as by another implementation', () => {
    const tools = readCorpus().flatMap(({ tools }) => tools);
    const dice = createDice(7);
    const different: unknown[] = [];
    let refused = 0;
    for (const { name, inputSchema } of tools.filter((_, index) => index % 10 === 0)) {
      if (!isJsonObject(inputSchema)) continue;
      const judge = judgeOf(inputSchema, String(inputSchema['$schema']).includes('2020-12'));
      // Look-around in a pattern is judged by the upstream alone.
      if (judge === undefined || /\(\?[=!<]/.test(JSON.stringify(inputSchema))) continue;
      for (let round = 0; round < 8; round++) {
        const right = generateArguments(inputSchema, dice);
        const args = round % 2 === 0 ? right : spoil(right, dice);
        const expected = judge(args);
        refused += expected ? 0 : 1;
        if (accepts(inputSchema, args) !== expected) different.push({ name, args, expected });
      }
    }
    expect(different).toEqual([]);
    expect(refused).toBeGreaterThan(150);
  });
});

describe('schemas of every keyword', () => {
  const name = fc.constantFrom('a', 'b', 'ab', 'c');
  const { schema } = fc.letrec<{ schema: JsonSchema | boolean; some: (JsonSchema | boolean)[] }>((tie) => {
    const one = tie('schema');
    const members = fc.dictionary(name, one, { maxKeys: 3 });
    const number = fc.integer({ min: 0, max: 3 });
    const applicators: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', ['null', 'boolean']),
      enum: fc.constant([1, 'a', null, [1], { a: 1 }]),
      const: fc.constantFrom(1, 'a', { a: 1 }, [1]),
      minimum: number,
      exclusiveMaximum: number,
      multipleOf: fc.constantFrom(2, 0.5),
      minLength: number,
      maxLength: number,
      pattern: fc.constantFrom('^a', 'b$', '.'),
      prefixItems: tie('some'),
      items: one,
      contains: one,
      minContains: number,
      maxContains: number,
      uniqueItems: fc.boolean(),
      minItems: number,
      maxItems: number,
      properties: members,
      patternProperties: fc.record({ '^a': one, b: one }, { requiredKeys: [] }),
      additionalProperties: one,
      propertyNames: one,
      required: fc.uniqueArray(name, { maxLength: 2 }),
      dependentRequired: fc.constant({ a: ['b'] }),
      dependentSchemas: fc.record({ a: one }),
      minProperties: number,
      maxProperties: number,
      allOf: tie('some'),
      anyOf: tie('some'),
      oneOf: tie('some'),
      not: one,
      if: one,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: one,
      else: one,
      unevaluatedProperties: one,
      unevaluatedItems: one,
    };
    const keyword = fc.constantFrom(...Object.keys(applicators));
    const entry = keyword.chain((key) => (applicators[key] ?? fc.constant(true)).map((value) => [key, value] as const));
    return {
      some: fc.array(one, { minLength: 1, maxLength: 2 }),
      schema: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'schema' },
        fc.boolean(),
        fc.array(entry, { maxLength: 4 }).map((entries): JsonObject => Object.fromEntries(entries)),
      ),
    };
  });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom(0, 1, 2, 0.5, 'a', 'ab', 'bab', '', null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));

  it('are read as by another implementation', () => {
    fc.assert(
      fc.property(schema, value, (one, given) => {
        if (typeof one === 'boolean') return;
        const judge = judgeOf(one, true);
        if (judge !== undefined) expect(accepts(one, given)).toBe(judge(given));
      }),
      { numRuns: 600 },
    );
  });
});
