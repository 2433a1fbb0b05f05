import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from '../../../../src/server/mcp/decode-message.js';
import { createResultWriter } from '../../../../src/server/mcp/write-result.js';

const writer = createResultWriter({ name: 'test', version: '1' }, 'all');

describe('decodeMessage', () => {
  it('parses every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (message) => {
        const text = JSON.stringify(message);
        const decoded = decodeMessage(Buffer.from(text), 'legacy', writer);
        expect(decoded).toEqual({ kind: 'message', message: JSON.parse(text) });
      }),
    );
  });

  it('names the first byte that is not UTF-8, also after valid replacement characters', () => {
    const clean = fc.array(fc.constantFrom('\uFFFD', 'a', 'ü', '€', '😀')).map((characters) => characters.join(''));
    fc.assert(
      fc.property(clean, fc.constantFrom(0xff, 0xfe, 0xc0, 0x80), fc.string(), (before, byte, after) => {
        const start = Buffer.from(before);
        const decoded = decodeMessage(
          Buffer.concat([start, Buffer.from([byte]), Buffer.from(after)]),
          'legacy',
          writer,
        );
        if (decoded.kind !== 'refused') throw new Error('was not refused');
        expect(JSON.parse(decoded.refusal.text).error.data.error).toMatchObject({
          code: 'VALIDATION_INVALID_ENCODING',
          details: { byte_offset: start.length },
        });
      }),
    );
  });

  it('names a character that is cut off at the end', () => {
    const decoded = decodeMessage(Buffer.from([0x22, 0xe2, 0x82]), 'legacy', writer);
    expect(decoded).toMatchObject({ refusal: { text: expect.stringContaining('"byte_offset":1') } });
  });
});
