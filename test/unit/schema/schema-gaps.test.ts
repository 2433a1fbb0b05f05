import { expect, it } from 'vitest';
import { describeGaps } from '../../../src/schema/schema-gaps.js';

it('names the patterns that are not checked, and why', () => {
  const schema = {
    properties: { a: { pattern: '^(?!x)' }, b: { patternProperties: { '(a)\\1': {} } }, c: { pattern: '^a$' } },
  };
  expect(describeGaps(schema)).toContain("'(a)\\1' (it uses a backreference");
  expect(describeGaps(schema)).toContain("'^(?!x)' (it uses look-around");
});

it('says that a schema is too large, and nothing of one that is checked', () => {
  const properties = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, {}]));
  expect(describeGaps({ properties })).toContain('too large to check');
  expect(describeGaps({ properties: { a: { pattern: '^a+$' } } })).toBeUndefined();
});
