import { CallToolResultSchema as ResultInSdk2 } from '@modelcontextprotocol/core';
import { CallToolResultSchema as ResultInSdk1 } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';

const PNG = `iVBORw0KGgo${'A'.repeat(9_000)}=`;
const image = { type: 'image', mimeType: 'image/png', data: PNG };

/** What a client gets of a tool that answers so. */
async function answerOf(answer: object | string) {
  const server = inlineServer(
    `{ get_it: { tool: { annotations: { readOnlyHint: true } }, run: () => (${typeof answer === 'string' ? answer : JSON.stringify(answer)}) } }`,
  );
  const endpoint = { mode: 'single', passthrough: true };
  await using live = await openLiveGateway({ endpoint, mcpServers: { up: server } });
  const client = await live.connect('http', 'legacy');
  const request = { name: 'mcp_aql', arguments: { operation: 'get_it' } };
  const result = (await client.callTool(request)) as { content: { text: string }[] & JsonObject[] } & JsonObject;
  const passed = (await client.callTool({ name: 'get_it', arguments: {} })) as JsonObject;
  for (const sdk of [ResultInSdk1, ResultInSdk2])
    for (const each of [result, passed]) expect(sdk.safeParse(each).error?.issues).toBeUndefined();
  const [envelope, ...blocks] = result.content;
  const data = (JSON.parse(envelope?.text ?? '') as JsonObject)['data'];
  return { data, blocks, passed: passed['content'], all: JSON.stringify(result) };
}

const reference = { type: 'image', mimeType: 'image/png', block: 1 };

it.each([
  [
    'structured content',
    { content: [image], structuredContent: { content: [image], n: 1 } },
    { content: [{ ...image, data: reference }], n: 1 },
  ],
  [
    'structured content of another form',
    { content: [image], structuredContent: { a: { b: [PNG, 'x'] } } },
    { a: { b: [reference, 'x'] } },
  ],
  [
    'JSON in a text',
    { content: [{ type: 'text', text: JSON.stringify({ png: PNG, n: 1 }) }, image] },
    { content: [{ type: 'text', text: '{"png":"[block 1]","n":1}' }, reference] },
  ],
  [
    'structured content of a resource',
    {
      content: [{ type: 'resource', resource: { uri: 'f://a', mimeType: 'image/png', blob: PNG } }],
      structuredContent: { bytes: PNG },
    },
    { bytes: { type: 'resource', mimeType: 'image/png', uri: 'f://a', block: 1 } },
  ],
])('a picture in %s and beside it comes once', async (_where, answer, data) => {
  const got = await answerOf(answer);
  expect(got.data).toEqual(data);
  expect(got.blocks).toHaveLength(1);
  expect(got.all.split(PNG)).toHaveLength(2);
});

it.each([
  ['an image without its type', { type: 'image', data: PNG }, image],
  ['base64 in lines', { ...image, data: (PNG.match(/.{1,76}/g) ?? []).join('\n') }, image],
  ['a data URI', { type: 'image', data: `data:image/png;base64,${PNG}` }, image],
  [
    'a link without a name',
    { type: 'resource_link', uri: 'f://a' },
    { type: 'resource_link', uri: 'f://a', name: 'f://a' },
  ],
  [
    'an odd annotation',
    { ...image, annotations: { priority: null, audience: 'user' } },
    { ...image, annotations: { audience: ['user'] } },
  ],
  [
    'nulls in a resource',
    { type: 'resource', resource: { uri: 'f://a', mimeType: null, blob: null, text: 'hi' } },
    { type: 'resource', resource: { uri: 'f://a', text: 'hi' } },
  ],
  [
    'a resource without an address',
    { type: 'resource', resource: { text: 'hi' } },
    { type: 'resource', resource: { uri: 'urn:mcp-aql:embedded', text: 'hi' } },
  ],
])('%s is mended', async (_what, block, mended) => {
  const { blocks, passed } = await answerOf({ content: [{ type: 'text', text: 'before' }, block] });
  expect(blocks).toEqual([mended]);
  expect(passed).toEqual([{ type: 'text', text: 'before' }, mended]);
});

it.each([
  ['an unknown type', { type: 'hologram', beam: 1 }],
  ['an image without data', { type: 'image', url: 'https://example.org/a.png' }],
  ['a text that is none', { type: 'text', text: 5 }],
])('a block of %s is told as a text', async (_what, block) => {
  const { data, blocks, passed } = await answerOf({ content: [{ type: 'text', text: 'before' }, block] });
  const told = [
    { type: 'text', text: 'before' },
    { type: 'text', text: JSON.stringify(block) },
  ];
  expect(data).toEqual({ content: told });
  expect(passed).toEqual(told);
  expect(blocks).toEqual([]);
});

it.each([
  ['null beside a text', { content: [{ type: 'text', text: 'said' }], structuredContent: null }, 'said'],
  ['the result of 2024-10-07', { toolResult: { a: 1 } }, { a: 1 }],
  ['the result of 2024-10-07 as a text', { toolResult: 'said' }, 'said'],
  ['content that is no list', { content: { type: 'text', text: 'said' } }, 'said'],
  ['content that is a text', { content: 'said' }, 'said'],
  ['a text without a block', { content: ['said'] }, 'said'],
])('of structured content that is %s nothing is lost', async (_what, answer, data) => {
  expect((await answerOf(answer)).data).toEqual(data);
});

it('of long base64 without a block no more is shown than that there is some, and the way to it', async () => {
  const given = "{ note: 'n'.repeat(3_000), long: 'QUJD'.repeat(60_000) }";
  const { data, all } = await answerOf(`{ content: [{ type: 'text', text: JSON.stringify(${given}) }] }`);
  expect((data as JsonObject)['note']).toBe('n'.repeat(3_000));
  expect(String((data as JsonObject)['long']).length).toBeLessThan(100);
  expect(all).toContain('VALIDATION_TRUNCATED_WARNING');
  expect(all).toContain('240000 characters');
});
