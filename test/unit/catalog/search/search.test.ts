import { describe, expect, it, vi } from 'vitest';
import { TURN_WORK, turns } from '../../../../src/base/turns/turns.js';
import { OperationSearch, searchWork } from '../../../../src/catalog/search/search.js';
import { fakeCatalog, fakeOperation } from '../endpoint/fake-catalog.js';

const SEARCH = new OperationSearch();

const CATALOG = fakeCatalog([
  fakeOperation('search', { description: 'Looks for anything.' }),
  fakeOperation('search_code', { upstream: 'forge' }),
  fakeOperation('list_issues', { upstream: 'forge', description: 'Shows open tickets.' }),
  fakeOperation('list_files'),
  fakeOperation('read_file', { description: 'Reads one file; see also the issues of the file system.' }),
]);
const found = async (text: string) => (await SEARCH.find(CATALOG, text)).hits.map(({ operation }) => operation.name);

describe('searching for operations', () => {
  it('puts an exact name first, bare or qualified', async () => {
    expect((await found('search'))[0]).toBe('search');
    expect((await found('forge__search_code'))[0]).toBe('search_code');
  });

  it('puts a word of the name before a word of the description', async () => {
    expect(await found('issues')).toEqual(['list_issues', 'read_file']);
  });

  it('finds words of the description', async () => {
    expect((await found('tickets'))[0]).toBe('list_issues');
  });

  it('finds the singular of a plural and the plural of a singular', async () => {
    expect((await found('issue'))[0]).toBe('list_issues');
    expect((await found('read files'))[0]).toBe('read_file');
  });

  it('finds operations by the name of their upstream', async () => {
    expect((await found('forge')).toSorted()).toEqual(['list_issues', 'search_code']);
  });

  it('counts rare words more than common ones', async () => {
    expect((await found('list tickets'))[0]).toBe('list_issues');
  });

  it.each([
    'list the issues of the project in YouTrack',
    'close the Freshdesk tickets',
    'read the file from Dropbox',
    'search the code on bitbucket',
    'list the files in our Box folder',
  ])('says that likely nothing fits a request for a product that the catalog does not know: %s', async (text) => {
    expect((await SEARCH.find(CATALOG, text)).noFit).toContain('nothing here fits');
  });

  it.each([
    'search for anything about Dropbox',
    'list the issues of the forge that mention zendesk',
    'read the file in the box folder',
    'show the issues in Gitlab',
  ])(
    'takes no product for one that it is only about, that a server is named with, or that is known: %s',
    async (text) => {
      const catalog = fakeCatalog([
        fakeOperation('search', { description: 'Looks for anything.' }),
        fakeOperation('list_issues', { upstream: 'forge', description: 'Shows issues of gitlab.' }),
        fakeOperation('read_file', { description: 'Reads one file of a folder.' }),
      ]);
      expect((await SEARCH.find(catalog, text)).noFit).toBeUndefined();
    },
  );

  it('says that likely nothing fits a request which no operation serves, names the servers, and keeps what is nearest', async () => {
    const { noFit } = await SEARCH.find(CATALOG, 'mow the lawn of my neighbour');
    expect(noFit).toMatch(
      /^(?:Likely nothing|Nothing) here fits 'mow the lawn of my neighbour'. The servers are [a-z_]+, .+\./,
    );
    const near = await SEARCH.find(CATALOG, 'mow the lawn with the violin of the file');
    expect(near.noFit).toMatch(/^Likely nothing here fits .+ What is listed is nearest, but likely something else\.$/);
    expect(near.hits).not.toEqual([]);
    expect((await SEARCH.find(CATALOG, 'list the issues')).noFit).toBeUndefined();
    expect((await SEARCH.find(CATALOG, 'search')).noFit).toBeUndefined();
  });

  it('finds nothing for words that occur nowhere, and for no words', async () => {
    expect(await found('quux')).toEqual([]);
    expect(await found(' ?! ')).toEqual([]);
  });
});

describe('the work of a search', () => {
  it('fills a turn where there are thousands of operations', () => {
    expect(searchWork(5_000)).toBeGreaterThanOrEqual(TURN_WORK);
  });
});

describe('many searches that wait for the index', () => {
  it('go on in turns of the event loop in which few of them begin', async () => {
    const catalog = fakeCatalog(Array.from({ length: 20 }, (_, id) => fakeOperation(`list_thing_${id}`)));
    const spent = vi.spyOn(turns, 'spend');
    const byTurn: number[] = [];
    let open = 40;
    const all = Array.from({ length: open }, (_, id) =>
      SEARCH.find(catalog, `things of kind ${id}`).finally(() => {
        open -= 1;
      }),
    );
    while (open > 0) {
      await new Promise(setImmediate);
      byTurn.push(spent.mock.calls.filter(([units]) => units === searchWork(20)).length);
      spent.mockClear();
    }
    await Promise.all(all);
    spent.mockRestore();
    expect(byTurn.reduce((sum, one) => sum + one, 0)).toBe(40);
    // Those of two turns may fall between two looks.
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(2 * Math.ceil(TURN_WORK / searchWork(20)));
  });
});
