import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { waitFor } from '../support/patience.js';
import { initializeMessage, MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

const FRONTS = [
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const;

const SERVER = `${REPOSITORY}test/fixtures/servers/methods-server.mjs`;

/** What a server has, and how it answers for it. */
const KINDS = {
  tools: `'tools/list': () => ({ tools: [{ name: 'get_thing', inputSchema: { type: 'object' } }] }), capabilities: { tools: {} }`,
  resources: `'resources/list': () => ({ resources: [{ uri: 'note://a', name: 'a' }] }), capabilities: { resources: {} }`,
  prompts: `'prompts/list': () => ({ prompts: [{ name: 'ask' }] }), capabilities: { prompts: {} }`,
  completions: `'completion/complete': () => ({ completion: { values: ['x'] } }), capabilities: { completions: {} }`,
} as const;

type Kind = keyof typeof KINDS;

/** @param start an expression that a start waits for */
function server(kind: Kind, start = 'undefined') {
  const initialize = `initialize: async () => {
    await (${start});
    return { protocolVersion: '2025-11-25', capabilities: methods.capabilities, serverInfo: { name: 'x', version: '1' } };
  }`;
  return {
    command: process.execPath,
    args: [SERVER, `(() => { const methods = { ${KINDS[kind]}, ${initialize} }; return methods; })()`],
  };
}

const FILE_SYSTEM = "process.getBuiltinModule('node:fs')";
const comesWith = (file: string): string =>
  `(async () => { while (!${FILE_SYSTEM}.existsSync('${file}')) await new Promise((go) => setTimeout(go, 20)); })()`;
const diesWithout = (file: string): string => `${FILE_SYSTEM}.existsSync('${file}') || process.exit(1)`;

/** Every client that connects is served, and so is what it asks for, whatever it was told. */
async function expectServed(live: LiveGateway): Promise<readonly Client[]> {
  const clients = await Promise.all(FRONTS.map(([front, era]) => live.connect(front, era)));
  for (const client of clients) await expectLists(client);
  return clients;
}

async function expectLists(client: Client): Promise<void> {
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  if (resources !== undefined) expect(Array.isArray((await client.listResources()).resources)).toBe(true);
  if (prompts !== undefined) expect(Array.isArray((await client.listPrompts()).prompts)).toBe(true);
}

const stateOf = (live: LiveGateway, slug: string): string | undefined =>
  live.gateway.status().upstreams.find((each) => each.slug === slug)?.state;

const untilReady = (live: LiveGateway, slug: string): Promise<void> =>
  waitFor(() => expect(stateOf(live, slug)).toBe('ready'));

describe.each(Object.keys(KINDS) as readonly Kind[])('clients connect before and after a server with %s', (kind) => {
  let directory: Awaited<ReturnType<typeof makeDirectory>>;
  beforeEach(async () => {
    directory = await makeDirectory();
  });
  afterEach(() => directory[Symbol.asyncDispose]());
  const other = server('tools');

  it('has started slowly', async () => {
    const mark = join(directory.path, 'mark');
    const config = { mcpServers: { other, late: server(kind, comesWith(mark)) } };
    await using live = await openLiveGateway(config, {}, { settled: false });
    await untilReady(live, 'other');
    await expectServed(live);
    await writeFile(mark, '');
    await untilReady(live, 'late');
    await expectServed(live);
  });

  it('was dead at the start and has come back', async () => {
    const mark = join(directory.path, 'mark');
    const config = { mcpServers: { other, late: server(kind, diesWithout(mark)) } };
    await using live = await openLiveGateway(config);
    const before = await expectServed(live);
    await writeFile(mark, '');
    live.gateway.restartUpstream('late');
    await untilReady(live, 'late');
    await expectServed(live);
    for (const client of before) await expectLists(client);
  });

  it('is removed and added again by reloads', async () => {
    await using live = await openLiveGateway({ mcpServers: { other, late: server(kind) } });
    const before = await expectServed(live);
    await live.reload({ mcpServers: { other } });
    await expectServed(live);
    await live.reload({ mcpServers: { other, late: server(kind) } });
    await untilReady(live, 'late');
    await expectServed(live);
    for (const client of before) await expectLists(client);
  });

  it('is added by a reload and starts slowly', async () => {
    const mark = join(directory.path, 'mark');
    await using live = await openLiveGateway({ mcpServers: { other } });
    await expectServed(live);
    const reloaded = live.reload({ mcpServers: { other, late: server(kind, comesWith(mark)) } });
    await waitFor(() => expect(stateOf(live, 'late')).toBeDefined());
    await Promise.all(FRONTS.map(([front, era]) => live.connect(front, era)));
    await writeFile(mark, '');
    await reloaded;
    await untilReady(live, 'late');
    await expectServed(live);
  });
});

const LISTS = [
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const;

describe('a gateway whose servers have tools alone', () => {
  it('declares no more than tools, and answers the other lists with none in them', async () => {
    await using live = await openLiveGateway({ mcpServers: { other: server('tools') } });
    const opened = await sendHttp(live.url, { body: initializeMessage() });
    expect(opened.json.result.capabilities).not.toHaveProperty('resources');
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    for (const [method, member] of LISTS) {
      const legacy = { jsonrpc: '2.0', id: 2, method, params: {} };
      expect((await sendHttp(live.url, { headers: session, body: legacy })).json.result).toEqual({ [member]: [] });
      // The second is answered by the SDK's protocol layer.
      for (const more of [{}, { 'io.modelcontextprotocol/logLevel': 'error' }]) {
        const modern = { ...legacy, params: { _meta: { ...MODERN_META, ...more } } };
        const { json } = await sendHttp(live.url, { headers: modernHeaders(method), body: modern });
        expect(json.result).toMatchObject({ [member]: [] });
      }
    }
  });

  it('opens a new session for an initialize that names one, ended or not', async () => {
    await using live = await openLiveGateway({ mcpServers: { other: server('tools') } });
    const first = (await sendHttp(live.url, { body: initializeMessage() })).headers['mcp-session-id'];
    for (const named of ['no-such-session', String(first)]) {
      const again = await sendHttp(live.url, { headers: { 'mcp-session-id': named }, body: initializeMessage(2) });
      expect(again.status).toBe(200);
      expect(again.headers['mcp-session-id']).not.toBe(named);
      const headers = { 'mcp-session-id': String(again.headers['mcp-session-id']) };
      expect((await sendHttp(live.url, { headers, body: { jsonrpc: '2.0', id: 3, method: 'ping' } })).status).toBe(200);
    }
  });

  it('is at its path with a slash behind it, too', async () => {
    await using live = await openLiveGateway({
      mcpServers: { other: server('tools') },
      views: { part: { upstreams: ['other'] } },
    });
    for (const path of ['/', '/part/', '/part']) {
      expect((await sendHttp(`${live.url}${path}`, { body: initializeMessage() })).status).toBe(200);
    }
  });
});
