import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEmbeddedJson } from '../../../../src/base/json/embedded-json.js';
import { endOfString, escapeAgain } from '../../../../src/base/json/json-literal.js';
import { isNestedDeeper } from '../../../../src/base/json/scan.js';

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

/** How deeply brackets outside of strings are nested. */
function levelsOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const mark of text.replace(/"(?:[^"\\]|\\.)*"/g, '')) {
    if ('[{'.includes(mark)) depth += 1;
    if (']}'.includes(mark)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

describe('a JSON string on the wire', () => {
  it('ends where its last quote is', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { bytes, content } = write(text);
        fc.pre(!/\\u/.test(content.toString()));
        expect(endOfString(bytes, 1)).toBe(content.length + 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is taken for JSON exactly where the parser reads its text as an object or a list on one line', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { bytes, content } = write(text);
        fc.pre(!/(?<!\\)(?:\\\\)*\\u/.test(content.toString()));
        const isRead = isContainer(text) && !text.includes('\n');
        const expected = { end: content.length + 1, textBytes: Buffer.byteLength(text), levels: levelsOf(text) };
        expect(readEmbeddedJson(bytes, 1, MAX_DEPTH)).toEqual(isRead ? expected : undefined);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is never taken for JSON where any byte of it was changed to what the parser refuses', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), changes, fc.nat({ max: 3 }), (json, edits, offset) => {
        // Words of four bytes begin anywhere.
        const bytes = Buffer.concat([Buffer.alloc(offset), write(json).bytes]).subarray(offset);
        for (const [at, byte] of edits) bytes[1 + (at % (bytes.length - 1))] = byte;
        const read = readEmbeddedJson(bytes, 1, MAX_DEPTH);
        if (read === undefined || !isUtf8(bytes)) return;
        const text = JSON.parse(bytes.toString('utf8', 0, read.end + 1));
        expect(isContainer(text)).toBe(true);
        expect(read.textBytes).toBe(Buffer.byteLength(text));
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
      expect(readEmbeddedJson(write(text).bytes, 1, MAX_DEPTH) === undefined).toBe(isNestedDeeper(text, MAX_DEPTH));
    }
  });

  it.each(['"a\\/b"', '"\\u00e9"', '"a\nb"', '"a', '"a\\"', '"\\x"'])(
    'is not read where it is malformed or unusual: %j',
    (literal) => {
      expect(endOfString(Buffer.from(literal), 1)).toBeUndefined();
    },
  );

  it('is not read where a control character stands in it, wherever that is', () => {
    for (let offset = 0; offset < 4; offset += 1) {
      for (let length = 0; length < 16; length += 1) {
        const message = Buffer.concat([Buffer.alloc(offset), Buffer.from(`"${'~'.repeat(length)}"`)]).subarray(offset);
        expect(endOfString(message, 1)).toBe(length + 1);
        for (let at = 0; at < length; at += 1) {
          const faulty = Buffer.from(message.buffer.slice(0)).subarray(message.byteOffset).subarray(0, message.length);
          faulty[at + 1] = 0x1f;
          expect(endOfString(faulty, 1)).toBeUndefined();
        }
      }
    }
  });
});
