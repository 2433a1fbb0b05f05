import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessageId, splitLines } from '../../../../src/upstream/transport/wire-messages.js';

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; overflows: string[] } {
  const lines: string[] = [];
  const overflows: string[] = [];
  const feed = splitLines({ maxBytes, onOverflow: (start) => overflows.push(start.toString('utf8')) });
  for (const chunk of chunks) lines.push(...feed(chunk));
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

  it('cuts a line when it is asked for, and passes over many empty ones at once', () => {
    const chunk = Buffer.from(`${'\n'.repeat(50_000)}one\n${'\n'.repeat(10)}two\n`);
    const [first, second, ...rest] = splitLines({ maxBytes: 100 })(chunk);
    expect([first, second, rest]).toEqual(['one', 'two', []]);
    const lines = splitLines({ maxBytes: 100 })(Buffer.from('one\ntwo\n'))[Symbol.iterator]();
    expect(lines.next().value).toBe('one');
    expect(lines.next().value).toBe('two');
    expect(lines.next().done).toBe(true);
  });

  it('keeps back a line that is not complete', () => {
    expect(split([Buffer.from('one\ntw')]).lines).toEqual(['one']);
  });

  it('tells once of a line that is too long, drops it, and goes on with the next', () => {
    const chunks = ['short\n', 'far ', 'too ', 'long ', 'indeed\n', 'next\n'].map((text) => Buffer.from(text));
    expect(split(chunks, 6)).toEqual({ lines: ['short', 'next'], overflows: ['far too '] });
  });
});

describe('a line that is too long', () => {
  const padding = 'x'.repeat(2_000);

  it.each([
    ['first', `{"jsonrpc":"2.0","id":17,"result":{"text":"${padding}"}}`, 17],
    ['first, with spaces', `{ "jsonrpc": "2.0", "id": "a1", "result": {"text": "${padding}"} }`, 'a1'],
    ['last', `{"result":{"id":3,"text":"${padding}"},"jsonrpc":"2.0","id":17}`, 17],
    ['before the version', `{"result":{"text":"${padding}"},"id":17,"jsonrpc":"2.0"}`, 17],
    ['of the result only', `{"result":{"text":"${padding}","id":3},"more":{"id":4}}`, undefined],
    ['of a nested object that ends the text', `{"result":{"text":"${padding}","id":3}}`, undefined],
  ])('gives away its id where that stands %s', (_where, line, id) => {
    const ids: unknown[] = [];
    const feed = splitLines({
      maxBytes: 1_000,
      onSkipped: (skipped) => ids.push(readMessageId(skipped)),
    });
    for (const chunk of cut(Buffer.from(`${line}\n`), [300, 900, 1_100, 1_900])) Array.from(feed(chunk));
    expect(ids).toEqual([id]);
  });

  it('is given up once it goes on without an end', () => {
    let endless = 0;
    const feed = splitLines({
      maxBytes: 100,
      endlessBytes: 3_000,
      onEndless: () => {
        endless += 1;
      },
    });
    for (let sent = 0; sent < 100; sent += 1) Array.from(feed(Buffer.alloc(50, 'x')));
    expect(endless).toBe(1);
  });
});
