import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, writeExact } from '../../../../src/base/json/exact-numbers.js';

describe('numbers that a double would change', () => {
  it.each([
    '{"id":12345678901234567890}',
    '[0.12345678901234567890123]',
    '[1e400,-2E-400]',
    '{"text":"12345678901234567890","n":12345678901234567890}',
    '{"12345678901234567890":[12345678901234567890]}',
    '"a \\" 12345678901234567890 \\\\"',
  ])('are written as they were read: %s', (text) => {
    expect(writeExact(parseExact(text))).toBe(text);
  });

  it('are distinguished from texts that look like them', () => {
    expect(parseExact('{"n":"1234567890123456789"}')).toEqual({ n: '1234567890123456789' });
  });

  it.each(['0.30000000000000004', '3.3333333333333335', '9007199254740991', '1e+300'])(
    'do not include numbers that a double holds exactly: %s',
    (text) => {
      expect(parseExact(text)).toBe(Number(text));
    },
  );

  it('are written as they were read in a text that is read part by part', () => {
    const rows = Array.from({ length: 60_000 }, (_, row) => `{"n":1234567890123456789${row}.5,"text":"1e999"}`);
    const text = `{"items":[${rows.join()}],"rest":12345678901234567890}`;
    expect(writeExact(parseExact(text))).toBe(text);
  });

  it('do not affect any other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(writeExact(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});
