import { describe, expect, it } from 'vitest';
import { parsePath, readAll } from '../../../../src/results/query/fields.js';

describe('parsePath', () => {
  it.each<[text: string, path: readonly string[] | undefined]>([
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['_computed.age_days', ['_computed', 'age_days']],
    ['a b', ['a b']],
    ['', undefined],
    ['.', undefined],
    ['a..b', undefined],
    ['a.', undefined],
    [Array(32).fill('a').join('.'), Array(32).fill('a')],
    [Array(33).fill('a').join('.'), undefined],
    ['a'.repeat(501), undefined],
  ])('reads %j', (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });
});

describe('readAll', () => {
  it.each<[item: unknown, path: string, values: readonly unknown[]]>([
    [{ a: 1 }, 'a', [1]],
    [{ a: null }, 'a', [null]],
    [{}, 'a', []],
    [{ a: { b: { c: 1 } } }, 'a.b.c', [1]],
    [{ a: 1 }, 'a.b', []],
    [{ a: [{ b: 1 }, { b: 2 }, {}, 3, null] }, 'a.b', [1, 2]],
    [{ a: [[{ b: 1 }], [{ b: 2 }]] }, 'a.b', [1, 2]],
    [{ a: [1, 2] }, 'a', [[1, 2]]],
    [{ a: [1, 2] }, 'a.0', []],
    [{ a: [1, 2] }, 'a.length', []],
    [[{ a: 1 }, { a: 2 }], 'a', [1, 2]],
    [{ 'a.b': 1, a: { b: 2 } }, 'a.b', [1]],
    [{ a: { 'b.c': 1, b: { c: 2 } } }, 'a.b.c', [1]],
    [{ 'a.b': { c: 1 } }, 'a.b.c', []],
    [{}, 'toString', []],
    [{}, '__proto__', []],
    [JSON.parse('{"__proto__": {"a": 1}}'), '__proto__.a', [1]],
    ['text', 'length', []],
    [null, 'a', []],
  ])('reads %j at %s', (item, path, values) => {
    expect(readAll(item, path.split('.'))).toEqual(values);
  });

  it('returns the item itself for the empty path', () => {
    expect(readAll({ a: 1 }, [])).toEqual([{ a: 1 }]);
  });

  it('bounds the depth of nested lists', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], { a: 1 });
    expect(readAll(deep, ['a'])).toEqual([]);
  });
});
