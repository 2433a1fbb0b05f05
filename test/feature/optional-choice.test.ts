import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';

const tool = (values: string, required: string) => `{
  tool: {
    inputSchema: { type: 'object', properties: { action: { type: 'string', enum: ${values} }, id: { type: 'string' } }, required: ${required} },
  },
  run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
}`;

/** The server chooses what to do where its callers do not say, and tells nobody what. */
const LABELS = inlineServer(`{
  manage_label: ${tool("['list', 'create', 'delete']", '[]')},
  manage_mark: ${tool("['list', 'create']", '[]')},
  manage_flag: ${tool("['list', 'create']", "['action']")},
  manage_tag: ${tool("['list', 'delete']", "['action']")},
  manage_pin: ${tool("['list', 'overwrite', 'delete']", "['action']")},
}`);

const configOf = (more: object = {}) => ({
  endpoint: { mode: 'passthrough' },
  mcpServers: { labels: LABELS },
  ...more,
});

/** The first text of an answer, and a failure's error. */
async function connect({ url }: HostedGateway, view = '') {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${view}`)));
  return {
    client,
    async call(name: string, args: JsonObject) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [{ text } = { text: '' }] = content as { text: string }[];
      const told = JSON.parse(text) as { error?: { code: string; message: string; details: JsonObject } };
      return { isError: isError === true, told, error: told.error };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

it('passes a call on that leaves the choice of a grouped tool to its server', async () => {
  await using gateway = await hostGateway(configOf());
  await using session = await connect(gateway);
  expect(await session.call('manage_mark', { id: '1' })).toMatchObject({ isError: false, told: { id: '1' } });
  expect(await session.call('manage_mark', { id: '1', action: null })).toMatchObject({ isError: false });
  const { error } = await session.call('manage_flag', { id: '1' });
  expect(error).toMatchObject({ code: 'VALIDATION_MISSING_PARAM', details: { param_name: 'action' } });
});

it('asks about such a call as about the worst that its server may choose', async () => {
  await using gateway = await hostGateway(configOf());
  await using session = await connect(gateway);
  const { error } = await session.call('manage_label', { id: '1' });
  expect(error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', details: { danger_level: 'destructive' } });
  const agreed = await session.call('manage_label', { _confirmation: error?.details['confirmation_token'] as string });
  expect(agreed).toMatchObject({ isError: false, told: { id: '1' } });
});

it.each(['list_mark', 'labels__create_mark', 'manage_mark'])(
  'holds such a call to what is said of each operation that it may be (%s)',
  async (operation) => {
    const rules = [{ match: { operation }, decision: 'confirm', requires: 'human' }];
    await using gateway = await hostGateway(configOf({ policy: { rules } }));
    await using session = await connect(gateway);
    const { error } = await session.call('manage_mark', {});
    expect(error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', details: { requires: 'human' } });
  },
);

it.each([
  ['a rule', '', { policy: { rules: [{ match: { operation: 'create_mark' }, decision: 'deny' }] } }],
  ['a view', '/some', { views: { some: { operations: { exclude: ['create_mark'] } } } }],
])('refuses a call without a choice where %s takes one of the choices away', async (_, view, more) => {
  await using gateway = await hostGateway(configOf(more));
  await using session = await connect(gateway, view);
  const { tools } = await session.client.listTools();
  const shown = tools.find(({ name }) => name === 'manage_mark')?.inputSchema;
  expect(shown).toMatchObject({ required: ['action'], properties: { action: { enum: ['list'] } } });
  for (const args of [{ id: '1' }, { action: 'create' }, { action: 'Create' }]) {
    expect(await session.call('manage_mark', args), JSON.stringify(args)).toMatchObject({ isError: true });
  }
  expect(await session.call('manage_mark', { action: 'list' })).toMatchObject({ isError: false });
});

it('runs no choice that a view leaves out, where one alone is left', async () => {
  await using gateway = await hostGateway(configOf({ views: { some: { operations: { include: ['list_*'] } } } }));
  await using session = await connect(gateway, '/some');
  for (const [name, args] of [
    ['manage_label', { action: 'delete', id: '1' }],
    ['manage_flag', { action: 'create' }],
    ['manage_label', {}],
  ] as const) {
    const { error } = await session.call(name, args);
    expect(error?.message, JSON.stringify(args)).toMatch(/Expected: one of 'list'$/);
  }
  expect(await session.call('manage_label', { action: 'list' })).toMatchObject({ isError: false });
});

it.each([
  ['manage_tag', { action: 'delete', id: '1' }],
  ['manage_label', { action: 'delete', id: '1' }],
  ['manage_label', { id: '1' }],
  ['manage_pin', { action: 'overwrite', id: '1' }],
])('runs exactly what was asked about with the token alone, whatever was chosen (%s %j)', async (name, args) => {
  await using gateway = await hostGateway(configOf());
  await using session = await connect(gateway);
  const { error } = await session.call(name, args);
  expect(error).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  const token = { _confirmation: error?.details['confirmation_token'] as string };
  expect(await session.call(name, token)).toMatchObject({ isError: false, told: args });
});
