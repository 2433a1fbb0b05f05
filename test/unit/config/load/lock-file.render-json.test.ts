import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderJson } from '../../../../src/config/load/lock-file.js';

it('writes JSON that reads back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(renderJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('keeps short lists on a line and breaks long ones', () => {
  const long = Array.from({ length: 10 }, () => 'x'.repeat(12));
  expect(renderJson({ a: ['b', 'c'], d: {}, e: [] })).toBe('{\n  "a": ["b", "c"],\n  "d": {},\n  "e": []\n}\n');
  expect(renderJson({ long })).toBe(`${JSON.stringify({ long }, null, 2)}\n`);
});
