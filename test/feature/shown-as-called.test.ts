import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

const FILES = `{
  get_file: {
    tool: {
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { data: { type: 'string', contentEncoding: 'base64' }, name: { type: 'string' } } },
    },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  },
}`;
const RESOURCES = `{
  capabilities: { tools: {}, resources: {}, prompts: {} },
  'tools/list': () => ({ tools: [] }),
  'resources/list': () => ({ resources: [{ uri: 'a://1', name: 'one' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a://{id}', name: 'any' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'x' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
}`;

const open = () =>
  openLiveGateway({
    mcpServers: {
      files: inlineServer(FILES),
      library: {
        command: process.execPath,
        args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, RESOURCES],
      },
    },
  });

it('introspection shows how a parameter is encoded', async () => {
  await using live = await open();
  const client = await live.connect('http', 'modern');
  const { data } = await live.call(client, 'introspect', { query: 'operations', name: 'get_file' });
  const shown = data.operation.parameters as readonly JsonObject[];
  const formats = shown
    .map(({ name, format }) => [name, format])
    .filter(([name]) => name === 'data' || name === 'name');
  expect(formats).toEqual([
    ['data', 'base64'],
    ['name', undefined],
  ]);
});

it("every example of the gateway's own lists is accepted as it is shown", async () => {
  await using live = await open();
  const client = await live.connect('http', 'modern');
  for (const name of ['list_resources', 'list_prompts', 'introspect', 'search_tools']) {
    const { data } = await live.call(client, 'introspect', { query: 'operations', name });
    const examples = (data?.operation?.examples ?? []) as { request: { operation: string; params: JsonObject } }[];
    if (name === 'list_resources') expect(examples.length).toBeGreaterThan(0);
    for (const { request } of examples) {
      const { success, error } = await live.call(client, request.operation, request.params);
      expect([JSON.stringify(request), error?.message, success]).toEqual([JSON.stringify(request), undefined, true]);
    }
  }
});

it('a misspelt member of metadata in an item of a batch is refused, and nothing of the item runs', async () => {
  await using live = await open();
  const client = await live.connect('http', 'modern');
  const operations = [
    { operation: 'get_file', params: { name: 'a' } },
    { operation: 'get_file', params: { name: 'b' }, _exection: { background: true } },
    { operation: 'get_file', params: { name: 'c', _confirmaton: 'x' } },
  ];
  const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operations } });
  const text = (content as { text: string }[])[0]?.text ?? '';
  expect(text).toContain("did you mean '_execution'?");
  expect(text).toContain("did you mean '_confirmation'?");
  expect(text).not.toMatch(/"name":"[bc]"/);
});
