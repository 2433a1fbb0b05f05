import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { PUBLISHED_SCHEMAS } from '../support/published-rules.js';

const TOOLS = `Object.fromEntries(Array.from({ length: 60 }, (_, index) => ['get_thing_' + index, {
  tool: {
    name: 'get_thing_' + index,
    description: 'Gets a thing',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { data: { type: 'string', contentEncoding: 'base64' }, at: { type: 'object', properties: { x: {} } } } },
  },
  run: () => ({ content: [] }),
}]))`;

const QUERIES: readonly JsonObject[] = [
  { query: 'operations' },
  { query: 'operations', first: 3 },
  { query: 'operations', search: 'get thing 7' },
  { query: 'operations', search: 'order a pizza with the violin and the trumpet' },
  { query: 'operations', name: 'get_thing_7' },
  { query: 'operations', name: 'introspect' },
  { query: 'operations', name: 'get_think_7' },
  { query: 'operations', upstream: 'things', budget_tokens: 200 },
  { query: 'types' },
  { query: 'types', name: 'OperationInput' },
  { query: 'types', name: 'NoSuchType' },
];

it.runIf(existsSync(PUBLISHED_SCHEMAS)).each(['all', 'semantic', 'single', 'intent'])(
  'every answer of introspection has the published form, in mode or profile %s (skipped without ../shared)',
  async (kind) => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats.default(ajv);
    const check = ajv.compile(
      JSON.parse(readFileSync(new URL('introspection-response.schema.json', PUBLISHED_SCHEMAS), 'utf8')),
    );
    const endpoint = kind === 'intent' ? { mode: 'semantic', profile: 'intent' } : { mode: kind };
    await using gateway = await openLiveGateway({ endpoint, mcpServers: { things: inlineServer(TOOLS) } });
    const client = await gateway.connect('http', 'modern');
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => /_(?:read|discover)$/.test(name)) ?? tools[0];
    for (const params of QUERIES) {
      const request = { name: tool?.name ?? '', arguments: { operation: 'introspect', params } };
      const { content } = await client.callTool(request);
      const answer = JSON.parse((content as { text: string }[])[0]?.text ?? '') as JsonObject;
      expect(check(answer), `${JSON.stringify(params)}: ${JSON.stringify(check.errors?.slice(0, 3))}`).toBe(true);
    }
  },
);

it('a plain list of many operations tells who knows no pages of all others, and how to go on', async () => {
  await using gateway = await openLiveGateway({ mcpServers: { things: inlineServer(TOOLS) } });
  const client = await gateway.connect('http', 'modern');
  const list = async (more: JsonObject): Promise<readonly string[]> => {
    const request = { operation: 'introspect', params: { query: 'operations', ...more } };
    const { content } = await client.callTool({ name: 'mcp_aql', arguments: request });
    return (content as { text: string }[]).map(({ text }) => text);
  };
  const [envelope = '', told = ''] = await list({});
  const listed = (JSON.parse(envelope).data.operations as { name: string }[]).map(({ name }) => name);
  const names = Array.from({ length: 60 }, (_, index) => `get_thing_${index}`);
  expect(names.filter((name) => !listed.includes(name) && !told.split(/[ ,:]+/).includes(name))).toEqual([]);
  const next = JSON.parse(/\{.*\}$/.exec(told)?.[0] ?? '') as JsonObject;
  const [rest = '', ...nothing] = await list(next);
  expect(JSON.parse(rest).data._protocol.page.after).toBeNull();
  expect([nothing, (await list({ first: 3 })).length, (await list({ budget_tokens: 500 })).length]).toEqual([[], 1, 1]);
});
