import { afterEach, expect, it, vi } from 'vitest';
import { compileGlob, type Match, matchBudget, matchGlobs } from '../../../../src/base/lib/glob.js';
import { compileParameter } from '../../../../src/policy/rules/param-conditions.js';
import { anOperation } from '../../../support/an-operation.js';

const repeat = <T>(length: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => create(index));

it('patterns share one budget over all texts of a call, and what is left is in doubt', () => {
  const globs = [compileGlob(`/a${'*a'.repeat(200)}b`)];
  const budget = matchBudget();
  const slow = `/${'a'.repeat(4_000)}`;
  const matches = repeat(300, () => matchGlobs(globs, slow, budget));
  expect(matches[0]).toBe('no');
  expect(matches.at(-1)).toBe('doubt');
  expect(budget.left).toBeLessThan(0);
});

it('a list of the longest length is decided by a few rules', () => {
  const globs = [compileGlob('secret/**')];
  const budget = matchBudget();
  const matches = new Set(repeat(9_999, (index) => matchGlobs(globs, `public/directory/file-${index}.txt`, budget)));
  expect([...matches]).toEqual(['no']);
});

const among = (expected: readonly unknown[]) => {
  const { match } = compileParameter('a', { in: expected });
  return (a: unknown): Match => match({ operation: anOperation(), args: { a }, caller: {}, budget: matchBudget() });
};

it.each([
  [[{ a: 1 }], { a: 1 }, 'yes'],
  [[{ b: [1, null, true], a: {} }], { a: {}, b: [1, null, true] }, 'yes'],
  [[[1, 2, 3, 4, 5, 6, 7, 8]], [1, 2, 3, 4, 5, 6, 7, 8], 'yes'],
  [[{ a: 1 }], { a: 2 }, 'no'],
  [[5], '5', 'doubt'],
  [[true], 'TRUE', 'doubt'],
  [[true], 1, 'doubt'],
  [[0], null, 'doubt'],
  [['x'], 'X', 'no'],
  [['x', 7], ['y', '7'], 'doubt'],
] as const)('of %j the value %j is among them: %s', (expected, value, match) => {
  expect(among(expected)(value)).toBe(match);
});

it('a long structure is compared with expected ones without being read to its end', () => {
  let read = 0;
  const long = repeat(10_000, () => ({
    get text() {
      read += 1;
      return 'x';
    },
  }));
  expect(among([{ a: 1 }])({ long })).toBe('no');
  expect(read).toBeLessThan(100);
});

afterEach(() => void vi.restoreAllMocks());

it('what a text costs does not grow with the texts that are expected beside a number', () => {
  const expected = [...repeat(200, (index) => `${index}x`), 7];
  const isAmong = among(expected);
  const looks = vi.fn();
  const some = Array.prototype.some;
  vi.spyOn(Array.prototype, 'some').mockImplementation(function (this: unknown[], test) {
    return some.call(this, (...each) => {
      looks();
      return test(...each);
    });
  });
  expect(isAmong('v1')).toBe('no');
  expect(looks.mock.calls.length).toBeLessThan(10);
});

it.each([
  ['blanks before a number', `${' '.repeat(900_000)}7`, 'doubt'],
  ['blanks after a number', `7${' '.repeat(900_000)}`, 'doubt'],
  ['digits', `${'0'.repeat(900_000)}7`, 'doubt'],
  ['digits of another base', `0x${'0'.repeat(900_000)}7`, 'doubt'],
  ['words', 'x y '.repeat(200_000), 'no'],
  ['digits that begin words', `7 ${'x y '.repeat(200_000)}`, 'no'],
])('a long text of %s is not converted', (_, text, match) => {
  const isAmong = among(['x', 7, true]);
  const lower = vi.spyOn(String.prototype, 'toLowerCase');
  expect(isAmong(text)).toBe(match);
  expect(lower).not.toHaveBeenCalled();
});

it('structures of another size than the expected ones are not measured, and those of the same size are counted', () => {
  const budget = matchBudget();
  const { match } = compileParameter('a', { in: [{ a: 1 }] });
  const decideOn = (a: unknown): Match => match({ operation: anOperation(), args: { a }, caller: {}, budget });
  expect(decideOn(repeat(9_999, (id) => ({ id, text: 'x'.repeat(60) })))).toBe('no');
  expect(budget.left).toBeGreaterThan(0);
  const matches = repeat(10, () => decideOn(repeat(9_999, (id) => ({ id }))));
  expect(matches.at(-1)).toBe('doubt');
});

it('elements on the way to a member are counted, and what is beyond the budget is in doubt', () => {
  const budget = matchBudget();
  const { match } = compileParameter('a.b', { present: true });
  const args = { a: repeat(9_999, () => ({})) };
  const matches = repeat(60, () => match({ operation: anOperation(), args, caller: {}, budget }));
  expect(matches[0]).toBe('no');
  expect(matches.at(-1)).toBe('doubt');
});
