import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseResultPath, writeResultPath } from '../../../../src/results/stored/truncation-warning.js';

describe('result path', () => {
  it.each([
    ['', []],
    ['items', ['items']],
    ['items[3].body', ['items', 3, 'body']],
    ['[0][12].a', [0, 12, 'a']],
    ['files["a.b"].size', ['files', 'a.b', 'size']],
    ['["\\"quoted\\""]', ['"quoted"']],
    ['items.3.body', ['items', '3', 'body']],
    ['a.[2]', ['a', 2]],
    ['user name.é-1', ['user name', 'é-1']],
  ])('reads %j', (text, path) => {
    expect(parseResultPath(text)).toEqual(path);
  });

  it.each(['.', '.a', 'a.', 'a..b', 'a[', 'a[]', 'a[-1]', 'a[x]', 'a]b', 'a[1]b', 'a["x]', 'a["\\q"]', '"a"'])(
    'refuses %j',
    (text) => {
      expect(parseResultPath(text)).toBeUndefined();
    },
  );

  it('reads every path that it writes', () => {
    const step = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.nat(9_999_999));
    fc.assert(
      fc.property(fc.array(step), (path) => {
        expect(parseResultPath(writeResultPath(path))).toEqual(path);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '.', '[', ']', '"', '\\', '1', ' ')), (characters) => {
        expect(() => parseResultPath(characters.join(''))).not.toThrow();
      }),
    );
  });
});
