import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { readQuery } from '../../../../src/catalog/search/query.js';
import { rankOperations, spreadOverServers } from '../../../../src/catalog/search/rank.js';
import { buildSearchIndex } from '../../../../src/catalog/search/search-index.js';
import { SEARCH_SETTINGS, type SearchSettings } from '../../../../src/catalog/search/settings.js';
import { fieldThesaurus } from '../../../../src/catalog/search/thesaurus.js';
import { fakeOperation } from '../endpoint/fake-catalog.js';

const OPERATIONS = [
  fakeOperation('create_issue', { upstream: 'forge', category: 'CREATE', required: ['title'] }),
  fakeOperation('list_issues', { upstream: 'forge' }),
  fakeOperation('delete_issue', { upstream: 'forge', category: 'DELETE', danger: 'destructive' }),
  fakeOperation('list_branches', { upstream: 'forge' }),
  fakeOperation('list_widgets', { upstream: 'shop', description: 'Lists the widgets on sale.' }),
  fakeOperation('get_schedule', { upstream: 'office', description: 'Shows when people are free or busy.' }),
  fakeOperation('render_chart', {
    upstream: 'charts',
    inputSchema: { type: 'object', properties: { kind: { enum: ['radar', 'sankey'] } } },
    parameters: [
      { name: 'kind', upstreamName: 'kind', place: 'params', required: true, schema: { enum: ['radar', 'sankey'] } },
    ],
  }),
  fakeOperation('resize', { upstream: 'pictures', description: 'Makes an image larger or smaller.' }),
];

async function search(
  text: string,
  operations: readonly Operation[] = OPERATIONS,
  changes: Partial<SearchSettings> = {},
) {
  const settings = { ...SEARCH_SETTINGS, ...changes };
  const index = await buildSearchIndex(operations, settings);
  return rankOperations(index, readQuery(text, fieldThesaurus(), settings, index.vocabulary), settings).hits;
}
const namesFor = async (...args: Parameters<typeof search>) =>
  (await search(...args)).map(({ operation }) => operation.name);

describe('rankOperations', () => {
  it.each([
    ['log a bug', 'create_issue'],
    ['wipe that ticket', 'delete_issue'],
    ['what tickets are there?', 'list_issues'],
    ['who is free on tuesday', 'get_schedule'],
    ['radar', 'render_chart'],
    ['a bigger photo', 'resize'],
  ])('finds for "%s" %s', async (text, name) => {
    expect((await namesFor(text))[0]).toBe(name);
  });

  it('finds nothing without the thesaurus where no word is shared', async () => {
    const without = { synonyms: { equal: 0, toward: 0, loose: 0 }, phrases: 0 };
    expect(await namesFor('wipe that ticket', OPERATIONS, without)).toEqual([]);
  });

  it('prefers the operations of a server that is named, and returns all of them', async () => {
    const twins = [...OPERATIONS, fakeOperation('list_branches_of_shop', { upstream: 'shop' })];
    const names = await namesFor('shop branches', twins);
    expect(names[0]).toBe('list_branches_of_shop');
    expect(names).toContain('list_widgets');
  });

  it('recognizes a server whose name is written as one word', async () => {
    const operations = [
      fakeOperation('alpha', { upstream: 'some_forge' }),
      fakeOperation('beta', { upstream: 'other' }),
    ];
    expect(await namesFor('SomeForge', operations)).toEqual(['alpha']);
  });

  it('finds words in spite of a typing error and by their beginning', async () => {
    expect((await namesFor('list brances'))[0]).toBe('list_branches');
    expect((await namesFor('widg'))[0]).toBe('list_widgets');
    expect(await namesFor('widg', OPERATIONS, { similarWords: 0 })).toEqual([]);
  });

  it.each([
    ['list the branches about the issue of the schedule', 'list_branches'],
    ['create an issue that deletes the branches of the widgets', 'create_issue'],
    ['my widgets are late, so delete the issue', 'delete_issue'],
  ])('counts in "%s" the verb and its object more than the rest', async (text, name) => {
    expect((await namesFor(text))[0]).toBe(name);
  });

  it('puts an operation with the words of the request before one with their synonyms', async () => {
    const names = [
      fakeOperation('make_folder_now', { upstream: 'a', category: 'CREATE' }),
      fakeOperation('create_directory', { upstream: 'b', category: 'CREATE' }),
    ];
    expect((await namesFor('mkdir', names))[0]).toBe('create_directory');
    expect((await namesFor('create the directory', names))[0]).toBe('create_directory');
    expect((await namesFor('make the folder', names))[0]).toBe('make_folder_now');
  });

  it.each([
    ['the flag new-checkout', ['get_flag', 'get_flags']],
    ['what flags are there', ['get_flags', 'get_flag']],
  ])('puts the operation first whose name has the words of "%s" in the same number', async (text, expected) => {
    const operations = ['get_flag', 'get_flags'].map((name) => fakeOperation(name, { upstream: 'switches' }));
    expect(await namesFor(text, operations)).toEqual(expected);
  });

  it('puts the safer of two equals first, then the earlier name', async () => {
    const equals = [
      fakeOperation('b_zap', { category: 'DELETE', danger: 'destructive', description: 'Zebra.' }),
      fakeOperation('c_zap', { description: 'Zebra.' }),
      fakeOperation('a_zap', { category: 'DELETE', danger: 'destructive', description: 'Zebra.' }),
    ];
    expect(await namesFor('zebra', equals)).toEqual(['c_zap', 'a_zap', 'b_zap']);
  });

  it('does not depend on the order of the operations', async () => {
    for (const text of ['log a bug', 'list', 'forge issues', 'free time']) {
      expect(await search(text, OPERATIONS.toReversed())).toEqual(await search(text));
    }
  });

  it('takes a plain word of other servers for no name that begins with it', async () => {
    const operations = [
      fakeOperation('make_word_cloud', { upstream: 'charts' }),
      ...['route_update', 'route_list', 'zone_list', 'zone_get'].map((name) =>
        fakeOperation(name, { upstream: 'cloudflare' }),
      ),
    ];
    expect((await namesFor('word cloud of the answers', operations))[0]).toBe('make_word_cloud');
    expect(await namesFor('cloudflare zones', operations)).toContain('zone_list');
  });

  it('leaves out unwanted operations before it compares the others with the best hit', async () => {
    const index = await buildSearchIndex(OPERATIONS, SEARCH_SETTINGS);
    const query = readQuery('forge list issues', fieldThesaurus(), SEARCH_SETTINGS, index.vocabulary);
    const { hits } = rankOperations(index, query, SEARCH_SETTINGS, ({ upstream }) => upstream === 'shop');
    expect(hits.map(({ operation }) => operation.name)).toEqual(['list_widgets']);
  });

  it('answers requests of any length and script without an error', async () => {
    expect(await namesFor('')).toEqual([]);
    expect(await namesFor('検索')).toEqual([]);
    expect((await namesFor(`issue ${'very '.repeat(5_000)}`)).length).toBeGreaterThan(0);
  });
});

/** @param written server and score of each hit, such as `mail 90` */
const hitsOf = (...written: readonly string[]) =>
  written.map((each, index) => {
    const [upstream = '', score] = each.split(' ');
    return { operation: fakeOperation(`operation_${index}`, { upstream }), score: Number(score) };
  });
const shown = (...written: readonly string[]) =>
  spreadOverServers(hitsOf(...written)).map(({ operation, score }) => `${operation.upstream} ${score}`);

describe('spreadOverServers', () => {
  it('shows what another server has in place of the fourth hit of one that scores hardly more', () => {
    expect(shown('mail 90', 'mail 80', 'mail 75', 'mail 70', 'mail 69', 'files 60', 'files 20')).toEqual([
      'mail 90',
      'mail 80',
      'mail 75',
      'files 60',
      'mail 60',
      'mail 60',
      'files 20',
    ]);
  });

  it('leaves a server all places where what others have is much worse, or nobody else has anything', () => {
    const worse = ['mail 90', 'mail 80', 'mail 75', 'mail 70', 'mail 69', 'files 50'];
    expect(shown(...worse)).toEqual(worse);
    expect(shown(...worse.slice(0, 5))).toEqual(worse.slice(0, 5));
  });

  it('keeps all hits, the best one first, and their scores in order', () => {
    const servers = fc.constantFrom('mail', 'files', 'chat');
    const scored = fc.array(fc.tuple(servers, fc.integer({ min: 1, max: 100 })), { maxLength: 20 });
    fc.assert(
      fc.property(scored, (pairs) => {
        const hits = hitsOf(...pairs.sort(([, a], [, b]) => b - a).map(([server, score]) => `${server} ${score}`));
        const spread = spreadOverServers(hits);
        const names = (list: readonly { operation: { name: string } }[]) => list.map(({ operation }) => operation.name);
        expect(names(spread).sort()).toEqual(names(hits).sort());
        expect(spread[0]).toEqual(hits[0]);
        const scores = spread.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
    );
  });
});
