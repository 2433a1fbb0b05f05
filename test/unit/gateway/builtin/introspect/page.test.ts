import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, takePage, writeCursor } from '../../../../../src/gateway/builtin/introspect/page.js';

const listOf = (names: readonly string[], orderedByName = true, scope = 'scope') => ({
  items: names.map((name) => ({ name })),
  orderedByName,
  scope,
});
const namesOf = ({ items }: { readonly items: readonly { readonly name: string }[] }) => items.map(({ name }) => name);
const follow = (after: string | null) => ({ first: 2, after: after ?? '' });

describe('takePage', () => {
  it('visits every item once, whatever the page size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/)), fc.integer({ min: 1, max: 5 }), (names, first) => {
        const list = listOf(names, false);
        const seen: string[] = [];
        let page = takePage(list, { first });
        seen.push(...namesOf(page));
        while (page.after !== null) {
          page = takePage(list, { first, after: page.after });
          seen.push(...namesOf(page));
        }
        expect(seen).toEqual(names);
        expect(page.total).toBe(names.length);
      }),
    );
  });

  it('ends with the last item, not with an empty page', () => {
    expect(takePage(listOf(['a', 'b']), { first: 2 }).after).toBeNull();
  });

  it('continues after an item that has vanished from a list ordered by name', () => {
    const { after } = takePage(listOf(['a', 'b', 'd']), { first: 2 });
    expect(namesOf(takePage(listOf(['a', 'c', 'd']), follow(after)))).toEqual(['c', 'd']);
    expect(namesOf(takePage(listOf(['a']), follow(after)))).toEqual([]);
  });

  it('continues after the last item seen when others were added before it', () => {
    const { after } = takePage(listOf(['a', 'b', 'd']), { first: 2 });
    expect(namesOf(takePage(listOf(['aa', 'ab', 'b', 'd']), follow(after)))).toEqual(['d']);
  });

  it('continues at the same index when an item has vanished from a ranked list', () => {
    const { after } = takePage(listOf(['z', 'm', 'k'], false), { first: 2 });
    expect(namesOf(takePage(listOf(['z', 'k'], false), follow(after)))).toEqual(['k']);
  });

  it('refuses the cursor of another list and says what to do', () => {
    const { after } = takePage(listOf(['a', 'b', 'c']), { first: 1 });
    expect(() => takePage(listOf(['a', 'b', 'c'], true, 'other'), follow(after))).toThrow(
      expect.objectContaining({
        code: 'INTROSPECTION_ERROR',
        message: expect.stringMatching(/does not belong to this query.*leave out 'after'/),
      }),
    );
  });

  it('does not repeat a long cursor in its answer', () => {
    const garbage = 'x'.repeat(10_000);
    expect(() => takePage(listOf(['a']), { first: 1, after: garbage })).toThrow(/^.{0,300}$/);
  });
});

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
