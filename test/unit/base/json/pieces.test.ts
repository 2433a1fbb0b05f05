import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPieces, countMarks, joinPieces, occursIn, slicePieces } from '../../../../src/base/json/pieces.js';

const pieces = fc.array(fc.uint8Array({ max: 2, maxLength: 6 }).map((bytes) => Buffer.from(bytes)));

describe('bytes in pieces', () => {
  it('are cut like the whole', () => {
    fc.assert(
      fc.property(pieces, fc.nat({ max: 30 }), fc.nat({ max: 30 }), (parts, from, bytes) => {
        const whole = Buffer.concat(parts);
        expect(joinPieces(slicePieces(parts, from, from + bytes))).toEqual(whole.subarray(from, from + bytes));
      }),
    );
  });

  it('are copied to the last byte', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(copyPieces(parts)).toEqual(Buffer.concat(parts));
      }),
    );
  });

  it('hold what the whole holds, wherever it is cut', () => {
    fc.assert(
      fc.property(pieces, fc.uint8Array({ max: 2, minLength: 1, maxLength: 9 }), (parts, bytes) => {
        const sought = Buffer.from(bytes);
        expect(occursIn(parts, sought)).toBe(Buffer.concat(parts).includes(sought));
      }),
      { numRuns: 2_000 },
    );
  });
});

const marksIn = (text: string): number => countMarks([Buffer.from(text)], 1_000_000);

it.each([
  ['objects', '[{},{},{}]', 6],
  ['members', '{"a":1,"b":2}', 4],
  ['rows of a table', 'a,b\n1,2\n', 4],
  ['lines that are escaped in JSON', JSON.stringify('a\nb\tc\n'), 3],
  ['tags', '<tr><td>1', 2],
  ['prose', 'What is written here holds nothing that is counted.', 0],
])('the values in %s are counted by what stands before and between them', (_name, text, marks) => {
  expect(marksIn(text)).toBe(marks);
});

it('a number of more digits than a double holds counts as several values, wherever its bytes are cut', () => {
  expect(marksIn('12345678901234567890')).toBeGreaterThan(5 * marksIn('[1]'));
  const pieces = ['1234567890', '1234567890'].map((text) => Buffer.from(text));
  expect(countMarks(pieces, 100)).toBe(marksIn('12345678901234567890'));
});

it('nothing is counted in the pieces behind the one that is too much', () => {
  const pieces = [Buffer.from(','.repeat(20))];
  const unread = new Proxy(Buffer.from(','), {
    get: () => {
      throw new Error('it was read');
    },
  });
  expect(countMarks([...pieces, unread], 10)).toBe(11);
});

it('values are counted wherever the bytes that are looked at together end', () => {
  const text = 'a\\n"12345678901234567890",'.repeat(10_000);
  expect(marksIn(text)).toBe(10_000 * marksIn('a\\n"12345678901234567890",'));
});
