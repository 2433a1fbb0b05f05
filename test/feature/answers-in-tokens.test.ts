import { createHash } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { type ServedTool, startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
/** What the most popular clients refuse. */
const REFUSED = 25_000;

const RENTALS = Array.from({ length: 3_900 }, (_, id) => ({ id, bike: `bike-${id % 70}`, minutes: (id * 37) % 240 }));
const JSON_LOG = JSON.stringify(RENTALS);
const PROSE = 'The bicycle was rented yesterday and came back with a flat tyre. '.repeat(4_000);
const HASHES = Array.from({ length: 6_000 }, (_, id) => createHash('sha256').update(String(id)).digest('hex'));
const CHINESE = '自行车昨天上午租出去了，客户对服务非常满意。'.repeat(4_000);
const LINES = HASHES.map((hash, id) => `${id} ${hash}`).join('\n');
const uri = 'file:///log.txt';
const resource = { type: 'resource', resource: { uri, mimeType: 'text/plain', text: LINES } };

/** Big answers in all places where a result of MCP may have them. */
const TOOLS: readonly ServedTool[] = [
  { name: 'read_log', answer: () => textBlocks(JSON_LOG) },
  { name: 'read_file', answer: () => ({ structuredContent: { path: 'log.json', content: JSON_LOG } }) },
  { name: 'read_prose', answer: () => textBlocks(PROSE) },
  { name: 'list_hashes', answer: () => textBlocks(JSON.stringify(HASHES)) },
  { name: 'read_chinese', answer: () => textBlocks(CHINESE) },
  { name: 'read_lines', answer: () => textBlocks(LINES) },
  { name: 'read_blob', answer: () => textBlocks(Buffer.from(HASHES.join(''), 'hex').toString('base64')) },
  { name: 'get_resource', answer: () => ({ content: [{ type: 'text', text: 'downloaded' }, resource] }) },
  { name: 'get_report', answer: () => ({ structuredContent: { rows: 3 }, ...textBlocks(LINES) }) },
  { name: 'get_one', answer: () => textBlocks(JSON.stringify([{ id: 1, body: LINES }])) },
  { name: 'get_failure', answer: () => ({ isError: true, ...textBlocks(`Failed: ${LINES}`) }) },
];

let upstream: ToolServer;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startToolServer(TOOLS);
  gateway = await hostGateway({ mcpServers: { bikes: { url: upstream.url } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const tokensOf = ({ raw }: Answer): number =>
  (raw['content'] as readonly { readonly text: string }[]).reduce((sum, { text }) => sum + countTokens(text), 0);
const textOf = ({ raw }: Answer): string =>
  JSON.stringify(raw['content']).replaceAll('\\"', '"').replaceAll('\\"', '"');

describe('an answer of any kind', () => {
  it.each(TOOLS.map(({ name }) => name))('of %s has no more tokens than models can take', async (name) => {
    const answer = await client.call(READ, name);
    expect(tokensOf(answer)).toBeLessThan(10_000);
  });

  it('has fewer tokens than clients refuse where it is one of many of a batch', async () => {
    const operations = Array.from({ length: 100 }, (_, index) => ({ operation: TOOLS[2 + (index % 2)]?.name }));
    expect(tokensOf(await client.callTool(READ, { operations }))).toBeLessThan(REFUSED);
  });

  it('has as many tokens as the configuration says, whatever its characters are', async () => {
    for (const name of ['read_prose', 'list_hashes', 'read_chinese', 'read_lines']) {
      expect(tokensOf(await client.call(READ, name))).toBeGreaterThan(5_500);
    }
  });

  it('is a part of an item where one item alone is too much, and is read on', async () => {
    const answer = await client.call(READ, 'get_one', { first: 1 });
    expect(tokensOf(answer)).toBeLessThan(12_000);
    const [, handle] = /"handle":"(res_[\w-]+)"/.exec(textOf(answer)) ?? [];
    const rest = await client.introspect({ query: 'result', name: handle, path: 'items[0].body', lines: '5999-6000' });
    expect(JSON.stringify(rest.data)).toContain(HASHES[5_999]);
  });
});

describe('what is cut', () => {
  it.each([
    ['read_log', "JSON|an array of 3,900 objects with 'id', 'bike', 'minutes'"],
    ['read_file', "JSON: an array of 3,900 objects with 'id', 'bike', 'minutes'"],
    ['read_prose', 'a text of 260 kB on one line'],
    ['read_lines', 'a text of 419 kB in 6,000 lines'],
    ['get_resource', 'a text of 419 kB in 6,000 lines'],
    ['get_report', 'a text of 419 kB in 6,000 lines'],
    ['list_hashes', 'an array of 6,000 texts'],
  ])('of %s says what the whole is', async (name, whole) => {
    expect(textOf(await client.call(READ, name))).toMatch(new RegExp(whole));
  });

  it('says which controls read a part of it, and they do: of a list, of JSON in a text among others, of lines', async () => {
    const sum = { aggregate: { all: { sum: 'minutes', count: true } } };
    for (const name of ['read_log', 'read_file']) {
      expect(textOf(await client.call(READ, name))).toContain(
        "For a part, add 'filter', 'fields', 'sort', 'aggregate'",
      );
      const { data } = await client.call(READ, name, sum);
      expect(data.aggregations.all.sum ?? data.aggregations.all).toBeDefined();
      expect(JSON.stringify(data)).toContain(String(RENTALS.reduce((all, { minutes }) => all + minutes, 0)));
    }
    const named = await client.call(READ, 'read_file', { ...sum, collection: 'content' });
    expect(JSON.stringify(named.data)).toContain('3900');
    expect(textOf(await client.call(READ, 'read_lines'))).toContain("they read its lines, each as 'value'");
    const found = await client.call(READ, 'read_lines', { filter: { value: { contains: HASHES[777] } } });
    expect(found.data.items).toEqual([`777 ${HASHES[777]}`]);
  });
});
