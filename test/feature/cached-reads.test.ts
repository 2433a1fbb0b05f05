import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';

const READ = 'mcp_aql_read';

let upstream: RowsUpstream;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startRowsUpstream(makeRows(20));
  const operations = { list_rows: { cache: { ttlSeconds: 600 } }, '*_row': { cache: { ttlSeconds: 600 } } };
  gateway = await hostGateway({ mcpServers: { rows: { url: upstream.url, operations } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const isCached = ({ raw }: Answer): boolean => (raw['_meta'] as JsonObject | undefined)?.['mcp-aql/cached'] === true;

describe('a READ whose curation asks for it', () => {
  it('is answered from memory, with a mark, until a write to its server', async () => {
    const before = upstream.calls.length;
    const first = await client.call(READ, 'list_rows', { team: 'team1' });
    const second = await client.call(READ, 'list_rows', { team: 'team1' });
    expect([isCached(first), isCached(second)]).toEqual([false, true]);
    expect(second.data).toEqual(first.data);
    expect(upstream.calls).toHaveLength(before + 1);
    expect(isCached(await client.call(READ, 'list_rows', { team: 'team2' }))).toBe(false);
    await client.call('mcp_aql_create', 'create_row', { name: 'new' });
    expect(isCached(await client.call(READ, 'list_rows', { team: 'team1' }))).toBe(false);
  });

  it('answers every query from one cached answer', async () => {
    const before = upstream.calls.length;
    for (const id of [3, 4, 5]) await client.call(READ, 'list_rows', { filter: { id } });
    expect(upstream.calls.length - before).toBeLessThanOrEqual(1);
  });

  it('is shared by equal calls at the same time', async () => {
    const before = upstream.calls.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.call(READ, 'get_row', { id: 7 })));
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('is not cached where the configuration does not say so', async () => {
    const before = upstream.calls.length;
    await client.call(READ, 'read_log');
    await client.call(READ, 'read_log');
    expect(upstream.calls).toHaveLength(before + 2);
  });
});
