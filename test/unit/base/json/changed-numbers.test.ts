import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findChangedNumbers } from '../../../../src/base/json/changed-numbers.js';
import { endOfString } from '../../../../src/base/json/scan.js';

const literals = (text: string) => findChangedNumbers(text).map(({ literal }) => literal);

describe('findChangedNumbers', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1234567890123456789',
    '12345678901.234567890',
    '1e-999',
    '3.141592653589793238',
    '9007199254740993e0',
    '90071992547409930.00e-1',
  ])('names %s, which a double changes', (literal) => {
    expect(literals(`{"a":${literal}}`)).toEqual([literal]);
  });

  it.each([
    '0',
    '-0',
    '0.1',
    '0.10',
    '1.0',
    '1.00000000000000000000',
    '1e2',
    '1E+20',
    '100000000000000000000',
    '9007199254740992',
    '0.30000000000000004',
    '123456789012345',
    '1e999',
    '5e-324',
    '0e-999',
    '0.000000000000000000001',
  ])('leaves %s alone', (literal) => {
    expect(literals(`[${literal}]`)).toEqual([]);
  });

  it('says where the number stands, whatever the names are', () => {
    const text = String.raw`{"x":{"1234567890123456789":"1234567890123456789 \" 9007199254740993"},"a\"b":[{},[1,[9007199254740993]],{"":9007199254740995}]}`;
    expect(findChangedNumbers(text)).toEqual([
      { path: ['a"b', 1, 1, 0], literal: '9007199254740993' },
      { path: ['a"b', 2, ''], literal: '9007199254740995' },
    ]);
  });

  it('names a bounded number', () => {
    expect(literals(`[${Array.from({ length: 1_000 }, () => '9007199254740993').join()}]`)).toHaveLength(10);
  });

  it('finds nothing in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(literals(JSON.stringify(value))).toEqual([]);
      }),
    );
  });

  it('finds every integer that reading changes, and no other', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), (integer) => {
        const same = integer.toString() === BigInt(Number(integer)).toString() || isShortest(integer);
        expect(literals(`{"n":${integer}}`)).toEqual(same ? [] : [integer.toString()]);
      }),
    );
  });
});

/** Whether a double is written as this integer, as `100000000000000000000` is. */
function isShortest(integer: bigint): boolean {
  const [digits = '', power = '0'] = String(Number(integer)).replace('.', '').split('e+');
  return (
    digits.replace('-', '').replace(/0+$/, '') === integer.toString().replace('-', '').replace(/0+$/, '') &&
    power !== ''
  );
}

describe('searching a long text', () => {
  it('finds a number behind thousands that do not change', () => {
    const numbers = Array.from({ length: 20_000 }, () => '0.12345678901234560');
    const text = `{"a":{"b":[${numbers.join()},9007199254740993]}}`;
    expect(findChangedNumbers(text)).toEqual([{ path: ['a', 'b', 20_000], literal: '9007199254740993' }]);
  });

  it('keeps the place through texts with marks, empty structures and names of all kinds', () => {
    const text = '{"x":[{},[],"[{,\\"",1],"a\\"b,":{"c":[1,{"d e":[true,null,-9007199254740993]}]}}';
    expect(findChangedNumbers(text)).toEqual([{ path: ['a"b,', 'c', 1, 'd e', 2], literal: '-9007199254740993' }]);
  });
});

/** Texts of all lengths, with what is escaped in them at any distance. */
const texts = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\\"', 'x'.repeat(63), 'é'.repeat(70))))
  .map((parts) => parts.join(''));

it('finds the end of a string, and that of the text where the string has none', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom('', '[', '{"a":'), (text, before) => {
      const literal = JSON.stringify(text);
      const document = `${before}${literal},"more"`;
      expect(endOfString(document, before.length)).toBe(before.length + literal.length);
      const open = before + literal.slice(0, -1);
      expect(endOfString(open, before.length)).toBe(open.length);
      expect(endOfString(`${open}\\`, before.length)).toBe(open.length + 1);
    }),
    { numRuns: 2_000 },
  );
});
