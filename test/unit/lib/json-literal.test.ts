import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from '../../../src/lib/json-depth.js';
import { bytesOfText, endOfJsonString, endOfString, escapeAgain } from '../../../src/lib/json-literal.js';

const MAX_DEPTH = 512;

/** A text as a JSON string with more behind it, and where its content begins. */
function write(text: string): { readonly bytes: Buffer; readonly content: Buffer } {
  const literal = Buffer.from(JSON.stringify(text));
  return { bytes: Buffer.concat([literal, Buffer.from(',"id":"7"}')]), content: literal.subarray(1, -1) };
}

function isContainer(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object' && /^[ \t\r\n]*[[{]/.test(text);
  } catch {
    return false;
  }
}

/** Texts that are JSON, almost JSON, and anything else. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.json({ maxDepth: 5 }),
  fc.json({ stringUnit: 'binary' }),
  fc.jsonValue().map((value) => JSON.stringify([value], null, '\t').replaceAll('\n', ' ')),
  fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]:,"\\0e.-tn x')).map(([json, at, character]) => {
    const place = at % (json.length + 1);
    return json.slice(0, place) + character + json.slice(place);
  }),
  fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1))),
  fc
    .array(fc.constantFrom(...'{}[]:,"\\01e.-+ tnu/'.split(''), 'true', 'null', 'false', '1e5', '\\u00e9'))
    .map((parts) => parts.join('')),
);

describe('a JSON string on the wire', () => {
  it('ends where its last quote is, and is as long as its text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { bytes, content } = write(text);
        fc.pre(!/\\u/.test(content.toString()));
        expect(endOfString(bytes, 1)).toBe(content.length + 1);
        expect(bytesOfText(content)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is taken for JSON exactly where the parser reads its text as an object or a list on one line', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { bytes, content } = write(text);
        fc.pre(!/(?<!\\)(?:\\\\)*\\u/.test(content.toString()));
        const expected = isContainer(text) && !text.includes('\n') ? content.length + 1 : undefined;
        expect(endOfJsonString(bytes, 1, MAX_DEPTH)).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is escaped again as the engine escapes it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { content } = write(text);
        expect(escapeAgain(content).toString()).toBe(JSON.stringify(content.toString()).slice(1, -1));
      }),
    );
  });

  it('is JSON only as deep as it may be', () => {
    for (const depth of [1, MAX_DEPTH, MAX_DEPTH + 1]) {
      const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      expect(endOfJsonString(write(text).bytes, 1, MAX_DEPTH) === undefined).toBe(isNestedDeeper(text, MAX_DEPTH));
    }
  });

  it.each(['"a\\/b"', '"\\u00e9"', '"a\nb"', '"a', '"a\\"', '"\\x"'])(
    'is not read where it is malformed or unusual: %j',
    (literal) => {
      expect(endOfString(Buffer.from(literal), 1)).toBeUndefined();
    },
  );
});
