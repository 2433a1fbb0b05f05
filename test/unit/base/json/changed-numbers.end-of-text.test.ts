import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOfTextIn } from '../../../../src/base/json/changed-numbers.js';
import { endOfText } from '../../../../src/server/mcp/decode-message.js';

/** Texts of all lengths, with what is escaped in them at any distance. */
const texts = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\\"', 'x'.repeat(63), 'é'.repeat(70))))
  .map((parts) => parts.join(''));

it('finds the quotation mark that ends a text, and none where the text has no end', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom('', '[', '{"a":'), (text, before) => {
      const literal = JSON.stringify(text);
      const document = `${before}${literal},"more"`;
      expect(endOfTextIn(document, before.length)).toBe(before.length + literal.length - 1);
      const bytes = Buffer.from(document);
      expect(endOfText(bytes, before.length)).toBe(before.length + Buffer.byteLength(literal) - 1);
      const open = before + literal.slice(0, -1);
      expect(endOfTextIn(open, before.length)).toBe(open.length);
      expect(endOfText(Buffer.from(open), before.length)).toBe(Buffer.byteLength(open));
      expect(endOfTextIn(`${open}\\`, before.length)).toBe(open.length + 1);
    }),
    { numRuns: 2_000 },
  );
});
