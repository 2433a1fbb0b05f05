import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

function methods(source: string) {
  return { command: process.execPath, args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, source] };
}

const WELL = `{
  capabilities: { resources: {}, prompts: {}, completions: {} },
  'resources/list': () => ({ resources: [{ uri: 'note://1', name: 'n' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'well://{id}', name: 't' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'hi' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
  'prompts/get': () => ({ messages: [] }),
}`;

/** Never answers what is asked of its lists. */
const HANGS = `{
  capabilities: { resources: {}, prompts: {} },
  'resources/list': () => new Promise(() => {}),
  'resources/templates/list': () => new Promise(() => {}),
  'prompts/list': () => new Promise(() => {}),
}`;

/** What has failed so far: a list that hangs fails after ten seconds. */
const failed = ({ observations }: LiveGateway): readonly string[] =>
  observations.flatMap((each) => (each.kind === 'diagnostic' ? [each.message] : []));

describe('one server whose lists hang', () => {
  it('delays no list, resource or prompt of another until its time is over', async () => {
    await using live = await openLiveGateway({ mcpServers: { hangs: methods(HANGS), well: methods(WELL) } });
    const client = await live.connect('http', 'legacy');
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note://1']);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['p']);
    await client.readResource({ uri: 'note://1' });
    await client.readResource({ uri: 'well://7' });
    await client.getPrompt({ name: 'p' });
    const { data, warnings } = await live.call(client, 'list_resources');
    expect(data).toMatchObject([{ uri: 'note://1', upstream: 'well' }]);
    expect(warnings).toMatchObject([
      { code: 'LIST_INCOMPLETE_WARNING', message: expect.stringContaining("Those of 'hangs' are missing") },
    ]);
    expect(failed(live)).toEqual([]);
  });

  it('is read beside the answers, and who was answered without it is told when it is there', async () => {
    await using live = await openLiveGateway({
      mcpServers: {
        well: methods(WELL),
        // It answers as soon as it is asked for another list.
        late: methods(`{
          capabilities: { prompts: {}, resources: {} },
          'prompts/list': (_, server) => new Promise((resolve) => {
            server.answer = () => resolve({ prompts: [{ name: 'late' }] });
          }),
          'resources/list': () => ({ resources: [] }),
          'resources/templates/list': () => ({ resourceTemplates: [] }),
          'resources/read': (_, server) => (server.answer(), { contents: [] }),
        }`),
      },
    });
    const client = await live.connect('http', 'legacy');
    const told = new Promise<void>((resolve) =>
      client.setNotificationHandler('notifications/prompts/list_changed', () => resolve()),
    );
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['p']);
    await client.readResource({ uri: 'mcp-aql://late/x%3A1' });
    await told;
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['p', 'late']);
    expect(failed(live)).toEqual([]);
  });
});

it.each([
  ['hangs', 'new Promise(() => {})'],
  ['fails', 'Promise.reject({ code: -32603, message: "not now" })'],
])('a list of tools that %s when it has changed is asked for again until it is read', async (_how, failure) => {
  const server = methods(`{
    capabilities: { tools: { listChanged: true } },
    'tools/list': (_, server) => {
      server.asked = (server.asked ?? 0) + 1;
      if (server.asked === 2) return ${failure};
      const names = server.asked === 1 ? ['get_first'] : ['get_first', 'get_later'];
      return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) };
    },
    'tools/call': (_, server) => {
      server.send({ method: 'notifications/tools/list_changed' });
      return { content: [{ type: 'text', text: 'well' }] };
    },
  }`);
  await using live = await openLiveGateway({ mcpServers: { changing: { ...server, connectTimeoutMs: 1_000 } } });
  const client = await live.connect('http', 'legacy');
  expect((await live.call(client, 'get_first')).success).toBe(true);
  await expect.poll(async () => (await live.call(client, 'get_later')).success).toBe(true);
  expect(failed(live)).toEqual(['its changed tool list could not be read; the old one stays until it can']);
});

interface Redeployable extends AsyncDisposable {
  readonly url: string;
  /** What it answers from now on, by method; -32601 for all others. */
  results: Readonly<Record<string, object>>;
  readonly asked: string[];
}

/** A server of 2026-07-28, which keeps no sessions. */
async function serveModern(results: Redeployable['results']): Promise<Redeployable> {
  const answer = (response: ServerResponse, body: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...body }));
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    opened.asked.push(method);
    const result = opened.results[method];
    answer(
      response,
      result === undefined
        ? { id, error: { code: -32601, message: 'Method not found' } }
        : { id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const opened: Redeployable = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    results,
    asked: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return opened;
}

const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {}, prompts: {} },
  serverInfo: { name: 'modern', version: '1' },
};

it('a server that is redeployed without a list has an empty one', async () => {
  await using modern = await serveModern({
    'server/discover': DISCOVERED,
    'tools/list': { tools: [] },
    'resources/list': { resources: [{ uri: 'mem://a', name: 'a' }] },
    'prompts/list': { prompts: [{ name: 'ask' }] },
  });
  await using live = await openLiveGateway({ mcpServers: { modern: { url: modern.url }, well: methods(WELL) } });
  const client = await live.connect('http', 'legacy');
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['mem://a', 'note://1']);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['ask', 'p']);
  const { 'resources/list': _resources, 'prompts/list': _prompts, ...rest } = modern.results;
  modern.results = rest;
  // It says that its lists must not be kept: they are asked for again after five seconds.
  await expect.poll(async () => (await client.listResources()).resources).toHaveLength(1);
  await expect.poll(async () => (await client.listPrompts()).prompts).toHaveLength(1);
});
