import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { MOST_VIOLATIONS, MOST_WORK } from '../../../src/schema/evaluation.js';
import { validatorFor } from '../../../src/schema/validator.js';

const check = (schema: JsonSchema, value: unknown) => validatorFor(schema).check(value);
const accepts = (schema: JsonSchema, value: unknown) => check(schema, value).violations.length === 0;

/** Thirty definitions, each of which asks for the next one twice: a thousand million checks of one value. */
function referenceBomb(keyword: 'allOf' | 'anyOf' | 'oneOf'): JsonSchema {
  const $defs: Record<string, JsonSchema> = { d30: { type: 'string' } };
  for (let index = 0; index < 30; index += 1) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { [keyword]: [next, next] };
  }
  return { $defs, properties: { a: { $ref: '#/$defs/d0' }, n: { type: 'number' } } };
}

describe('validatorFor', () => {
  it('reads the keywords of all drafts alike', () => {
    expect(accepts({ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toBe(false);
    expect(accepts({ type: 'array', items: [{ type: 'string' }], additionalItems: false }, ['a', 1])).toBe(false);
    expect(accepts({ type: 'array', items: [{ type: 'string' }] }, [1])).toBe(false);
    const unevaluated = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(accepts(unevaluated, { a: 1 })).toBe(true);
    expect(accepts(unevaluated, { b: 1 })).toBe(false);
    expect(accepts({ minimum: 1, exclusiveMinimum: true }, 1)).toBe(false);
    expect(accepts({ exclusiveMinimum: 1 }, 1)).toBe(false);
    expect(accepts({ type: 'string', nullable: true }, null)).toBe(true);
  });

  it('follows references by pointer, anchor and address within the schema alone', () => {
    const named = (type: string): JsonSchema => ({
      $id: 'https://example.com/thing',
      properties: { a: { $ref: 'a' }, b: { $ref: '#b' }, c: { $ref: 'https://example.com/a#/$defs/d' } },
      $defs: { a: { $id: 'a', type, $defs: { d: { type: 'boolean' } } }, b: { $anchor: 'b', type: 'boolean' } },
    });
    expect(accepts(named('string'), { a: 'x', b: true, c: true })).toBe(true);
    for (const wrong of [{ a: 1 }, { b: 1 }, { c: 1 }]) expect(accepts(named('string'), wrong)).toBe(false);
    expect(accepts(named('number'), { a: 'x' })).toBe(false);
    expect(accepts({ properties: { a: { $ref: 'https://example.com/a' } } }, { a: true })).toBe(true);
  });

  it.each<[string, JsonSchema]>([
    ['a remote reference', { $ref: 'https://example.com/schema.json' }],
    ['a broken reference', { $ref: '#/definitions/none' }],
    ['an unknown type', { type: 'Object' }],
    ['keywords of the wrong form', { minimum: '9', required: true, enum: 7, pattern: 1, properties: [], items: 'x' }],
  ])('asks nothing of %s, and goes on with the rest', (_, schema) => {
    expect(accepts(schema, 5)).toBe(true);
    expect(accepts({ properties: { a: schema, b: { type: 'string' } } }, { a: 5, b: 5 })).toBe(false);
  });

  it.each<[string, JsonSchema]>([
    ['$async', { $async: true, type: 'string' }],
    ['the id of draft-04', { id: 'thing', type: 'string' }],
    ['unknown keywords and formats', { type: 'string', 'x-thing': 1, format: 'whatever' }],
    ['an unknown dialect', { $schema: 'https://example.com/dialect', type: 'string' }],
    ['a pattern of another language', { type: 'string', pattern: '(?P<name>a)' }],
    ['a pattern that is not Unicode', { type: 'string', pattern: '^[\\w-\\.]+$' }],
  ])('checks what it can in spite of %s', (_, schema) => {
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
    expect(check(schema, value).violations.map(({ path }) => path)).toEqual([['a'], ['b']]);
    expect(check(schema, {}).violations).toEqual([]);
    expect(value).toEqual({ a: 1, b: 2 });
  });

  it('does not let a pattern that it cannot check claim members, nor let them count as additional', () => {
    const schema = { patternProperties: { '^(?!x)': { type: 'string' } }, additionalProperties: false };
    expect(accepts(schema, { b: 5 })).toBe(true);
  });

  it.each([
    ['2026-02-28', true],
    ['2026-02-30', false],
    ['2026-13-01', false],
    ['2024-02-29', true],
  ])('holds the date %s against the calendar', (date, expected) => {
    expect(accepts({ format: 'date' }, date)).toBe(expected);
    expect(accepts({ format: 'date-time' }, `${date}T10:00:00Z`)).toBe(expected);
  });

  it('sees repetitions whatever the order of members and the spelling of numbers', () => {
    const unique = { uniqueItems: true };
    expect(accepts(unique, [{ a: 1, b: [2] }, JSON.parse('{"b":[2.0],"a":1e0}')])).toBe(false);
    expect(accepts(unique, JSON.parse('[0, -0.0]'))).toBe(false);
    expect(accepts(unique, [1, '1', true, 'true', null, 'null', [], {}, [1], ['1']])).toBe(true);
  });
});

describe('the work of a check', () => {
  it.each(['allOf', 'anyOf', 'oneOf'] as const)('ends for references that double thirty times (%s)', (keyword) => {
    const verdict = check(referenceBomb(keyword), { a: 'text', n: 1 });
    // An `anyOf` holds at its first alternative.
    expect(verdict.undecided === undefined).toBe(keyword === 'anyOf');
    expect(verdict.work).toBeLessThanOrEqual(MOST_WORK);
    expect(verdict.violations).toEqual([]);
  });

  it('checks plain types at the top where the rest is undecided', () => {
    const { violations } = check(referenceBomb('allOf'), { a: 'text', n: 'text' });
    expect(violations.map(({ path, keyword }) => [path, keyword])).toEqual([[['n'], 'type']]);
  });

  it('is undecided for one value alone: the next is checked again', () => {
    const schema = referenceBomb('allOf');
    for (const value of [{ a: 'text' }, { n: 1 }, { a: 'text' }]) check(schema, value);
    expect(check(schema, { n: 'text' }).undecided).toBeUndefined();
    expect(accepts(schema, { n: 'text' })).toBe(false);
  });

  it.each<[string, JsonSchema]>([
    ['itself', { $ref: '#' }],
    ['itself by way of all', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['itself by way of any', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['itself by way of not', { not: { $ref: '#' } }],
  ])('ends for a schema that refers to %s', (_, schema) => {
    const verdict = check(schema, {});
    expect([verdict.violations, typeof verdict.undecided]).toEqual([[], 'string']);
    expect(verdict.work).toBeLessThan(MOST_WORK);
  });

  it('grows no faster than the list that must hold nothing twice', () => {
    const list = (length: number) => Array.from({ length }, (_, id) => ({ id, text: 'x'.repeat(20) }));
    const work = (length: number) => check({ uniqueItems: true, items: { type: 'object' } }, list(length)).work;
    expect(work(10_000)).toBeLessThan(11 * work(1_000));
    expect(work(9_999)).toBeLessThan(MOST_WORK);
  });

  it('reports a bounded number of a list of wrong items, also inside alternatives', () => {
    const wrong = Array.from({ length: 10_000 }, () => 1);
    const strings = { items: { type: 'string' } };
    expect(check(strings, wrong).violations).toHaveLength(MOST_VIOLATIONS);
    const [alternatives] = check({ anyOf: [strings, { items: { type: 'null' } }] }, wrong).violations;
    expect(alternatives?.branches?.map((branch) => branch.length)).toEqual([MOST_VIOLATIONS, MOST_VIOLATIONS]);
  });

  it('ends for many alternatives on many items', () => {
    const anyOf = Array.from({ length: 2_000 }, (_, index) => ({ const: `c${index}` }));
    const verdict = check(
      { items: { anyOf } },
      Array.from({ length: 10_000 }, () => 'c1999'),
    );
    expect(typeof verdict.undecided).toBe('string');
    expect(verdict.work).toBeLessThanOrEqual(MOST_WORK);
  });

  it.each<[string, JsonSchema]>([
    ['bounded repetitions', { pattern: `^${'a{0,8}'.repeat(30)}b$` }],
    ['optional letters', { pattern: `^${'a?'.repeat(200)}a{200}$` }],
    ['nested repetitions', { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }],
    [
      'a thousand patterns',
      { allOf: Array.from({ length: 1_000 }, (_, index) => ({ pattern: `(?:a?b?c${index}){300}` })) },
    ],
    ['patterns of keys', { propertyNames: { pattern: '^(a|a)*$' } }],
  ])('ends for %s', (_, schema) => {
    const verdict = check({ properties: { a: schema } }, { a: 'a'.repeat(100_000) });
    expect(verdict.work).toBeLessThanOrEqual(MOST_WORK);
  });

  it.each([
    [
      'many parts',
      { properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, { type: 'string' }])) },
    ],
    ['much text', { description: 'x'.repeat(2_000_000), properties: { p1: { type: 'string' } } }],
  ])('is none for a schema of %s, of which plain types are checked', (_, schema) => {
    const verdict = check(schema, { p1: 1 });
    expect(verdict.undecided).toContain('too large');
    expect(verdict.violations.map(({ path }) => path)).toEqual([['p1']]);
  });

  it('is none for a schema that is nested beyond any stack', () => {
    let schema: JsonSchema = { type: 'string' };
    for (let depth = 0; depth < 50_000; depth++) schema = { properties: { a: schema } };
    expect(check(schema, {}).undecided).toContain('nested');
  });
});
