import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../src/base/json/json.js';
import { Meter, MOST_WORK } from '../../../src/schema/evaluation.js';
import { hasRepetition, isEqual } from '../../../src/schema/json-equality.js';
import { readObjectFields } from '../../../src/schema/schema-shape.js';
import { measureSchema } from '../../../src/schema/schema-size.js';
import { validatorFor } from '../../../src/schema/validator.js';

const repeat = <T>(length: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => create(index));

const rows = (count: number): readonly JsonObject[] => repeat(count, (id) => ({ id, text: 'x'.repeat(50) }));

describe('the work of comparing values', () => {
  it('is linear in a list that may hold nothing twice, and fits a list of the longest length', () => {
    const work = (count: number): number => {
      const meter = new Meter();
      expect(hasRepetition(rows(count), meter)).toBe(false);
      return meter.work;
    };
    expect(work(9_999)).toBeLessThan(11 * work(1_000));
    expect(work(9_999)).toBeLessThan(MOST_WORK);
  });

  it('finds what is there twice, whatever the order of members', () => {
    const twice = [...rows(1_000), { text: 'x'.repeat(50), id: 7 }];
    expect(hasRepetition(twice, new Meter())).toBe(true);
  });

  it('compares only values of one hash, and tells them apart', () => {
    expect(hasRepetition([1, '1', true, 'true', null, 'null', [1], ['1'], { a: 1 }, { a: '1' }], new Meter())).toBe(
      false,
    );
    expect(hasRepetition([{ a: 1, b: 2 }, 3, { b: 2, a: 1 }], new Meter())).toBe(true);
  });

  it('is counted for each member and each character, also where a value equals nothing', () => {
    const meter = new Meter();
    isEqual({ a: 'x'.repeat(8_000), b: [1, 2, 3] }, { a: 'x'.repeat(8_000), b: [1, 2, 4] }, meter);
    expect(meter.work).toBeGreaterThan(1_000);
  });

  it('ends for many alternatives that are long constants', () => {
    const constant = { list: repeat(500, (index) => ({ index })) };
    const anyOf = repeat(200, (index) => ({ const: { ...constant, last: index } }));
    const value = repeat(100, () => ({ ...constant, last: 'none' }));
    const verdict = validatorFor({ items: { anyOf } }).check(value);
    expect(verdict.work).toBeLessThanOrEqual(MOST_WORK);
    expect(typeof verdict.undecided).toBe('string');
  });
});

describe('the work of preparing a schema', () => {
  it('is counted for each value that an enumeration lists', () => {
    const verdict = validatorFor({ enum: repeat(100_000, (index) => index) }).check(7);
    expect(verdict.work).toBeGreaterThan(100_000);
  });

  it('is not begun for a schema of more numbers than a check may read', () => {
    expect(measureSchema({ enum: repeat(1_000_001, () => 1) }).excess).toContain('1000000 characters');
  });
});

describe('the members that a schema describes', () => {
  /** Each level describes `a` once more, and has two ways on to the next. */
  const doubling = (levels: number): JsonSchema => {
    const definition = (name: string, level: number): readonly [string, JsonSchema] => [
      `${name}${level}`,
      {
        properties: { a: { title: `${name}${level}` } },
        ...(level < levels && { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/e${level + 1}` }] }),
      },
    ];
    const $defs = Object.fromEntries(
      repeat(levels + 1, (level) => [definition('d', level), definition('e', level)]).flat(),
    );
    return { $ref: '#/$defs/d0', $defs };
  };

  it('are combined into schemas of bounded size, however often their alternatives double', () => {
    const sizeOf = (levels: number): number =>
      JSON.stringify(readObjectFields(doubling(levels), doubling(levels))).length;
    expect(sizeOf(3)).toBeGreaterThan(200);
    expect(Math.max(...[10, 30, 60].map(sizeOf))).toBeLessThan(50_000);
  });

  it('keep every way in which a few alternatives describe one', () => {
    const anyOf = repeat(20, (index) => ({ properties: { a: { const: index } } }));
    const [field] = readObjectFields({ anyOf }, {});
    expect(field?.schema['anyOf']).toHaveLength(20);
  });
});
