import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cut } from '../../../../src/results/stored/truncate.js';
import { describeCuts, parseResultPath, writeResultPath } from '../../../../src/results/stored/truncation-warning.js';

const HANDLE = 'res_abcdefghijkl';
const items: Cut = { path: ['items'], kind: 'items', kept: 40, total: 2_000 };
const body: Cut = { path: ['items', 3, 'body'], kind: 'text', kept: 1_200, total: 90_000 };

/** The parameters of the call that a message names. */
function nextCall(message: string): unknown {
  return JSON.parse(/introspect (\{.*?\})/.exec(message)?.[1] ?? 'null');
}

describe('describeCuts', () => {
  it('says what was left out, and how to read on', () => {
    const page = { cursor: 'abc', params: { first: 20, after: 'abc' } };
    expect(describeCuts([body, items], { handle: HANDLE, page, limit: 25_000 })).toEqual({
      code: 'VALIDATION_TRUNCATED_WARNING',
      message:
        "The answer was too big: 'items' holds the first 40 of 2000 items; 'items[3].body' holds the first 1200 of 90000 " +
        'characters. Next page: the same call with {"first":20,"after":"abc"} added. The whole answer is stored for a while. Read on: ' +
        `introspect {"query":"result","name":"${HANDLE}","path":"items","first":20,"after":"40"}. Or give introspect ` +
        "'search', 'fields' or 'lines' with the same name to read a part",
      details: {
        field: 'items',
        original_count: 2_000,
        truncated_count: 40,
        limit: 25_000,
        handle: HANDLE,
        cursor: 'abc',
        cuts: [
          { path: 'items', kind: 'items', kept: 40, total: 2_000 },
          { path: 'items[3].body', kind: 'text', kept: 1_200, total: 90_000 },
        ],
      },
      severity: 'medium',
    });
  });

  it.each([
    [items, { path: 'items', first: 20, after: '40' }],
    [body, { path: 'items[3].body', after: '1200' }],
    [
      { ...items, path: [] },
      { first: 20, after: '40' },
    ],
    [
      { ...items, kind: 'members' as const },
      { path: 'items', after: '40' },
    ],
  ])('names the call that reads on where %j was', (cut, params) => {
    expect(nextCall(describeCuts([cut], { handle: HANDLE, limit: 1 }).message)).toEqual({
      query: 'result',
      name: HANDLE,
      ...params,
    });
  });

  it('says to ask for less where nothing could be stored', () => {
    const { message, details } = describeCuts([{ ...items, path: [] }], { limit: 1 });
    expect(message).toBe(
      'The answer was too big: it holds the first 40 of 2000 items. The whole answer is too big to store: ask for smaller parts',
    );
    expect(details).not.toHaveProperty('handle');
    expect(details).not.toHaveProperty('cursor');
  });

  it('names first the list that lost most', () => {
    const more: Cut = { path: ['rows'], kind: 'items', kept: 1, total: 9_000 };
    expect(describeCuts([body, items, more], { limit: 1 }).details).toMatchObject({
      field: 'rows',
      original_count: 9_000,
    });
  });

  it('stays short, however many places and however long their names', () => {
    const many = Array.from(
      { length: 500 },
      (_, index): Cut => ({ ...body, path: ['items', index, 'x'.repeat(index)] }),
    );
    const warning = describeCuts(many, { handle: HANDLE, limit: 1 });
    expect(warning.message).toContain('497 other place(s) were shortened');
    expect(JSON.stringify(warning).length).toBeLessThan(4_000);
  });

  it('names the whole answer where every name is too long', () => {
    const warning = describeCuts([{ ...body, path: ['x'.repeat(5_000)] }], { handle: HANDLE, limit: 1 });
    expect(warning.message).toContain('The answer was too big: 1 other place(s) were shortened');
    expect(nextCall(warning.message)).toEqual({ query: 'result', name: HANDLE });
  });
});

describe('result path', () => {
  it.each([
    ['', []],
    ['items', ['items']],
    ['items[3].body', ['items', 3, 'body']],
    ['[0][12].a', [0, 12, 'a']],
    ['files["a.b"].size', ['files', 'a.b', 'size']],
    ['["\\"quoted\\""]', ['"quoted"']],
    ['items.3.body', ['items', '3', 'body']],
    ['a.[2]', ['a', 2]],
    ['user name.é-1', ['user name', 'é-1']],
  ])('reads %j', (text, path) => {
    expect(parseResultPath(text)).toEqual(path);
  });

  it.each(['.', '.a', 'a.', 'a..b', 'a[', 'a[]', 'a[-1]', 'a[x]', 'a]b', 'a[1]b', 'a["x]', 'a["\\q"]', '"a"'])(
    'refuses %j',
    (text) => {
      expect(parseResultPath(text)).toBeUndefined();
    },
  );

  it('reads every path that it writes', () => {
    const step = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.nat(9_999_999));
    fc.assert(
      fc.property(fc.array(step), (path) => {
        expect(parseResultPath(writeResultPath(path))).toEqual(path);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '.', '[', ']', '"', '\\', '1', ' ')), (characters) => {
        expect(() => parseResultPath(characters.join(''))).not.toThrow();
      }),
    );
  });
});
