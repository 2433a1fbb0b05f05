import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../../support/property-seed.js';
import type { ResultShape } from '../../../../src/results/query/result-types.js';
import { candidateLists, locateList } from '../../../../src/results/shape/locate-list.js';

const ROWS = [{ id: 1 }, { id: 2 }];
const at = (...path: string[]): ResultShape => ({ kind: 'collection', path, evidence: '' });
const SOMEWHERE: ResultShape = { kind: 'collection', path: null, evidence: '' };

const placeOf = (data: unknown, shape?: ResultShape) => {
  const list = locateList(data, shape);
  return list === undefined ? undefined : { items: list.items, path: list.path.join('.'), evidence: list.evidence };
};

describe('locateList', () => {
  it.each<[string, unknown, string]>([
    ['the answer itself', ROWS, ''],
    ['its only list', { total: 2, issues: ROWS }, 'issues'],
    ['its only list of objects', { tags: ['a', 'b', 'c'], issues: ROWS, warnings: [] }, 'issues'],
    ['the list of what it is wrapped in', { ok: true, data: { issues: ROWS } }, 'data.issues'],
    ['the list of its only member', { graph: { nodes: ROWS } }, 'graph.nodes'],
    ['a wrapped list of objects before texts outside', { errors: [], data: { issues: ROWS } }, 'data.issues'],
    ['a key that is called like a prototype', JSON.parse('{"__proto__": [{"id": 1}, {"id": 2}]}'), '__proto__'],
  ])('finds %s', (_, data, path) => {
    expect(placeOf(data)).toEqual({ items: ROWS, path, evidence: 'list' });
  });

  it.each<[string, unknown]>([
    ['one thing', { id: 1, owner: { id: 2 } }],
    ['several lists of objects', { entities: ROWS, relations: ROWS }],
    ['several lists of texts', { added: ['a'], removed: ['b'] }],
    ['lists deeper than a wrapper', { data: { issues: { nodes: ROWS } } }],
    ['a line of text', 'nothing found'],
    ['a number', 7],
    ['null', null],
  ])('finds no list in %s', (_, data) => {
    expect(locateList(data)).toBeUndefined();
  });

  it('looks first where the shape says', () => {
    const graph = { entities: ROWS, relations: [{ from: 1 }] };
    expect(placeOf(graph, at('relations'))).toEqual({ items: [{ from: 1 }], path: 'relations', evidence: 'list' });
    expect(placeOf({ records: null }, at('records'))).toEqual({ items: [], path: 'records', evidence: 'list' });
    expect(placeOf({ items: ROWS }, at('records'))).toEqual({ items: ROWS, path: 'items', evidence: 'list' });
    expect(placeOf(ROWS, at('records'))).toEqual({ items: ROWS, path: '', evidence: 'list' });
  });

  it('reads the lines of a text, alone or in its object, where the answer is known to be a list', () => {
    const lines = { items: ['[FILE] a', '[DIR] b'], evidence: 'lines' };
    expect(placeOf('[FILE] a\r\n\n[DIR] b\n', SOMEWHERE)).toEqual({ ...lines, path: '' });
    expect(placeOf({ content: '[FILE] a\n[DIR] b' }, SOMEWHERE)).toEqual({ ...lines, path: 'content' });
    expect(placeOf({ content: '[FILE] a\n[DIR] b', more: 1 }, SOMEWHERE)).toBeUndefined();
  });

  it('takes the lines of any other text for one value', () => {
    expect(placeOf('alpha\n\nend')).toBeUndefined();
    expect(placeOf({ content: 'alpha\n\nend' })).toBeUndefined();
  });

  it('takes a single line for a list where the answer is known to be a list', () => {
    expect(placeOf({ content: '[FILE] a' }, SOMEWHERE)).toEqual({
      items: ['[FILE] a'],
      path: 'content',
      evidence: 'lines',
    });
    expect(placeOf('', SOMEWHERE)).toEqual({ items: [], path: '', evidence: 'lines' });
  });

  it('reads JSON inside a text, and returns the answer with the value in place of the text', () => {
    const data = { result: JSON.stringify({ total: 2, issues: ROWS }, null, 2) };
    const found = { items: ROWS, path: ['result', 'issues'], evidence: 'json' };
    for (const shape of [undefined, SOMEWHERE, at('result', 'issues')]) {
      expect(locateList(data, shape)).toMatchObject({ ...found, data: { result: { total: 2, issues: ROWS } } });
    }
    expect(placeOf({ result: JSON.stringify(ROWS) })).toEqual({ items: ROWS, path: 'result', evidence: 'json' });
    expect(locateList({ result: JSON.stringify({ id: 1, name: 'a\nb' }, null, 2) })).toBeUndefined();
    expect(placeOf({ result: '[x\n[y' }, SOMEWHERE)?.evidence).toBe('lines');
  });

  it('distinguishes an envelope of a list from an object with a list', () => {
    const isWhole = (data: unknown) => locateList(data)?.isWhole;
    expect(isWhole(ROWS)).toBe(true);
    expect(isWhole({ total_count: 2, items: ROWS })).toBe(true);
    expect(isWhole({ names: ['a'], nextCursor: null })).toBe(true);
    expect(isWhole({ number: 3, title: 'x', labels: ['a'] })).toBe(false);
    expect(isWhole({ id: 3, comments: ROWS })).toBe(false);
    expect(isWhole({ state: 'open', labels: ['a'] })).toBe(false);
  });

  it('finds only lists that are at the path it returns', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const list = locateList(data);
        if (list === undefined || list.evidence === 'lines') return;
        const found = list.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], list.data);
        expect(found).toEqual(list.items);
      }),
    );
  });
});

describe('candidateLists', () => {
  it('names all lists of an answer with several', () => {
    expect(candidateLists({ entities: ROWS, relations: ROWS })).toEqual([['entities'], ['relations']]);
    expect(candidateLists({ ok: 1, data: { a: ['x'], b: ['y'] } })).toEqual([
      ['data', 'a'],
      ['data', 'b'],
    ]);
    expect(candidateLists({ result: JSON.stringify({ a: ROWS, b: ROWS }) })).toEqual([
      ['result', 'a'],
      ['result', 'b'],
    ]);
    expect(candidateLists({ id: 1 })).toEqual([]);
    expect(candidateLists('text')).toEqual([]);
  });
});
