import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
const ROWS = Array.from({ length: 2_000 }, (_, id) => ({ id, kind: `k${id % 3}`, text: 'x'.repeat(150) }));
const PAGE = 400;
const PICTURE = { type: 'image', data: 'aGk=', mimeType: 'image/png' };

/** Two thousand rows are some 400 kB, which forty words make heavy. */
const HEAVY = {
  query: Array.from({ length: 40 }, (_, index) => `none${index}`)
    .join(' ')
    .concat(' xxx'),
  sort: '-id',
};

let upstream: ToolServer;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startToolServer([
    { name: 'list_rows', answer: () => textBlocks(JSON.stringify(ROWS)) },
    {
      name: 'list_pictured',
      answer: () => ({
        content: [{ type: 'text', text: 'rows' }, PICTURE],
        structuredContent: { rows: ROWS, big: 'y'.repeat(1_000) },
      }),
    },
    {
      name: 'list_pages',
      properties: { cursor: { type: 'string' } },
      answer: ({ cursor = '0' }) => {
        const from = Number(cursor);
        const more = from + PAGE < ROWS.length ? { nextCursor: String(from + PAGE) } : {};
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

describe('a heavy query', () => {
  it.each([
    ['one text', 'list_rows'],
    ['several blocks beside structured content', 'list_pictured'],
    ['many pages', 'list_pages'],
  ])('of %s is answered as a light one is, with cursors that go on', async (_form, name) => {
    const light = await client.call(READ, name, { sort: '-id', fields: ['id'], first: 2 });
    const heavy = await client.call(READ, name, { ...HEAVY, fields: ['id'], first: 2 });
    expect(heavy.data.items).toEqual([{ id: 1_999 }, { id: 1_998 }]);
    expect(heavy.data.items).toEqual(light.data.items);
    expect(heavy.data.pageInfo.totalCount).toBe(ROWS.length);
    const next = await client.call(READ, name, { first: 2, after: heavy.data.pageInfo.endCursor, fields: ['id'] });
    expect(next.data.items).toEqual([{ id: 1_997 }, { id: 1_996 }]);
  });

  it('keeps the blocks beside the data, and says how many pages were read', async () => {
    const pictured = await client.call(READ, 'list_pictured', { ...HEAVY, first: 1 });
    expect(pictured.raw['content']).toContainEqual(PICTURE);
    const paged = await client.call(READ, 'list_pages', { ...HEAVY, first: 1 });
    expect(JSON.stringify(paged.raw)).toContain('5 of them were read');
  });

  it('of a field that no item has is answered with a warning, as a light one is', async () => {
    const { success, warnings = [] } = await client.call(READ, 'list_pages', { ...HEAVY, sort: 'sise' });
    expect(success).toBe(true);
    expect(warnings.map(({ code }) => code)).toContain('VALIDATION_UNKNOWN_FIELD_WARNING');
  });
});
