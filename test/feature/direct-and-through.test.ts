import { Client, type GetPromptResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

/**
 * What a client gets of one server directly and through the gateway. Each part of MCP has its test:
 *
 * - resources, templates, subscriptions, prompts, completions: resources-and-prompts.test.ts
 * - links in answers, MCP Apps, the client's `_meta`, paged and changing tool lists, the blocks of answers: here
 * - tools under their own names, with icons, titles, schemas, structured content: passthrough.test.ts, and here
 * - answers of the families as structured content: structured-content.test.ts
 * - log messages: server-logs.test.ts
 * - elicitation, sampling, roots, and rounds of questions: server-questions.test.ts
 * - instructions and titles of servers: locked-definitions.test.ts
 * - progress and cancellation: long-calls.test.ts
 */

const SERVERS = `${REPOSITORY}test/fixtures/servers/`;

function methods(source: string, more: object = {}) {
  return { command: process.execPath, args: [`${SERVERS}methods-server.mjs`, source], ...more };
}

/** A server with an MCP App, links to what is in no list, and answers that hold the `_meta` of their requests. */
function linking(name: string, tools = ''): string {
  return `{
    capabilities: { tools: {}, resources: {}, prompts: {} },
    'tools/list': () => ({ tools: [
      { name: 'get_links_${name}', title: 'Links', icons: [{ src: 'data:,' }], inputSchema: { type: 'object', properties: {} },
        outputSchema: { type: 'object', properties: { n: { type: 'integer' } } }, annotations: { readOnlyHint: true },
        _meta: { ui: { resourceUri: 'ui://${name}/page', visibility: ['model'] } } },
      { name: 'get_meta_${name}', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
      ${tools}
    ] }),
    'tools/call': ({ name, arguments: { uri } = {}, _meta }) => name.startsWith('get_links')
      ? { content: [
          { type: 'text', text: 'two', annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } },
          { type: 'resource_link', uri: 'hidden://1', name: 'one', title: 'One', icons: [{ src: 'data:,' }], _meta: { b: 2 } },
          { type: 'resource', resource: { uri: 'hidden://2', text: 'inside', _meta: { c: 3 } } },
        ], structuredContent: { n: 2 }, _meta: { 'example.org/d': 4 } }
      : { content: [{ type: 'text', text: JSON.stringify(_meta) }] },
    'resources/list': () => ({ resources: [{ uri: '${name}://listed', name: 'listed', title: 'Listed', size: 3, annotations: { priority: 1 } }] }),
    'resources/read': ({ uri, _meta }) => ({ contents: [
      { uri, mimeType: uri.startsWith('ui:') ? 'text/html;profile=mcp-app' : 'text/plain', text: '${name} has ' + uri, _meta: { ui: { prefersBorder: true }, sent: _meta } },
      { uri: uri + '/child', text: 'c' },
    ] }),
    'prompts/list': () => ({ prompts: [{ name: 'prompt_${name}' }] }),
    'prompts/get': ({ _meta }) => ({ messages: [
      { role: 'user', content: { type: 'text', text: JSON.stringify(_meta) } },
      { role: 'user', content: { type: 'resource_link', uri: 'hidden://of-prompt', name: 'p' } },
    ] }),
  }`;
}

const FRONTS = [
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const;

const BOTH = {
  endpoint: { mode: 'single', passthrough: true },
  mcpServers: { alpha: methods(linking('alpha')), beta: methods(linking('beta')) },
};

async function connectDirectly(source: string): Promise<Client> {
  const client = new Client({ name: 'direct', version: '1' });
  await client.connect(new StdioClientTransport(methods(source)));
  return client;
}

const textOf = (result: unknown): JsonObject =>
  JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '');

const messageOf = ({ messages: [first] }: GetPromptResult): string =>
  first?.content.type === 'text' ? first.content.text : '';

describe.each(FRONTS)("the _meta of a client's request over %s in the %s era", (front, era) => {
  it('reaches the upstream, without what is between client and gateway', async () => {
    await using live = await openLiveGateway(BOTH);
    const client = await live.connect(front, era);
    const foreign = { 'example.org/a': { deep: [1] }, traceparent: '00-1-2-01', plain: null };
    const sent = { ...foreign, 'mcp-aql/x': 1, 'io.modelcontextprotocol/related-task': { taskId: 't' } };
    // Of its own it has the token of the gateway's progress.
    const expected = { ...foreign, progressToken: expect.any(Number) };
    const call = { name: 'get_meta_alpha', arguments: {}, _meta: sent };
    expect(textOf(await client.callTool(call))).toEqual(expected);
    const operation = { name: 'mcp_aql', arguments: { operation: 'get_meta_alpha' }, _meta: sent };
    expect(textOf(await client.callTool(operation))).toMatchObject({ data: expected });
    const batch = { name: 'mcp_aql', arguments: { operations: [{ operation: 'get_meta_alpha' }] }, _meta: sent };
    expect(textOf(await client.callTool(batch))['results']).toMatchObject([{ result: { data: expected } }]);
    const read = await client.readResource({ uri: 'alpha://listed', _meta: sent });
    expect(read.contents[0]?._meta?.['sent']).toEqual(expected);
    const prompt = await client.getPrompt({ name: 'prompt_alpha', _meta: sent });
    expect(JSON.parse(messageOf(prompt))).toEqual(expected);
  });

  it('is bounded', async () => {
    await using live = await openLiveGateway(BOTH);
    const client = await live.connect(front, era);
    const sent = { first: 1, large: 'x'.repeat(8_000), more: 'y'.repeat(500) };
    const result = textOf(await client.callTool({ name: 'get_meta_alpha', arguments: {}, _meta: sent }));
    expect(Object.keys(result).sort()).toEqual(['first', 'large', 'progressToken']);
  });
});

describe.each(FRONTS)('what an answer links to, over %s in the %s era', (front, era) => {
  it('is read where it came from, though no list holds it and another server has resources too', async () => {
    await using live = await openLiveGateway(BOTH);
    const client = await live.connect(front, era);
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return (contents[0] as { text: string }).text;
    };
    await expect(read('hidden://1')).rejects.toThrow('may be one of several servers');
    await client.callTool({ name: 'get_links_alpha', arguments: {} });
    expect(await read('hidden://1')).toBe('alpha has hidden://1');
    expect(await read('hidden://2')).toBe('alpha has hidden://2');
    expect(await read('hidden://2/child')).toBe('alpha has hidden://2/child');
    expect((await live.call(client, 'read_resource', { uri: 'hidden://1' })).data).toMatchObject({
      content: [{ text: 'alpha has hidden://1' }, { text: 'c' }],
    });
    await client.getPrompt({ name: 'prompt_beta' });
    expect(await read('hidden://of-prompt')).toBe('beta has hidden://of-prompt');
    // Both have linked to it now.
    await live.call(client, 'get_links_beta');
    await expect(read('hidden://1')).rejects.toThrow('mcp-aql://alpha/');
  });

  it('is known to its own caller alone where the server keeps callers apart', async () => {
    const isolated = { isolation: 'session' };
    await using live = await openLiveGateway({
      ...BOTH,
      mcpServers: { alpha: methods(linking('alpha'), isolated), beta: methods(linking('beta')) },
    });
    const [one, other] = [await live.connect(front, era), await live.connect('stdio', 'legacy')];
    await one.callTool({ name: 'get_links_alpha', arguments: {} });
    expect((await one.readResource({ uri: 'hidden://1' })).contents[0]).toMatchObject({
      text: 'alpha has hidden://1',
    });
    await expect(other.readResource({ uri: 'hidden://1' })).rejects.toThrow('may be one of several servers');
  });
});

describe('an MCP App', () => {
  it.each(FRONTS)('is shown and read through the gateway as without it, over %s in the %s era', async (front, era) => {
    await using live = await openLiveGateway(BOTH);
    const through = await live.connect(front, era);
    const direct = await connectDirectly(linking('alpha'));
    const own = (await direct.listTools()).tools;
    const passed = (await through.listTools()).tools;
    for (const tool of own) expect(passed.find(({ name }) => name === tool.name)).toEqual(tool);
    const call = { name: 'get_links_alpha', arguments: {} };
    const [ownResult, passedResult] = [await direct.callTool(call), await through.callTool(call)];
    expect(passedResult).toMatchObject(ownResult);
    expect(passedResult.content).toEqual(ownResult.content);
    // No list holds the page: the definition of the tool names it.
    const [page] = (await through.readResource({ uri: 'ui://alpha/page' })).contents;
    const [ownPage] = (await direct.readResource({ uri: 'ui://alpha/page' })).contents;
    const { sent: _sent, ...meta } = page?._meta ?? {};
    const { sent: _ownSent, ...ownMeta } = ownPage?._meta ?? {};
    expect({ ...page, _meta: meta }).toEqual({ ...ownPage, _meta: ownMeta });
    const listed = (await through.listResources()).resources.find(({ uri }) => uri === 'alpha://listed');
    expect(listed).toEqual((await direct.listResources()).resources[0]);
    await direct.close();
  });
});

describe('an answer of the families', () => {
  it('has the blocks, annotations and _meta that the server gave', async () => {
    await using live = await openLiveGateway(BOTH);
    const client = await live.connect('http', 'modern');
    const direct = await connectDirectly(linking('alpha'));
    const own = await direct.callTool({ name: 'get_links_alpha', arguments: {} });
    const passed = await client.callTool({ name: 'mcp_aql', arguments: { operation: 'get_links_alpha' } });
    expect(passed.content.slice(1)).toEqual(own.content);
    expect(textOf(passed)).toMatchObject({ data: own.structuredContent });
    expect(passed._meta).toMatchObject(own._meta ?? {});
    await direct.close();
  });
});

describe('the definition of a tool', () => {
  it('is shown by introspection where it is asked for: title, icons, output schema, the page of an MCP App', async () => {
    await using live = await openLiveGateway(BOTH);
    const client = await live.connect('http', 'modern');
    const direct = await connectDirectly(linking('alpha'));
    const [tool] = (await direct.listTools()).tools;
    const { description: _description, inputSchema: _schema, ...rest } = tool ?? { name: '', inputSchema: {} };
    const query = { query: 'operations', name: 'get_links_alpha', include: ['definition'] };
    const { data } = await live.call(client, 'introspect', query);
    expect(data.operation.definition).toEqual(rest);
    const plain = await live.call(client, 'introspect', { query: 'operations', name: 'get_links_alpha' });
    expect(plain.data.operation).not.toHaveProperty('definition');
    await direct.close();
  });
});

describe('a list of tools', () => {
  it.each(FRONTS)(
    'is read to its last page, and its changes reach clients, over %s in the %s era',
    async (front, era) => {
      const paged = `{
      capabilities: { tools: { listChanged: true } },
      'tools/list': ({ cursor }, server) => cursor === undefined
        ? { tools: [{ name: 'get_first', inputSchema: { type: 'object' } }], nextCursor: '2' }
        : { tools: [{ name: 'get_second', inputSchema: { type: 'object' } }, ...(server.more ?? [])] },
      'tools/call': (_, server) => {
        server.more = [{ name: 'get_third', inputSchema: { type: 'object' } }];
        server.send({ method: 'notifications/tools/list_changed' });
        return { content: [{ type: 'text', text: 'more' }] };
      },
    }`;
      await using live = await openLiveGateway({
        endpoint: { mode: 'passthrough' },
        mcpServers: { paged: methods(paged) },
      });
      const client = await live.connect(front, era);
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names()).toEqual(['get_first', 'get_second']);
      const changed = new Promise<void>((resolve) => live.gateway.onToolsChanged(() => resolve()));
      await client.callTool({ name: 'get_first', arguments: {} });
      await changed;
      expect(await names()).toEqual(['get_first', 'get_second', 'get_third']);
    },
  );
});
