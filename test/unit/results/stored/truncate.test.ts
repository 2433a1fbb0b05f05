import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../../src/base/json/json-path.js';
import { type Cut, fitAnswer } from '../../../../src/results/stored/truncate.js';

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Whether one value is the other with nothing changed but ends left out. */
function isStartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part);
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length <= whole.length && part.every((item, index) => isStartOf(item, whole[index]));
  }
  if (typeof part === 'object' && part !== null && typeof whole === 'object' && whole !== null) {
    const [kept, all] = [Object.entries(part), Object.entries(whole)];
    return kept.every(([key, value], index) => key === all[index]?.[0] && isStartOf(value, all[index]?.[1]));
  }
  return Object.is(part, whole);
}

/** Every place where something is missing. */
function findMissing(part: unknown, whole: unknown, path: readonly (string | number)[] = []): Cut[] {
  if (typeof part === 'string' && typeof whole === 'string') {
    return part.length < whole.length ? [{ path, kind: 'text', kept: part.length, total: whole.length }] : [];
  }
  if (typeof part !== 'object' || part === null) return [];
  const list = Array.isArray(part);
  const [kept, all] = [Object.entries(part), Object.entries(whole as object)];
  const own: Cut = { path, kind: list ? 'items' : 'members', kept: kept.length, total: all.length };
  const inner = kept.flatMap(([key, value], index) =>
    findMissing(value, all[index]?.[1], [...path, list ? Number(key) : key]),
  );
  return kept.length < all.length ? [own, ...inner] : inner;
}

function sorted(cuts: readonly Cut[]): string[] {
  return cuts.map((cut) => JSON.stringify([cut.path, cut.kind, cut.kept, cut.total])).sort();
}

const texts = fc.oneof(
  fc.string({ maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc
    .array(fc.constantFrom('\n', 'a', '"', '\\', '\u0001', 'é', '€', '😀', '\ud800'), { maxLength: 200 })
    .map((all) => all.join('')),
);

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      texts,
      fc
        .double()
        .filter(Number.isFinite)
        .map((n) => (n === 0 ? 0 : n)),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__'), fc.nat(99).map(String)), tie('value'), {
      maxKeys: 70,
    }),
  ),
})) as { value: fc.Arbitrary<unknown> };

/** As it would come off the wire: `__proto__` a plain key. */
const answers = values.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const budgets = fc.oneof(fc.integer({ min: 100, max: 600 }), fc.integer({ min: 100, max: 20_000 }));

describe('fitAnswer', () => {
  it('does not change an answer that fits', () => {
    fc.assert(
      fc.property(answers, fc.nat(100), (answer, more) => {
        const fitted = fitAnswer(answer, Math.max(100, bytesOf(answer) + more));
        expect(fitted.value).toBe(answer);
        expect(fitted.cuts).toEqual([]);
      }),
    );
  });

  it('stays within the bound, shortens only ends, and reports every cut', () => {
    fc.assert(
      fc.property(answers, budgets, (answer, maxBytes) => {
        const { value, cuts } = fitAnswer(answer, maxBytes);
        expect(bytesOf(value)).toBeLessThanOrEqual(maxBytes);
        expect(isStartOf(value, answer)).toBe(true);
        expect(sorted(cuts)).toEqual(sorted(findMissing(value, answer)));
      }),
      { numRuns: 500 },
    );
  });

  it('splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 100, maxLength: 900 }), budgets, (text, maxBytes) => {
        expect(String(fitAnswer(text, maxBytes).value).isWellFormed()).toBe(true);
      }),
    );
  });

  it('gives the same answer for the same input, and does not change the input', () => {
    fc.assert(
      fc.property(answers, budgets, (answer, maxBytes) => {
        const before = JSON.stringify(answer);
        expect(fitAnswer(answer, maxBytes)).toEqual(fitAnswer(JSON.parse(before), maxBytes));
        expect(JSON.stringify(answer)).toBe(before);
      }),
    );
  });

  it('keeps as many whole items of a list as fit', () => {
    const rows = fc.array(fc.record({ id: fc.nat(), name: fc.string() }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 200, max: 3_000 }), (items, maxBytes) => {
        fc.pre(items.every((item) => bytesOf([item]) <= maxBytes));
        const { value } = fitAnswer(items, maxBytes);
        const kept = (value as unknown[]).length;
        expect(value).toEqual(items.slice(0, kept));
        if (kept < items.length) expect(bytesOf(items.slice(0, kept + 1))).toBeGreaterThan(maxBytes);
      }),
    );
  });
});

describe('what fitAnswer shortens', () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `row ${id}` }));
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('');

  it('is the big list, and nothing beside it', () => {
    const { value, cuts } = fitAnswer({ total: 1_000, rows, owner: { name: 'ann' }, tags: ['a', 'b'] }, 2_000);
    expect(value).toMatchObject({ total: 1_000, owner: { name: 'ann' }, tags: ['a', 'b'] });
    expect(cuts).toEqual([{ path: ['rows'], kind: 'items', kept: expect.any(Number), total: 1_000 }]);
    expect(bytesOf(value)).toBeGreaterThan(1_900);
  });

  it('is the bigger of two lists first; where both are big, both to the same size', () => {
    const small = rows.slice(0, 20);
    const { value: one } = fitAnswer({ a: rows, b: small }, 3_000);
    expect(valueAt(one, ['b'])).toEqual(small);
    const { value: both } = fitAnswer({ a: rows, b: rows }, 3_000);
    expect(Math.abs(bytesOf(valueAt(both, ['a'])) - bytesOf(valueAt(both, ['b'])))).toBeLessThan(60);
  });

  it('is the long text in an item, rather than the items around it', () => {
    const items = [{ id: 1 }, { id: 2, body: lines }, { id: 3 }, { id: 4 }];
    const { value, cuts } = fitAnswer(items, 1_000);
    expect(value).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(cuts.map(({ path }) => path)).toEqual([[1, 'body']]);
    expect(bytesOf(value)).toBeGreaterThan(900);
  });

  it('is each of several items that would not fit even alone', () => {
    const { value, cuts } = fitAnswer([{ rows }, { rows }, { rows }], 3_000);
    expect(cuts.map(({ path, kind }) => ({ path, kind }))).toEqual(
      [0, 1, 2].map((index) => ({ path: [index, 'rows'], kind: 'items' })),
    );
    expect(bytesOf(value)).toBeGreaterThan(2_700);
  });

  it('is the end of a text, at the end of a line', () => {
    const { value, cuts } = fitAnswer(lines, 500);
    expect(String(value).endsWith('\n')).toBe(true);
    expect(cuts).toEqual([{ path: [], kind: 'text', kept: String(value).length, total: lines.length }]);
    expect(bytesOf(value)).toBeGreaterThan(480);
  });

  it.each([
    { name: 'a text without lines', text: 'x'.repeat(1_000), kept: 98 },
    {
      name: 'a text whose first line is short and whose second is endless',
      text: `a\n${'x'.repeat(1_000)}`,
      kept: 97,
    },
    { name: 'characters of four bytes', text: '😀'.repeat(1_000), kept: 48 },
    { name: 'characters that are escaped', text: '\u0001'.repeat(1_000), kept: 16 },
  ])('is $name, at a character', ({ text, kept }) => {
    expect(fitAnswer(text, 100).value).toBe(text.slice(0, kept));
  });

  it('is the members at the end of a map, with the others whole', () => {
    const map = Object.fromEntries(rows.map((row) => [`key ${row.id}`, row]));
    const { value, cuts } = fitAnswer(map, 2_000);
    const kept = Object.keys(value as object).length;
    expect(value).toEqual(Object.fromEntries(Object.entries(map).slice(0, kept)));
    expect(cuts).toEqual([{ path: [], kind: 'members', kept, total: 1_000 }]);
    expect(bytesOf(value)).toBeGreaterThan(1_900);
  });

  it('is never the keys of a record', () => {
    const record = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field_${index}`, lines]));
    const { value } = fitAnswer(record, 4_000);
    expect(Object.keys(value as object)).toEqual(Object.keys(record));
  });

  it('is never a short text, number or date, which stay whole or are left out with their container', () => {
    const event = { id: 'a1b2c3d4-e5f6-7890-abcd-ef0123456789', at: '2026-04-15T10:00:00Z', log: lines };
    const groups = Array.from({ length: 9 }, () => [event, event, event]);
    for (let maxBytes = 100; maxBytes < 3_000; maxBytes += 7) {
      const { cuts } = fitAnswer({ groups }, maxBytes);
      expect(cuts.filter(({ path }) => path.at(-1) === 'id' || path.at(-1) === 'at')).toEqual([]);
    }
  });

  it('is never shortened to almost nothing', () => {
    const map = Object.fromEntries(rows.slice(0, 40).map((row) => [`key ${row.id}`, row]));
    const { value } = fitAnswer(map, 1_000);
    const kept = Object.keys(value as object).length;
    expect(kept).toBeGreaterThan(5);
    expect(value).toEqual(Object.fromEntries(Object.entries(map).slice(0, kept)));
  });

  it('is what is nested too deeply to be written', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20_000; level++) deep = [deep];
    const { value } = fitAnswer({ deep, plain: 1 }, 100_000);
    expect(value).toMatchObject({ plain: 1 });
    expect(bytesOf(value)).toBeLessThan(10_000);
  });

  it('is measured only up to the bound, however big the input', () => {
    let read = 0;
    const ownKeys = (row: object): (string | symbol)[] => {
      read++;
      return Reflect.ownKeys(row);
    };
    const rows = Array.from({ length: 100_000 }, () => new Proxy({ id: 1, name: 'a row' }, { ownKeys }));
    fitAnswer({ rows }, 5_000);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2_000);
  });
});
