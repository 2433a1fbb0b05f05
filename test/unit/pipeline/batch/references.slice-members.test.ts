import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sliceMembers } from '../../../../src/pipeline/batch/references.js';

it('sliceMembers returns each member of an envelope as written', () => {
  const text =
    '{"success":true,"data":{\n  "a": [1, {"b": "]}\\\\"}],\n  "c": "\\""\n},"warnings":[{"code":"X"}],"n":1.50}';
  expect(Object.fromEntries(sliceMembers(text))).toEqual({
    success: 'true',
    data: '{\n  "a": [1, {"b": "]}\\\\"}],\n  "c": "\\""\n}',
    warnings: '[{"code":"X"}]',
    n: '1.50',
  });
  expect(sliceMembers('{}').size).toBe(0);
});

it('sliceMembers equals JSON.parse and JSON.stringify of each member, for every object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, laidOut) => {
      const members = Object.entries(object).map(
        ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value, null, laidOut ? 2 : 0)}`,
      );
      const sliced = [...sliceMembers(`{${members.join(',')}}`)];
      expect(sliced.map(([key, text]) => [key, JSON.parse(text)])).toEqual(
        Object.entries(object).map(([key, value]) => [key, JSON.parse(JSON.stringify(value))]),
      );
    }),
  );
});
