import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
const STATES = ['open', 'closed', 'open', null, 'closed', 'held', 'open', null, 'closed'];
const ROWS = STATES.map((state, index) => ({ id: index + 1, state }));
const PAGE = 3;

let upstream: ToolServer;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startToolServer([
    { name: 'list_all', answer: () => textBlocks(JSON.stringify(ROWS)) },
    {
      name: 'list_issues',
      properties: { cursor: { type: 'string' } },
      answer: ({ cursor = '0' }) => {
        const from = Number(cursor);
        const more = from + PAGE < ROWS.length ? { next_cursor: String(from + PAGE) } : {};
        return textBlocks(JSON.stringify({ items: ROWS.slice(from, from + PAGE), ...more }));
      },
    },
  ]);
  gateway = await hostGateway({ mcpServers: { rows: { url: upstream.url } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const itemsOf = async (name: string, params: object) => (await client.call(READ, name, { ...params })).data.items;

describe('distinct', () => {
  it('gives the first item of each value of a field, a missing one among them', async () => {
    expect(await itemsOf('list_all', { distinct: 'state' })).toEqual([ROWS[0], ROWS[1], ROWS[3], ROWS[5]]);
  });

  it('gives the first in the order that is asked for', async () => {
    expect(await itemsOf('list_all', { distinct: 'state', sort: '-id', first: 2 })).toEqual([ROWS[8], ROWS[7]]);
  });

  it('holds beside fields, which only choose what is sent of each item', async () => {
    const states = await itemsOf('list_all', { distinct: 'state', fields: ['state'] });
    expect(states).toEqual([{ state: 'open' }, { state: 'closed' }, { state: null }, { state: 'held' }]);
  });

  it('is about all pages of a list that comes in pages, whatever page is asked for', async () => {
    expect(await itemsOf('list_issues', { distinct: 'state', first: 3 })).toEqual([ROWS[0], ROWS[1], ROWS[3]]);
    expect(await itemsOf('list_issues', { distinct: 'state' })).toHaveLength(4);
  });

  it('counts the values of a field in aggregates, and leaves one item of each for them', async () => {
    const count = { states: { distinct: 'state' }, by: { group_by: 'state', distinct: 'id' } };
    const { data } = await client.call(READ, 'list_issues', { aggregate: count });
    expect(data.aggregations).toEqual({ states: 4, by: { closed: 3, open: 3, null: 2, held: 1 } });
    const chosen = await client.call(READ, 'list_all', { distinct: 'state', aggregate: { n: { count: true } } });
    expect(chosen.data.aggregations).toEqual({ n: 4 });
  });

  it('is part of the question that a cursor answers', async () => {
    const { data } = await client.call(READ, 'list_all', { distinct: 'state', first: 1 });
    const after = data.pageInfo.endCursor;
    expect(await itemsOf('list_all', { distinct: 'state', first: 1, after })).toEqual([ROWS[1]]);
    const { error } = await client.call(READ, 'list_all', { distinct: 'id', first: 1, after });
    expect(error).toBeDefined();
  });

  it('of a field that no item has is answered with a warning that names the nearest', async () => {
    const { success, warnings = [] } = await client.call(READ, 'list_all', { distinct: 'stat' });
    expect(success).toBe(true);
    const told = warnings.find(({ code }) => code === 'VALIDATION_UNKNOWN_FIELD_WARNING');
    expect(told?.['message']).toContain("'state'");
  });

  it('is described like the other controls', async () => {
    const { data } = await client.introspect({ query: 'operations', name: 'list_all' });
    expect(JSON.stringify(data)).toContain('"name":"distinct"');
  });
});
