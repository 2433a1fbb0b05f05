import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digest } from '../../../../src/base/json/canonical-json.js';
import { isJsonObject } from '../../../../src/base/json/json.js';

/** The same value with the members of every object in reverse order. */
function reverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverse);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reverse(member)]));
}

/** The value after it is sent as JSON. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('canonicalJson', () => {
  it.each([
    [{ b: 2, a: 1 }, '{"a":1,"b":2}'],
    [{ a: { d: null, c: [3, 1, 2] } }, '{"a":{"c":[3,1,2],"d":null}}'],
    // By code units, not by code points and not by any language: RFC 8785, section 3.2.3.
    [{ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }, undefined],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined], '[null]'],
    [-0, '0'],
    [1e21, '1e+21'],
    ['\u20ac$\u000f\nA\'B"\\', '"€$\\u000f\\nA\'B\\"\\\\"'],
  ])('writes %j as %s', (value, text = '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}') => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(sent(value));
      }),
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reverse(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('digest', () => {
  it('is a SHA-256 in base64url', () => {
    expect(digest({ a: 1 })).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each([
    ['the order of members', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['the sign of zero', { a: -0 }, { a: 0 }],
    ['the spelling of a number', JSON.parse('1.0'), 1],
  ])('ignores %s', (_, one, other) => {
    expect(digest(one)).toBe(digest(other));
  });

  it.each<[string, unknown, unknown]>([
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['null and nothing', { a: null }, {}],
    ['false and 0', [false], [0]],
    ['the order of a list', { required: ['a', 'b'] }, { required: ['b', 'a'] }],
    ['a list and an object', [1], { 0: 1 }],
    ['nesting', [[1], 2], [[1, 2]]],
    ['a member called __proto__ and none', JSON.parse('{"__proto__": {"a": 1}}'), {}],
    ['text that looks like JSON', { a: '","b":"' }, { a: '', b: '' }],
    ['halves of a character', '\ud800', '\ufffd'],
  ])('distinguishes %s', (_, one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('is equal for equal values and for no others', () => {
    // Small values, so that equal ones occur.
    const small = fc.jsonValue({ maxDepth: 1 });
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(digest(one) === digest(other)).toBe(isDeepStrictEqual(sent(one), sent(other)));
      }),
    );
  });

  it('changes with any member of a value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const names = Object.keys(value);
        const name = names[at % names.length]!;
        const changed = Object.fromEntries(names.map((key) => [key, key === name ? [value[key]] : value[key]]));
        expect(digest(changed)).not.toBe(digest(value));
      }),
    );
  });
});
