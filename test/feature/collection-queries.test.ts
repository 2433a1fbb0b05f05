import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { makeRows, type Row, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';

const READ = 'mcp_aql_read';
const COUNT = 1_000;
const ROWS = makeRows(COUNT);

let upstream: RowsUpstream;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startRowsUpstream(ROWS);
  const operations = {
    list_rows: {
      presets: { people: ['id', 'owner.login'] },
      computed: {
        age_days: { expression: 'days_since(created)', description: 'Days since it was created' },
        tag_count: 'count(tags)',
      },
    },
  };
  // Nothing is cut here for its size: that is another feature.
  gateway = await hostGateway({ results: { maxTokens: 0 }, mcpServers: { rows: { url: upstream.url, operations } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const list = (params: JsonObject, operation = 'list_rows'): Promise<Answer> => client.call(READ, operation, params);
const items = ({ data }: Answer): readonly Row[] => data.items;
const ids = (answer: Answer): readonly number[] => items(answer).map(({ id }) => id);

describe('a list of a server without queries of its own', () => {
  it('is passed on unchanged without a query', async () => {
    expect((await list({})).data).toEqual({ rows: ROWS, total: COUNT });
  });

  it.each([
    ['equals', { status: 'active' }, (row: Row) => row.status === 'active'],
    ['in', { status: { in: ['active', 'closed'] } }, (row: Row) => row.status !== 'paused'],
    ['comparison', { size: { gte: 990, lt: 995 } }, (row: Row) => row.size >= 990 && row.size < 995],
    ['contains in text', { name: { contains: 'GAMMA' } }, (row: Row) => row.name.includes('gamma')],
    ['contains in a list', { tags: { contains: 'delta' } }, (row: Row) => row.tags.includes('delta')],
    ['a nested path', { 'owner.login': 'user3' }, (row: Row) => row.owner.login === 'user3'],
    ['a nested object', { owner: { login: 'user3' } }, (row: Row) => row.owner.login === 'user3'],
    ['dates', { created: { gte: '2026-12-30' } }, (row: Row) => row.created >= '2026-12-30'],
    ['a pattern', { name: { pattern: 'row 1? *' } }, (row: Row) => /^row 1. /.test(row.name)],
    ['presence', { 'owner.team': { exists: true }, id: { lte: 3 } }, (row: Row) => row.id <= 3],
    ['all at once', { status: 'active', size: { gt: 500 } }, (row: Row) => row.status === 'active' && row.size > 500],
  ] as const)('is filtered by %s', async (_what, filter, keeps) => {
    const answer = await list({ filter });
    expect(answer.error).toBeUndefined();
    expect(ids(answer)).toEqual(ROWS.filter(keeps).map(({ id }) => id));
    expect(answer.data.pageInfo.totalCount).toBe(ROWS.filter(keeps).length);
  });

  it('is searched for any of several words, and for phrases', async () => {
    const found = await list({ query: '"row 17 alpha" zzz user9' });
    expect(ids(found)).toEqual(
      ROWS.filter(({ id, owner }) => id === 17 || owner.login === 'user9').map(({ id }) => id),
    );
  });

  it('is sorted, by several keys, stably', async () => {
    const sorted = await list({ sort: [{ field: 'status' }, { field: 'size', order: 'desc' }], first: 5 });
    const expected = [...ROWS].sort((a, b) => a.status.localeCompare(b.status) || b.size - a.size).slice(0, 5);
    expect(ids(sorted)).toEqual(expected.map(({ id }) => id));
    expect(ids(await list({ sort: '-id', first: 2 }))).toEqual([COUNT, COUNT - 1]);
  });

  it('shows the fields that are asked for, by path, preset and computation', async () => {
    const { data } = await list({ first: 1, fields: ['id', 'owner.login', '_computed.tag_count'] });
    expect(data.items).toEqual([{ id: 1, owner: { login: 'user0' }, _computed: { tag_count: 4 } }]);
    expect((await list({ first: 1, fields: 'people' })).data.items).toEqual([{ id: 1, owner: { login: 'user0' } }]);
    expect((await list({ first: 1, preset: 'minimal' })).data.items).toEqual([{ id: 1, name: 'row 1 alpha' }]);
    const alone = await list({ fields: ['id'] });
    expect(alone.data).toEqual({ rows: ROWS.map(({ id }) => ({ id })), total: COUNT });
  });

  it('filters and sorts by what is computed', async () => {
    const answer = await list({
      filter: { '_computed.tag_count': 4 },
      sort: '-_computed.age_days',
      first: 1,
      fields: ['created'],
    });
    const expected = ROWS.filter(({ tags }) => tags.length === 4)
      .map(({ created }) => created)
      .sort()[0];
    expect(answer.data.items).toEqual([{ created: expected }]);
  });

  it('is aggregated, with its items only on request', async () => {
    const aggregate = {
      total: { count: true },
      by_status: { group_by: 'status', count: true },
      mean: { avg: 'size' },
      largest: { max: 'size' },
    };
    const { data } = await list({ filter: { size: { gte: 500 } }, aggregate });
    const found = ROWS.filter(({ size }) => size >= 500);
    expect(data).toMatchObject({ matched: found.length, total: COUNT });
    expect(data.aggregations).toMatchObject({
      total: found.length,
      by_status: { active: found.filter(({ status }) => status === 'active').length },
      largest: 999,
    });
    expect(data.aggregations.mean).toBeCloseTo(found.reduce((sum, { size }) => sum + size, 0) / found.length);
    expect(data.items).toBeUndefined();
    expect((await list({ aggregate, include_items: true, first: 2 })).data.items).toHaveLength(2);
    const { warnings = [] } = await list({ aggregate, first: 2, sort: 'size' });
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'VALIDATION_NO_ITEMS_WARNING',
        message: expect.stringMatching(/^'first', 'sort' had no effect.*\{"include_items":true\}$/),
      }),
    ]);
  });
});

describe('pages of a list', () => {
  it('lead forwards and backwards, over one snapshot and one call', async () => {
    const before = upstream.calls.length;
    const query = { filter: { status: 'paused' }, sort: '-size', fields: ['id'] };
    const first = await list({ ...query, first: 100 });
    const seen = [...ids(first)];
    let page = first;
    const pages = [page];
    upstream.rows = makeRows(3);
    try {
      while (page.data.pageInfo.hasNextPage) {
        page = await list({ first: 100, after: page.data.pageInfo.endCursor });
        seen.push(...ids(page));
        pages.push(page);
      }
      expect(upstream.calls).toHaveLength(before + 1);
      const paused = ROWS.filter(({ status }) => status === 'paused');
      expect(seen).toHaveLength(paused.length);
      expect(new Set(seen).size).toBe(paused.length);
      const back = await list({ last: 100, before: page.data.pageInfo.startCursor });
      expect(ids(back)).toEqual(ids(pages.at(-2) as Answer));
    } finally {
      upstream.rows = ROWS;
    }
  });

  it('are also selected by offset or by number', async () => {
    expect(ids(await list({ limit: 3, offset: 10 }))).toEqual([11, 12, 13]);
    expect(ids(await list({ page: 3, page_size: 5 }))).toEqual([11, 12, 13, 14, 15]);
    expect(ids(await list({ last: 2 }))).toEqual([COUNT - 1, COUNT]);
  });

  it('describe themselves as the operations document recommends for offsets and numbers', async () => {
    expect((await list({ limit: 3, offset: 10 })).data).toMatchObject({
      pagination: { limit: 3, offset: 10, returned: 3, total_items: COUNT, has_more: true },
      pageInfo: { hasNextPage: true, hasPreviousPage: true, totalCount: COUNT },
    });
    const page_size = 100;
    const last = Math.ceil(COUNT / page_size);
    expect((await list({ page: last, page_size })).data.pagination).toEqual({
      page: last,
      page_size,
      total_pages: last,
      total_items: COUNT,
      has_more: false,
    });
    expect((await list({ first: 2 })).data).not.toHaveProperty('pagination');
  });

  it('hold cursors wherever there are items, also where one page holds them all', async () => {
    const whole = await list({ filter: { id: { lte: 3 } } });
    expect(whole.data.pageInfo).toMatchObject({ hasNextPage: false, startCursor: expect.any(String) });
    const rest = await list({ first: 5, after: whole.data.pageInfo.startCursor });
    expect(ids(rest)).toEqual([2, 3]);
    expect((await list({ first: 5, after: whole.data.pageInfo.endCursor })).data.items).toEqual([]);
    expect((await list({ filter: { id: -1 } })).data.pageInfo).not.toHaveProperty('startCursor');
  });

  it.each([
    ['first with last', { first: 1, last: 1 }, 'first'],
    ['after without first', { after: 'x' }, 'after'],
    ['before without last', { before: 'x' }, 'before'],
    ['first with before', { first: 1, before: 'x' }, 'before'],
    ['last with after', { last: 1, after: 'x' }, 'after'],
    ['cursor and offset styles', { first: 1, offset: 3 }, 'offset'],
    ['page and offset styles', { page: 1, limit: 3 }, 'page'],
  ])('refuse %s', async (_what, params, named) => {
    const { error } = await list(params);
    expect(error?.code).toBe('VALIDATION_INVALID_TYPE');
    expect(error?.message).toContain(`'${named}'`);
  });

  it.each([
    ['forged', (cursor: string) => `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`, {}],
    ['of other parameters', (cursor: string) => cursor, { team: 'team1' }],
    ['of another choice', (cursor: string) => cursor, { filter: { status: 'active' } }],
  ])('refuse a cursor that is %s, and say what to do', async (_what, spoil, more) => {
    const first = await list({ first: 2 });
    const { error } = await list({ first: 2, after: spoil(first.data.pageInfo.endCursor), ...more });
    expect(error?.code).toBe('VALIDATION_INVALID_VALUE');
    expect(error?.message).toContain("Call 'list_rows' again without 'after'");
  });

  it('are not readable by another session', async () => {
    const first = await list({ first: 2 });
    await using otherClient = await connectClient(gateway.url, 'legacy');
    const after = first.data.pageInfo.endCursor;
    expect((await otherClient.call(READ, 'list_rows', { first: 2, after })).error?.code).toBe(
      'VALIDATION_INVALID_VALUE',
    );
  });

  it('report when they have expired', async () => {
    await using brief = await hostGateway({
      results: { keptSeconds: 1 },
      mcpServers: { rows: { url: upstream.url } },
    });
    await using other = await connectClient(brief.url);
    const { data } = await other.call(READ, 'list_rows', { first: 2, sort: 'id' });
    // Reading a page renews its snapshot, so another snapshot shows when this one has expired.
    const params = { first: 2, after: data.pageInfo.endCursor, team: 'team1' };
    let answer = await other.call(READ, 'list_rows', params);
    expect(answer.error?.code).toBe('VALIDATION_INVALID_VALUE');
    const fresh = await other.call(READ, 'list_rows', { first: 1 });
    expect(fresh.success).toBe(true);
    answer = await other.call(READ, 'list_rows', params);
    expect(answer.error?.message).toContain('no longer stored');
  });
});

describe('errors of queries', () => {
  it.each([
    ['an operator', { filter: { size: { $gt: 3 } } }, 'VALIDATION', "'gt'"],
    ['a preset', { fields: 'tiny' }, 'VALIDATION_INVALID_ENUM', "'minimal'"],
    ['a sum of words', { aggregate: { x: { sum: 'name' } } }, 'VALIDATION_INVALID_VALUE', "'name'"],
    ['several at once', { sort: 7, first: -1 }, 'VALIDATION', 'first'],
  ])('name %s with what is valid', async (_what, params, code, hint) => {
    const { error } = await list(params);
    expect(error?.code).toContain(code);
    expect(error?.message).toContain(hint);
  });
});

describe('a field that no item has, where no schema declares fields', () => {
  it.each([
    ['a filter', { filter: { statsu: 'active' } }, "'status'"],
    ['a sort', { sort: 'creatd' }, "'created'"],
    ['fields to show', { fields: ['nmae'] }, "'name'"],
  ])('is answered for %s, with a warning that names the nearest', async (_what, params, hint) => {
    const { success, warnings = [] } = await list(params);
    expect(success).toBe(true);
    const told = warnings.find(({ code }) => code === 'VALIDATION_UNKNOWN_FIELD_WARNING');
    expect(told?.['message']).toContain(hint);
  });
});

describe('a query', () => {
  it("keeps the upstream's parameter of the same name, and calls the gateway's result_<name>", async () => {
    const { data } = await list(
      { filter: 'theirs', limit: 5, result_filter: { id: { lte: 2 } }, result_limit: 1 },
      'search_rows',
    );
    expect(data.items.map(({ id }: Row) => id)).toEqual([1]);
    expect(data.rest).toEqual({ limit: 5, filter: 'theirs' });
    const { data: details } = await client.introspect({ query: 'operations', name: 'search_rows' });
    const names = details.operation.parameters.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['filter', 'result_filter', 'limit', 'result_limit', 'sort']));
    expect(names).not.toContain('result_sort');
    const { error } = await list({ _sort: 'id' }, 'search_rows');
    expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM', details: { valid_params: ['sort'] } });
  });

  it("names the gateway's filter where its value is sent to the upstream's", async () => {
    const { error } = await list({ filter: { id: 1 } }, 'search_rows');
    expect(error?.message).toContain("The gateway's own 'filter' is called 'result_filter' here");
  });

  it('is documented and accepted for a READ that nothing is known of, the same before and after its answers', async () => {
    const documented = async () => {
      const { data } = await client.introspect({ query: 'operations', name: 'fetch_rows' });
      return data.operation;
    };
    const before = await documented();
    expect(before.parameters.map(({ name }: { readonly name: string }) => name)).toContain('filter');
    for (const _ of [1, 2, 3]) {
      const { data } = await list({ filter: { id: 1 } }, 'fetch_rows');
      expect(data.items.map(({ id }: { readonly id: number }) => id)).toEqual([1]);
    }
    expect(await documented()).toEqual(before);
  });

  it('selects the fields of one object', async () => {
    expect((await list({ id: 4, fields: ['name', 'owner.team'] }, 'get_row')).data).toEqual({
      name: 'row 4 delta',
      owner: { team: 'team0' },
    });
    const whole = await list({ id: 4, filter: { id: 4 } }, 'get_row');
    expect(whole.data.id).toBe(4);
    expect(whole).toHaveProperty('warnings.0.code', 'VALIDATION_NO_LIST_WARNING');
  });

  it('is refused on operations that write', async () => {
    const { error } = await client.call('mcp_aql_create', 'create_row', { name: 'x', fields: ['id'] });
    expect(error?.code).toBe('VALIDATION_UNKNOWN_PARAM');
  });

  it('does not change numbers that a double cannot hold', async () => {
    const { raw } = await list({ sort: '-x' }, 'list_numbers');
    const [{ text }] = raw['content'] as [{ readonly text: string }];
    expect(text).toContain('"id":12345678901234567891');
    expect(text).toContain('"id":12345678901234567890');
  });

  it('works over a hundred thousand rows', async () => {
    upstream.rows = makeRows(100_000);
    try {
      const answer = await list({
        filter: { status: 'closed', size: { lt: 2 } },
        sort: '-id',
        fields: ['id'],
        first: 3,
      });
      const expected = upstream.rows.filter(({ status, size }) => status === 'closed' && size < 2);
      expect(answer.data.pageInfo.totalCount).toBe(expected.length);
      expect(ids(answer)).toEqual(
        expected
          .slice(-3)
          .reverse()
          .map(({ id }) => id),
      );
    } finally {
      upstream.rows = ROWS;
    }
  });
});

describe('queries over real servers', () => {
  it("filter the file server's directory lists, which are text, and the graph server's entities", async () => {
    await using home = await makeDirectory();
    await mkdir(join(home.path, 'files/sub'), { recursive: true });
    for (const name of ['a.txt', 'b.md', 'c.txt']) await writeFile(join(home.path, 'files', name), name);
    await using real = await hostGateway({
      mcpServers: {
        filesystem: { command: 'mcp-server-filesystem', args: ['.'], cwd: join(home.path, 'files') },
        memory: {
          command: 'mcp-server-memory',
          env: { MEMORY_FILE_PATH: join(home.path, 'graph.json') },
          operations: { read_graph: { collection: 'entities' } },
        },
      },
    });
    await using reader = await connectClient(real.url);
    const listed = await reader.call(READ, 'list_directory', { path: '.', query: 'txt', sort: '-value' });
    expect(listed.data.items).toEqual(['[FILE] c.txt', '[FILE] a.txt']);
    const entities = ['Ada', 'Bob', 'Cid'].map((name) => ({
      name,
      entityType: name === 'Bob' ? 'robot' : 'person',
      observations: [],
    }));
    await reader.call('mcp_aql_create', 'create_entities', { entities });
    const people = await reader.call(READ, 'read_graph', {
      filter: { entityType: 'person' },
      fields: ['name'],
      sort: '-name',
    });
    expect(people.data).toMatchObject({ items: [{ name: 'Cid' }, { name: 'Ada' }], rest: { relations: [] } });
  });
});
