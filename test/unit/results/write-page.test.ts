import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeTable, type Table } from '../../../src/results/write-page.js';

function decodeTable({ columns, rows }: Table): unknown[] {
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [columns[index], cell])));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const ROWS = Array.from({ length: 20 }, (_, id) => ({ id, name: `n${id}`, size: null }));

describe('encodeTable', () => {
  it('writes names once', () => {
    expect(encodeTable(ROWS.slice(0, 9))).toEqual({
      columns: ['id', 'name', 'size'],
      rows: ROWS.slice(0, 9).map(({ id, name, size }) => [id, name, size]),
    });
  });

  it('loses nothing, and makes a table only where it saves a fifth', () => {
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constant('__proto__'));
    const cell = fc.oneof(fc.string({ maxLength: 10 }), fc.nat(), fc.jsonValue({ maxDepth: 1 }));
    const lists = fc
      .uniqueArray(name, { minLength: 1, maxLength: 6 })
      .chain((names) =>
        fc.array(fc.tuple(fc.shuffledSubarray(names, { minLength: names.length }), cell), { size: '+1' }),
      )
      .map((all) => all.map(([names, value]) => Object.fromEntries(names.map((key) => [key, value]))))
      .map((items) => JSON.parse(JSON.stringify(items)) as unknown[]);
    let used = 0;
    fc.assert(
      fc.property(lists, (items) => {
        const table = encodeTable(items);
        if (table === undefined) return;
        used++;
        expect(decodeTable(table)).toEqual(items);
        expect(bytesOf(table)).toBeLessThanOrEqual(bytesOf(items) * 0.8);
      }),
    );
    expect(used).toBeGreaterThan(20);
  });

  it.each([
    ['an empty list', []],
    ['texts', Array(20).fill('text')],
    ['lists', Array(20).fill([1])],
    ['objects without members', Array(20).fill({})],
    ['one object, which would grow', [{ id: 1, name: 'a' }]],
    ['objects of long texts and short names', Array(20).fill({ a: 'x'.repeat(500) })],
    ['objects of which one has a member less', [...ROWS, { id: 1, name: 'a' }]],
    ['objects of which one has a member more', [...ROWS, { id: 1, name: 'a', size: 1, more: 1 }]],
    ['objects of which one has another member', [...ROWS, { id: 1, name: 'a', length: 1 }]],
    ['objects and null', [...ROWS, null]],
  ])('makes no table of %s', (_, items) => {
    expect(encodeTable(items)).toBeUndefined();
  });

  it('makes a table where it saves exactly a fifth', () => {
    const sizes = [100, 60, 40, 30, 20, 10];
    const used = sizes.map((size) => {
      const items = Array(40).fill({ identifier: 'x'.repeat(size) });
      const saved =
        1 - bytesOf({ columns: ['identifier'], rows: items.map(({ identifier }) => [identifier]) }) / bytesOf(items);
      return [encodeTable(items) !== undefined, saved >= 0.2];
    });
    expect(used.map(([is]) => is)).toEqual(used.map(([, should]) => should));
    expect(new Set(used.map(([is]) => is)).size).toBe(2);
  });
});
