import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, SNAPSHOT_ID_BYTES, writeCursor } from '../../../../src/results/stored/result-store.js';

const KEY = Buffer.alloc(32, 7);

const contents = fc.record({
  snapshot: fc
    .uint8Array({ minLength: SNAPSHOT_ID_BYTES, maxLength: SNAPSHOT_ID_BYTES })
    .map((bytes) => Buffer.from(bytes).toString('base64url')),
  index: fc.nat(0xffff_ffff),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. ';

describe('cursor text', () => {
  it('reads what was written, in short text that is safe in a URL', () => {
    fc.assert(
      fc.property(contents, (content) => {
        const cursor = writeCursor(KEY, content);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{23,28}$/);
        expect(readCursor(KEY, cursor)).toEqual(content);
      }),
    );
  });

  it('refuses a cursor with any one character changed', () => {
    const content = { snapshot: Buffer.alloc(SNAPSHOT_ID_BYTES, 3).toString('base64url'), index: 1_234 };
    const cursor = writeCursor(KEY, content);
    const changed = Array.from(cursor).flatMap((own, at) =>
      Array.from(ALPHABET)
        .filter((character) => character !== own)
        .map((character) => cursor.slice(0, at) + character + cursor.slice(at + 1)),
    );
    expect(changed.length).toBeGreaterThan(1_500);
    expect(changed.filter((text) => readCursor(KEY, text) !== undefined)).toEqual([]);
  });

  it('refuses a cursor with characters added, left out or swapped', () => {
    fc.assert(
      fc.property(contents, fc.nat(30), fc.constantFrom(...ALPHABET), (content, at, character) => {
        const cursor = writeCursor(KEY, content);
        const variants = [
          cursor.slice(0, at) + character + cursor.slice(at),
          cursor.slice(0, at) + cursor.slice(at + 1),
          `${cursor}=`,
          ` ${cursor}`,
        ];
        for (const text of variants) if (text !== cursor) expect(readCursor(KEY, text)).toBeUndefined();
      }),
    );
  });

  it('refuses a cursor of another process', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(readCursor(KEY, writeCursor(randomBytes(32), content))).toBeUndefined();
      }),
    );
  });

  it('refuses any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String({ minLength: 20 })), (text) => {
        expect(readCursor(KEY, text)).toBeUndefined();
      }),
    );
  });
});
