import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../../../src/server/stdio/lines.js';

function read(limit: number, chunks: readonly Buffer[]): string[] {
  const seen: string[] = [];
  const reader = new LineReader(limit, {
    onLine: (bytes) => seen.push(bytes.toString()),
    onOverlong: (excerpt) => seen.push(`overlong ${excerpt.size}`),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

describe('LineReader', () => {
  it('finds the same lines for every split of the bytes', () => {
    const line = fc.string({ minLength: 1 }).filter((text) => !/[\n\r]/.test(text) && text.trim() !== '');
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0, next = 0; at < bytes.length; next += 1) {
          const size = cuts[next % cuts.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const limit = 20;
        const expected = lines.map((text) => {
          const size = Buffer.byteLength(text);
          return size > limit ? `overlong ${size}` : Buffer.from(text).toString();
        });
        expect(read(limit, chunks)).toEqual(expected);
      }),
    );
  });

  it('ignores blank lines and accepts a last line without a line break', () => {
    expect(read(10, [Buffer.from('a\n\n\r\n \t \r\nb')])).toEqual(['a', 'b']);
  });

  it('skips a byte order mark, also alone on a line', () => {
    expect(read(10, [Buffer.from('\uFEFFa\n\uFEFF\nb\n')])).toEqual(['a', 'b']);
  });
});
