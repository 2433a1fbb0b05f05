import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../src/base/json/json.js';
import type { StoredResultRequest } from '../../../../src/results/query/result-types.js';
import { findInResult, type Project, readStoredResult } from '../../../../src/results/stored/read-stored.js';

const MAX_BYTES = 1_024;

const project: Project = (items, fields) =>
  items.map((item) =>
    isJsonObject(item) ? Object.fromEntries(Object.entries(item).filter(([key]) => fields.includes(key))) : item,
  );

type Request = Omit<StoredResultRequest, 'handle'>;

function read(value: unknown, request: Request = {}, maxBytes = MAX_BYTES): JsonObject {
  const stored = { operation: 'list_issues', dataText: JSON.stringify(value) };
  return readStoredResult(stored, { handle: 'res_abcdefghijkl', ...request }, { maxBytes, project });
}

/** All answers from a request on, each asked for as the one before says. */
function readOn(value: unknown, request: Request = {}, maxBytes = MAX_BYTES): JsonObject[] {
  const answers: JsonObject[] = [];
  for (let next: JsonObject | null = {}; next !== null; ) {
    const answer = read(value, { ...request, ...next }, maxBytes);
    answers.push(answer);
    next = answer['next'] as JsonObject | null;
  }
  return answers;
}

const rows = Array.from({ length: 300 }, (_, id) => ({ id, title: `row ${id}`, body: `the body of ${id}` }));
const log = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join('\n');

describe('reading a stored value that fits', () => {
  it.each([
    [{ a: 1, b: [2] }, {}, { value: { a: 1, b: [2] }, next: null }],
    [[1, 2], {}, { items: [1, 2], total: 2, next: null }],
    [[], {}, { items: [], total: 0, next: null }],
    ['a\nb', {}, { text: 'a\nb', total: 3, total_lines: 2, next: null }],
    [12, {}, { value: 12, next: null }],
    [null, {}, { value: null, next: null }],
    [{ a: [{ b: 'c' }] }, { path: 'a[0].b' }, { text: 'c', total: 1, total_lines: 1, next: null }],
    [[1, 2, 3, 4], { first: 2 }, { items: [1, 2], total: 4, next: { after: '2' } }],
    [[1, 2, 3, 4], { first: 2, after: '2' }, { items: [3, 4], total: 4, next: null }],
    [[1, 2], { after: '9' }, { items: [], total: 2, next: null }],
    [{ a: 1, b: 2, c: 3 }, { after: '1' }, { value: { b: 2, c: 3 }, total: 3, next: null }],
    ['abcdef', { after: '4' }, { text: 'ef', total: 6, total_lines: 1, next: null }],
    ['a😀b', { after: '2' }, { text: '😀b', total: 4, total_lines: 1, next: null }],
  ])('returns %j for %j', (value, request, answer) => {
    expect(read(value, request)).toEqual(answer);
  });
});

describe('reading a stored value that does not fit', () => {
  it('reads a whole list, page by page', () => {
    const pages = readOn({ rows }, { path: 'rows' });
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flatMap((page) => page['items'])).toEqual(rows);
    expect(pages.every((page) => page['total'] === 300)).toBe(true);
  });

  it('reads a whole text, piece by piece, each of whole lines', () => {
    const pieces = readOn(log).map((answer) => String(answer['text']));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(log);
    expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
  });

  it('reads a whole map, some members at a time', () => {
    const map = Object.fromEntries(rows.map((row) => [`key_${row.id}`, row]));
    const parts = readOn(map);
    expect(Object.assign({}, ...parts.map((part) => part['value']))).toEqual(map);
    expect(parts[0]).toMatchObject({ total: 300 });
  });

  it('reports inner cuts, with what it takes to read on there', () => {
    const value = { issue: { id: 7, log } };
    const answer = read(value);
    const [cut] = answer['cuts'] as { path: string; kept: number; total: number }[];
    expect(cut).toMatchObject({ path: 'issue.log', kind: 'text', total: log.length });
    const rest = readOn(value, { path: cut?.path ?? '', after: String(cut?.kept) });
    const start = (answer['value'] as typeof value).issue.log;
    expect(start + rest.map(({ text }) => text).join('')).toBe(log);
  });

  it('counts shortened items from the start of the list', () => {
    const items = [...rows.slice(0, 5), { id: 'big', log }];
    const answer = read({ items }, { path: 'items', after: '5' });
    expect(answer['cuts']).toMatchObject([{ path: 'items[5].log', kind: 'text' }]);
  });

  it('reads on past a member whose name alone is too long', () => {
    const map = { ['k'.repeat(5_000)]: 1, b: 2 };
    const parts = readOn(map);
    expect(parts.at(-1)?.['value']).toEqual({ b: 2 });
  });

  it('visits everything once, for any page sizes', () => {
    const lists = fc.array(fc.oneof(fc.string({ maxLength: 300 }), fc.nat()), { maxLength: 50 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 60 }), (items, first) => {
        expect(readOn(items, { first }).flatMap((page) => page['items'])).toEqual(items);
      }),
    );
  });

  it('stays within its bound for any request', () => {
    const answers = fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => [value, rows, { [`k${'x'.repeat(900)}`]: log, value }]);
    const asked = fc.record(
      {
        path: fc.constantFrom('', '[0]', '[1]', '[2]', '[1][7].body'),
        search: fc.constantFrom('row', 'e', 'x'),
        first: fc.integer({ min: 1, max: 600 }),
        after: fc.nat(400).map(String),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answers, asked, fc.integer({ min: 1_024, max: 9_000 }), (value, request, maxBytes) => {
        const answer = read(value, request, maxBytes);
        expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });
});

describe('numbers in a stored result', () => {
  it('are read as the caller reads them', () => {
    const stored = { operation: 'get_user', dataText: '{"id":12345678901234567890}' };
    const parse = (text: string): unknown => JSON.parse(text.replace(/\d{17,}/g, '"$&"'));
    const answer = readStoredResult(stored, { handle: 'res_abcdefghijkl' }, { maxBytes: MAX_BYTES, project, parse });
    expect(answer['value']).toEqual({ id: '12345678901234567890' });
  });
});

describe('fields of a stored result', () => {
  it('are selected of each item on a page', () => {
    expect(read(rows, { fields: ['id', 'title'], first: 2, after: '10' })).toEqual({
      items: [
        { id: 10, title: 'row 10' },
        { id: 11, title: 'row 11' },
      ],
      total: 300,
      next: { after: '12' },
    });
  });

  it('are selected of an object', () => {
    expect(read({ rows }, { path: 'rows[4]', fields: ['title'] })).toEqual({ value: { title: 'row 4' }, next: null });
  });

  it('let more items fit on a page', () => {
    const all = read(rows)['items'] as unknown[];
    const ids = read(rows, { fields: ['id'] })['items'] as unknown[];
    expect(ids.length).toBeGreaterThan(2 * all.length);
  });

  it('are refused for a text', () => {
    expect(() => read({ log }, { path: 'log', fields: ['id'] })).toThrow(
      expect.objectContaining({
        code: 'INTROSPECTION_ERROR',
        message: `'fields' reads objects and lists of objects: 'log' is a text of ${log.length} characters`,
      }),
    );
  });
});

describe('searching a stored result', () => {
  it('stops counting at ten thousand matches, and says that there may be more', () => {
    const text = 'x\n'.repeat(30_000);
    expect(read(text, { search: 'x', after: '9999' })).toMatchObject({ total: 10_000, more: true, next: null });
  });

  const value = { title: 'Errors', log: 'all well\nan ERROR here\nfine', codes: [404, 'error 500'], error: 'none' };

  it('finds text of any case, with its place and line', () => {
    expect(read(value, { search: 'error' })).toEqual({
      matches: [
        { path: 'title', text: 'Errors' },
        { path: 'log', line: 2, at: 9, text: 'an ERROR here' },
        { path: 'codes[1]', text: 'error 500' },
      ],
      total: 3,
      next: null,
    });
  });

  it.each([
    ['404', [{ path: 'codes[0]', text: '404' }]],
    ['nowhere', []],
    ['.*', []],
  ])('takes %j literally', (search, matches) => {
    expect(read(value, { search })).toEqual({ matches, total: matches.length, next: null });
  });

  it('searches below a path', () => {
    expect(read(value, { path: 'codes', search: 'error' })['matches']).toEqual([
      { path: 'codes[1]', text: 'error 500' },
    ]);
  });

  it('gives no path where the result is a text', () => {
    expect(read('a\nb', { search: 'b' })['matches']).toEqual([{ line: 2, at: 2, text: 'b' }]);
  });

  it('finds every match, page by page', () => {
    const pages = readOn(rows, { search: 'THE BODY' });
    expect(pages.flatMap((page) => page['matches'])).toMatchObject(
      rows.map(({ id, body }) => ({ path: `[${id}].body`, text: body })),
    );
    expect(pages.every((page) => (page['matches'] as unknown[]).length <= 20)).toBe(true);
    expect(pages[0]).toMatchObject({ total: 300 });
  });

  it('shows an excerpt of a long line, from which one can read on', () => {
    const text = `${'a😀'.repeat(5_000)}needle${'b'.repeat(5_000)}`;
    const [match] = read(text, { search: 'Needle' })['matches'] as { at: number; text: string }[];
    expect(match?.text).toMatch(/needle/);
    expect(match?.text.length).toBeLessThanOrEqual(201);
    expect(match?.text.isWellFormed()).toBe(true);
    const there = read(text, { after: String(match?.at) })['text'];
    expect(there).toMatch(/^[a😀]{1,90}needle/u);
  });

  it('counts matches within one excerpt once', () => {
    expect(read('ab '.repeat(10), { search: 'ab' })).toMatchObject({ total: 1 });
    expect(read('ab '.repeat(1_000), { search: 'ab' })['total']).toBeGreaterThan(10);
  });
});

describe('lines of a stored text', () => {
  it.each([
    ['1', { text: 'line 1', lines: '1-1' }],
    ['2-3', { text: 'line 2\nline 3', lines: '2-3' }],
    ['199-200', { text: 'line 199\nline 200', lines: '199-200' }],
    ['200 - 900', { text: 'line 200', lines: '200-200' }],
  ])('are read by %j', (lines, answer) => {
    expect(read({ log }, { path: 'log', lines })).toEqual({ ...answer, total_lines: 200, next: null });
  });

  it('are as many as fit, with the request for the rest', () => {
    const answers = readOn(log, { lines: '10-190' });
    expect(answers.length).toBeGreaterThan(1);
    expect(answers.map(({ text }) => text).join('\n')).toBe(log.split('\n').slice(9, 190).join('\n'));
  });

  it('end with the text', () => {
    expect(read('a\nb\n', { lines: '2-9' })).toEqual({ text: 'b', lines: '2-2', total_lines: 2, next: null });
  });

  it('continue by character where one is too long', () => {
    const text = `short\n${'x'.repeat(3_000)}`;
    const answer = read(text, { lines: '2' });
    const { after } = answer['next'] as { after: string };
    const rest = readOn(text, { after }).map(({ text }) => text);
    expect(`${answer['text']}${rest.join('')}`).toBe('x'.repeat(3_000));
  });

  it.each(['0', '3-2', 'x', '-5', '2-', '1-2-3', ''])('are refused for %j', (lines) => {
    expect(() => read('a\nb', { lines })).toThrow(
      `'lines' expected '10' or '10-20', counted from 1, got '${lines}'. The text has 2 line(s)`,
    );
  });

  it('are refused beyond the end of the text', () => {
    expect(() => read('a\nb', { lines: '3' })).toThrow("There is no line '3': the text has 2 line(s)");
  });

  it('are refused for values that are not texts', () => {
    expect(() => read({ rows }, { path: 'rows', lines: '1' })).toThrow(
      "'lines' reads texts: 'rows' is a list of 300 items",
    );
  });
});

describe('a request with parameters that do not combine', () => {
  it.each([
    [{ fields: ['id'], search: 'a', lines: '1' }, "'fields' and 'search' and 'lines' do not combine: send one of them"],
    [{ lines: '1', after: '2' }, "'after' does not combine with 'lines', which says itself where to start"],
    [{ search: '' }, "'search' expected a text to look for, got an empty one"],
    [{ first: 0 }, "'first' expected a whole number from 1, got '0'"],
    [{ after: 'x1' }, "'after' expected the number in 'next' of the last answer, got 'x1'"],
    [
      { search: '', after: '-1' },
      "'search' expected a text to look for, got an empty one. 'after' expected the number in 'next' of the last answer, " +
        "got '-1'",
    ],
  ])('is refused with every fault: %j', (request, message) => {
    expect(() => read(rows, request)).toThrow(expect.objectContaining({ code: 'INTROSPECTION_ERROR', message }));
  });
});

const RESULT = {
  items: [{ id: 1, body: 'text', 'a.b': true }, { id: 2 }],
  '3': 'three',
  none: [],
  empty: {},
  nothing: null,
  wide: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key_${index}`, index])),
};

describe('findInResult', () => {
  it.each([
    [undefined, RESULT, []],
    ['', RESULT, []],
    ['items[1].id', 2, ['items', 1, 'id']],
    ['items.1.id', 2, ['items', 1, 'id']],
    ['items[0]["a.b"]', true, ['items', 0, 'a.b']],
    ['3', 'three', ['3']],
    ['[3]', 'three', ['3']],
    ['nothing', null, ['nothing']],
  ])('finds the value at %j', (path, value, steps) => {
    expect(findInResult(RESULT, path)).toEqual({ path: steps, value });
  });

  it.each([
    ['items[2]', "'items' has no item '[2]': its items are '[0]' to '[1]'"],
    ['none[0]', "'none' is an empty list: there is no '0'"],
    [
      'items.body',
      "'items' is a list of 2 items, so 'body' needs an index before it: its items are '[0]' to '[1]'. To see 'body' of " +
        "every item, use 'fields'",
    ],
    ['items[0].bdy', "'items[0]' has no 'bdy' (did you mean 'body'?). It has 'id', 'body', 'a.b'"],
    ['empty.a', "'empty' has no 'a': it is empty"],
    ['items[0].body.a', "'items[0].body' is a text of 4 characters: there is no 'a' in it"],
    ['items[0].id[0]', "'items[0].id' is a number: there is no '0' in it"],
    ['nothing.a', "'nothing' is null: there is no 'a' in it"],
    [
      'a..b',
      "'path' cannot be read: 'a..b'. Write it like 'items[3].body', or 'files[\"a.b\"]' for a key with a dot or a bracket",
    ],
  ])('says of %j where the path ends and what is there', (path, message) => {
    expect(() => findInResult(RESULT, path)).toThrow(expect.objectContaining({ code: 'INTROSPECTION_ERROR', message }));
  });

  it.each(['constructor', '__proto__', 'items.length', 'items[0].toString'])(
    'finds no %j, which nobody sent',
    (path) => {
      expect(() => findInResult(RESULT, path)).toThrow(expect.objectContaining({ code: 'INTROSPECTION_ERROR' }));
    },
  );

  it('names the first of many keys and shortens long ones', () => {
    const wide = /It has 'key_0', .*'key_19' and 10 more$/;
    expect(() => findInResult(RESULT, 'wide.x')).toThrow(wide);
    const long = 'x'.repeat(10_000);
    const refused = (): unknown => findInResult({ [long]: 1 }, `y${long}`);
    expect(refused).toThrow(/^The result has no 'yx+…'.*It has 'x+…'$/);
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/.{400}/) }));
  });
});
