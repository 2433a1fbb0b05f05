import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { REPOSITORY } from '../support/served-gateway.js';

const UI = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const SERVER = {
  command: process.execPath,
  args: [join(REPOSITORY, 'test/fixtures/servers/apps-server.mjs'), 'chart'],
};
const OTHER = { ...SERVER, args: [SERVER.args[0] ?? '', 'other'] };

async function connect(transport: unknown) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: UI } });
  await client.connect(transport as Transport);
  return client;
}

const direct = () => connect(new StdioClientTransport(SERVER));
const through = (url: string) => connect(new StreamableHTTPClientTransport(new URL(url)));

/** What a host of MCP Apps reads of each tool: its page and what the page holds. */
async function appsOf(client: Client) {
  const { tools } = await client.listTools();
  const shown = tools.filter(({ _meta }) => _meta?.['ui'] !== undefined);
  const apps = shown.map(async ({ name, _meta }) => {
    const uri = String(((_meta?.['ui'] ?? {}) as JsonObject)['resourceUri']);
    const { contents } = await client.readResource({ uri });
    return { name, uri, contents: contents.map(({ uri: _uri, ...rest }) => rest) };
  });
  return (await Promise.all(apps)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

it('a server that asks whether its client shows apps offers them behind the gateway as it does without', async () => {
  await using gateway = await hostGateway({ endpoint: { mode: 'passthrough' }, mcpServers: { apps: SERVER } });
  const [own, passed] = [await direct(), await through(gateway.url)];
  expect(await appsOf(passed)).toEqual(await appsOf(own));
  expect((await appsOf(passed))[0]).toMatchObject({ name: 'get_weather', uri: 'ui://chart/main.html' });
  expect(passed.getServerCapabilities()?.extensions).toEqual(own.getServerCapabilities()?.extensions);
  expect(await passed.callTool({ name: 'get_weather', arguments: {} })).toMatchObject({ content: [{ text: 'sunny' }] });
  await own.close();
  await passed.close();
});

it('two servers with pages of one URI each show their own, under its scheme', async () => {
  const config = { endpoint: { mode: 'passthrough' }, mcpServers: { aa: SERVER, bb: OTHER } };
  await using gateway = await hostGateway(config);
  const client = await through(gateway.url);
  const apps = await appsOf(client);
  expect(apps.map(({ name, uri }) => [name, uri])).toEqual([
    ['aa__get_weather', 'ui://mcp-aql.aa/chart/main.html'],
    ['bb__get_weather', 'ui://mcp-aql.bb/chart/main.html'],
  ]);
  expect(apps.map(({ contents }) => contents[0])).toEqual([
    expect.objectContaining({ text: '<p>chart</p>' }),
    expect.objectContaining({ text: '<p>other</p>' }),
  ]);
  const { resources } = await client.listResources();
  const pages = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'));
  expect(pages.sort()).toEqual(apps.map(({ uri }) => uri));
  await client.close();
});

it.each([
  ['two servers have', true],
  ['one server has', false],
])(
  'links and pages in answers and prompts lead to the page of the server that answers, under a URI that %s',
  async (_what, both) => {
    const config = { endpoint: { mode: 'passthrough' }, mcpServers: { aa: SERVER, ...(both ? { bb: OTHER } : {}) } };
    await using gateway = await hostGateway(config);
    const client = await through(gateway.url);
    // The lists are read when they are asked for first.
    await client.listResources();
    for (const [server, words] of both
      ? [
          ['aa', 'chart'],
          ['bb', 'other'],
        ]
      : [['aa', 'chart']]) {
      const name = both ? `${server}__get_links` : 'get_links';
      const { content, _meta } = (await client.callTool({ name, arguments: {} })) as {
        content: JsonObject[];
      } & JsonObject;
      const uri = both ? `ui://mcp-aql.${server}/chart/main.html` : 'ui://chart/main.html';
      expect(content).toMatchObject([
        { uri },
        { resource: { uri, text: 'inside' } },
        { uri: 'https://example.org/chart' },
      ]);
      expect(_meta).toMatchObject({ ui: { resourceUri: uri } });
      // Of an answer that a thread reads, too.
      const long: JsonObject = await client.callTool({ name: name.replace('links', 'long_links'), arguments: {} });
      expect((long['content'] as JsonObject[]).slice(0, 3)).toEqual(content);
      expect(long['_meta']).toMatchObject({ ui: { resourceUri: uri } });
      const prompt = await client.getPrompt({ name: both ? `${server}__explain_links` : 'explain_links' });
      expect(prompt.messages.map((message) => message.content)).toMatchObject([{ uri }, { resource: { uri } }, {}]);
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ text: `<p>${words}</p>` }]);
    }
    await client.close();
  },
);

it('a tool for apps alone can be called, and is not offered to models', async () => {
  const tools = `{
    get_chart: { tool: { description: 'Get the chart', annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: 'c' }] }) },
    refresh_chart: {
      tool: { description: 'Refresh the chart', annotations: { readOnlyHint: true }, _meta: { ui: { visibility: ['app'] } } },
      run: () => ({ content: [{ type: 'text', text: 'fresh' }] }),
    },
  }`;
  await using gateway = await hostGateway({
    endpoint: { mode: 'single' },
    mcpServers: { charts: inlineServer(tools) },
  });
  const client = await through(gateway.url);
  const ask = async (operation: string, params: JsonObject) =>
    JSON.stringify(await client.callTool({ name: 'mcp_aql', arguments: { operation, params } }));
  for (const params of [
    { query: 'operations' },
    { query: 'operations', search: 'refresh the chart' },
    { query: 'upstreams' },
    { query: 'upstreams', name: 'charts' },
  ]) {
    const told = await ask('introspect', params);
    expect(told, JSON.stringify(params)).toContain('chart');
    expect(told).not.toContain('refresh_chart');
  }
  expect(JSON.stringify(await client.listTools())).not.toContain('refresh_chart');
  expect(await ask('refresh_chart', {})).toContain('fresh');
  await client.close();
});

it('a server is told of the extensions and experimental capabilities that its configuration says, of none else in the families, and clients of those that both have', async () => {
  const extensions = { 'example.org/x': { a: 1 } };
  for (const [endpoint, more, told, shared] of [
    [{ mode: 'passthrough' }, { extensions, experimental: { 'example.org/try': {} } }, extensions, {}],
    [{ mode: 'passthrough' }, {}, UI, { 'io.modelcontextprotocol/ui': {} }],
    [{ mode: 'single' }, {}, undefined, {}],
  ] as const) {
    await using gateway = await hostGateway({ endpoint, mcpServers: { apps: { ...SERVER, ...more } } });
    const client = await through(gateway.url);
    const asked = await client.readResource({ uri: 'told://capabilities' });
    const [content] = asked.contents as { text: string }[];
    const declared = JSON.parse(content?.text ?? '') as JsonObject;
    expect([declared['extensions'], declared['experimental']]).toEqual([told, (more as JsonObject)['experimental']]);
    const capabilities = client.getServerCapabilities();
    expect(capabilities?.extensions ?? {}).toEqual(shared);
    expect(capabilities?.experimental).toEqual('experimental' in more ? { 'example.org/try': { a: 1 } } : undefined);
    await client.close();
  }
});
