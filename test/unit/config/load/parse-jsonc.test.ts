import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsoncSyntaxError, parseJsonc } from '../../../../src/config/load/parse-jsonc.js';

function faultOf(text: string): JsoncSyntaxError {
  try {
    parseJsonc(text);
  } catch (cause) {
    if (cause instanceof JsoncSyntaxError) return cause;
    throw cause;
  }
  throw new Error('the text was accepted');
}

describe('parseJsonc', () => {
  it('reads every JSON text as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const value: unknown = JSON.parse(text);
        expect(parseJsonc(JSON.stringify(value, null, space)).value).toEqual(value);
      }),
    );
  });

  it('fails on any text with a line and column, and in no other way', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\n1-e.tru\n ') }), (text) => {
        try {
          parseJsonc(text);
        } catch (cause) {
          expect(cause).toBeInstanceOf(JsoncSyntaxError);
        }
      }),
    );
  });

  it('skips comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// head\n{ "a": [1, 2, /* two */], "b": "http://x/*y*/", }\n// end';
    expect(parseJsonc(text).value).toEqual({ a: [1, 2], b: 'http://x/*y*/' });
  });

  it('reports the keys that are given twice, with their path', () => {
    expect(parseJsonc('{"a":{"x":1,"x":2},"b":[{"y":1,"y":1}]}').duplicates).toEqual([
      ['a', 'x'],
      ['b', 0, 'y'],
    ]);
  });

  it('keeps __proto__ a plain key', () => {
    const value = parseJsonc('{"__proto__":{"x":1}}').value as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('x' in value).toBe(false);
  });

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ',' or a closing bracket, found '\"'"],
    ['{ a: 1 }', 1, 3, "expected a key in double quotes, found 'a'"],
    ['{ "a": \'x\' }', 1, 8, "expected a value, found '''"],
    ['{"a": [1, 2}', 1, 12, "expected ',' or a closing bracket, found '}'"],
    ['{"a": 1', 1, 8, "expected ',' or '}', found the end of the file"],
    ['{"a" 1}', 1, 6, "expected ':' after the key, found '1'"],
    ['{"a": 01}', 1, 8, "expected ',' or a closing bracket, found '1'"],
    ['{} {}', 1, 4, "expected the end of the file, found '{'"],
    ['', 1, 1, 'expected a value, found the end of the file'],
  ])('names the line and column of the fault in %j', (text, line, column, message) => {
    expect(faultOf(text)).toMatchObject({ line, column, message });
  });

  it('refuses nesting that would exhaust the stack', () => {
    expect(faultOf('['.repeat(200_000)).message).toContain('at most 100 levels');
  });

  it('shows only one character of the text that it found', () => {
    expect(faultOf('{"token": ghp_secret}').message).not.toContain('ghp');
  });
});
