import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../../../src/builtin/introspect/page.js';

describe('page cursor', () => {
  it('reads the position that was written', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.stringMatching(/^[a-z][a-z0-9_]*$/), (scope, index, name) => {
        expect(readCursor(scope, writeCursor(scope, { index, name }))).toEqual({ index, name });
      }),
    );
  });

  it('is safe in a URL', () => {
    expect(writeCursor('scope', { index: 49, name: 'list_issues' })).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('is valid for its own scope only', () => {
    expect(readCursor('other', writeCursor('scope', { index: 1, name: 'a' }))).toBeUndefined();
  });

  it('is refused if it is any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String({ minLength: 16 })), (text) => {
        expect(readCursor('scope', text)).toBeUndefined();
      }),
    );
  });

  it('is refused with a changed character', () => {
    const cursor = writeCursor('scope', { index: 12, name: 'list_issues' });
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom('A', 'z', '0', '-'), (at, character) => {
        fc.pre(cursor[at] !== character);
        expect(readCursor('scope', cursor.slice(0, at) + character + cursor.slice(at + 1))).toBeUndefined();
      }),
    );
  });
});
