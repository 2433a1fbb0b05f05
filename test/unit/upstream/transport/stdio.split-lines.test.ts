import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../../../src/upstream/transport/stdio.js';

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; overflows: string[] } {
  const lines: string[] = [];
  const overflows: string[] = [];
  const feed = splitLines((line) => lines.push(line), {
    maxBytes,
    onOverflow: (start) => overflows.push(start.toString('utf8')),
  });
  for (const chunk of chunks) feed(chunk);
  return { lines, overflows };
}

/** Cuts a buffer at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, at) => bytes.subarray(from, sorted[at] ?? bytes.length));
}

describe('splitLines', () => {
  it('finds the same lines however the bytes arrive', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''), 'utf8');
        expect(split(cut(bytes, places)).lines).toEqual(lines.filter((text) => text !== ''));
      }),
    );
  });

  it('keeps back a line that is not complete', () => {
    expect(split([Buffer.from('one\ntw')]).lines).toEqual(['one']);
  });

  it('tells once of a line that is too long, drops it, and goes on with the next', () => {
    const chunks = ['short\n', 'far ', 'too ', 'long ', 'indeed\n', 'next\n'].map((text) => Buffer.from(text));
    expect(split(chunks, 6)).toEqual({ lines: ['short', 'next'], overflows: ['far too '] });
  });
});
