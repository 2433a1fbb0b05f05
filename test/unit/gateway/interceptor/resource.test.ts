import { describe, expect, it } from 'vitest';
import { fieldOf, isVersion, versionOf } from '../../../../src/gateway/interceptor/resource.js';

describe('a field of a resource', () => {
  const resource = { plain: 1, 'with.dot': 2, with: { dot: 3, 0: 'zero' }, list: [{ name: 'first' }], none: null };
  it.each([
    ['plain', 1],
    ['with.dot', 2],
    ['with.0', 'zero'],
    ['list.0.name', 'first'],
    ['list.1.name', null],
    ['none', null],
    ['missing', null],
    ['plain.deeper', null],
    ['toString', null],
    ['__proto__.toString', null],
  ])('%s has the value %j', (field, value) => {
    expect(fieldOf(resource, field)).toBe(value);
  });
});

describe('a version', () => {
  it('is the same for the same state, whatever the order of its members', () => {
    expect(versionOf({ a: 1, b: { c: 2, d: 3 } })).toBe(versionOf({ b: { d: 3, c: 2 }, a: 1 }));
    expect(versionOf({ a: 1 })).not.toBe(versionOf({ a: 2 }));
  });

  it('is recognised by its form', () => {
    expect(isVersion(versionOf({}))).toBe(true);
    for (const text of ['', 'v_', 'v_1', `${versionOf({})}x`, 'Old title']) expect(isVersion(text)).toBe(false);
  });
});
