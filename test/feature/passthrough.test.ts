import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { MODERN_META, modernHeaders, openSession, sendHttp } from '../support/raw-http.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

const FILES = `{
  readNote: {
    tool: {
      title: 'Read a note', icons: [{ src: 'data:image/png;base64,AA==' }],
      inputSchema: { type: 'object', properties: { noteId: { type: 'string' }, limit: { type: 'integer' } }, required: ['noteId'], additionalProperties: false },
      outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      annotations: { readOnlyHint: true }, _meta: { 'example.org/ui': 'ui://note' },
    },
    run: (args) => ({
      content: [{ type: 'text', text: 'note', annotations: { priority: 1 } }, { type: 'resource_link', uri: 'note://1', name: 'n' }],
      structuredContent: { id: args.noteId, size: 12 }, _meta: { 'example.org/x': 1 },
    }),
  },
  delete_note: {
    tool: { inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    run: (args) => ({ content: [{ type: 'text', text: 'deleted ' + args.id }] }),
  },
  update_note: {
    tool: { inputSchema: { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } }, required: ['id', 'title'] } },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  },
  manage_label: {
    tool: { description: 'Manage labels', inputSchema: { type: 'object', properties: { action: { enum: ['list', 'create', 'delete'] }, name: { type: 'string' } }, required: ['action'] } },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  },
  fail: {
    tool: { description: 'Get what fails', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: 'no such note' }], isError: true }),
  },
  list_rows: {
    tool: { inputSchema: { type: 'object', properties: { rows: { type: 'integer' } } }, annotations: { readOnlyHint: true } },
    run: ({ rows = 1 }) => { const data = { rows: Array.from({ length: rows }, (_, id) => ({ id, name: 'row "' + id + '"\\n' })) }; return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }; },
  },
  list_plan: {
    tool: { description: 'List', inputSchema: { type: 'object', properties: { operations: { type: 'array', items: { type: 'object' } } } }, annotations: { readOnlyHint: true } },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  },
}`;

const OTHER = `{
  delete_note: { tool: { inputSchema: { type: 'object', properties: {} } }, run: () => ({ content: [{ type: 'text', text: 'of the other' }] }) },
  notes__readNote: { tool: { inputSchema: { type: 'object', properties: {} } }, run: () => ({ content: [{ type: 'text', text: 'false' }] }) },
}`;

async function connectBoth(mode: 'legacy' | 'auto', config: object = {}) {
  const notes = inlineServer(FILES);
  const gateway = await hostGateway({ endpoint: { mode: 'passthrough' }, mcpServers: { notes }, ...config });
  const through = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await through.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const direct = new Client({ name: 'test', version: '1' });
  await direct.connect(new StdioClientTransport(notes));
  return {
    gateway,
    through,
    direct,
    call: async (name: string, args: JsonObject) =>
      (await through.callTool({ name, arguments: args })) as {
        content: { text: string }[];
        isError?: boolean;
      } & JsonObject,
    async [Symbol.asyncDispose]() {
      await through.close();
      await direct.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

const ownless = ({ _meta, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  meta: Object.fromEntries(
    Object.entries((_meta ?? {}) as JsonObject).filter(([key]) => !/^(?:mcp-aql|io\.modelcontextprotocol)\//.test(key)),
  ),
});

const envelopeOf = ({ content }: { readonly content: readonly { readonly text: string }[] }) =>
  JSON.parse(content[0]?.text ?? '') as { readonly error: { readonly code: string; readonly details: JsonObject } };

describe.each(['legacy', 'auto'] as const)('tools that are passed through (client %s)', (mode) => {
  it('are listed and answer exactly as without the gateway', async () => {
    await using both = await connectBoth(mode);
    const { direct, through } = both;
    const sorted = async (client: Client) =>
      (await client.listTools()).tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(await sorted(through)).toEqual(await sorted(direct));
    const calls = [
      { name: 'readNote', arguments: { noteId: 'a"b\n' } },
      { name: 'update_note', arguments: { id: '1', title: 't' } },
      { name: 'manage_label', arguments: { action: 'list' } },
      { name: 'fail', arguments: {} },
      { name: 'list_rows', arguments: {} },
      { name: 'list_rows', arguments: { rows: 1_000 } },
      { name: 'list_rows', arguments: { rows: 40_000 } },
      { name: 'list_plan', arguments: { operations: [{ operation: 'x' }] } },
    ];
    for (const call of calls) {
      const [own, passed] = [await direct.callTool(call), await through.callTool(call)];
      expect(ownless(passed), JSON.stringify(call)).toEqual(ownless(own));
    }
  });

  it('refuse unknown and missing parameters in the spelling of the tool', async () => {
    await using both = await connectBoth(mode);
    const unknown = await both.call('readNote', { noteId: '1', note_id: '2', _trace: 1 });
    expect(unknown.isError).toBe(true);
    expect(envelopeOf(unknown).error).toMatchObject({
      code: 'VALIDATION_UNKNOWN_PARAM',
      details: { unknown_params: ['note_id', '_trace'], valid_params: ['noteId', 'limit'] },
    });
    const missing = await both.call('readNote', { limit: 1 });
    expect(envelopeOf(missing).error).toMatchObject({
      code: 'VALIDATION_MISSING_PARAM',
      details: {
        param_name: 'noteId',
        example: { tool: 'readNote', arguments: { noteId: expect.any(String), limit: 1 } },
      },
    });
    const part = await both.call('manage_label', { name: 'x' });
    expect(envelopeOf(part).error).toMatchObject({
      code: 'VALIDATION_MISSING_PARAM',
      details: { param_name: 'action' },
    });
  });

  it('ask before what destroys, as an error, and run with the token alone', async () => {
    await using both = await connectBoth(mode);
    const asked = await both.call('delete_note', { id: '7' });
    expect(asked.isError).toBe(true);
    const { error } = envelopeOf(asked);
    expect(error.code).toBe('CONFIRMATION_REQUIRED');
    const token = error.details['confirmation_token'];
    const run = await both.call('delete_note', { _confirmation: token });
    expect(ownless(run)).toEqual({ content: [{ type: 'text', text: 'deleted 7' }], meta: {} });
    // One value of the parameter that chooses what the tool does destroys, and others do not.
    expect(envelopeOf(await both.call('manage_label', { action: 'delete', name: 'x' })).error.code).toBe(
      'CONFIRMATION_REQUIRED',
    );
    expect((await both.call('manage_label', { action: 'create', name: 'x' })).isError).toBeUndefined();
  });

  it('say which tool an unknown name could mean', async () => {
    await using both = await connectBoth(mode);
    await expect(both.call('read_note', { noteId: '1' })).rejects.toThrow(
      "There is no tool 'read_note'. Did you mean 'readNote'?",
    );
    // The gateway's own operations are no tools here.
    for (const name of ['introspect', 'mcp_aql_read'])
      await expect(both.call(name, {})).rejects.not.toThrow(/mean .*(?:introspect|mcp_aql)/);
  });
});

it.each(['legacy', 'auto'] as const)(
  'gives clients what the servers that they see say of how to use them, at every moment (client %s)',
  async (mode) => {
    const tool = { name: 'get_chart', answer: () => textBlocks('c') };
    const shop = await startToolServer([{ ...tool, name: 'get_thing' }], { instructions: 'Get a thing first.\u202e' });
    const other = await startToolServer([tool], { instructions: `Charts last. ${'x'.repeat(9_000)}` });
    const hidden = await startToolServer([tool], { instructions: 'Nobody reads this.' });
    const untested = await startToolServer([tool], { instructions: 'Nor this.' });
    const servers = {
      shop: { url: shop.url },
      hidden: { url: hidden.url, operations: { '*': { hide: true } } },
      untested: { url: untested.url, trust: 'untested' },
    };
    const config = { endpoint: { mode: 'passthrough' }, mcpServers: servers };
    await using gateway = await hostGateway(config);
    const instructions = async (): Promise<string> => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
      const said = client.getInstructions() ?? '';
      await client.close();
      return said;
    };
    expect(await instructions()).toContain("The server 'shop' says of its tools: Get a thing first.");
    expect(await instructions()).not.toMatch(/Nobody|Nor this|\u202e/);
    await gateway.reload({ ...config, mcpServers: { ...servers, other: { url: other.url } } });
    await expect.poll(instructions).toMatch(/Get a thing first\.\n\n.*'other' says of its tools: Charts last\. x+…$/);
    expect((await instructions()).length).toBeLessThan(3_000);
    for (const server of [shop, other, hidden, untested]) await server[Symbol.asyncDispose]();
  },
);

it('qualifies names that several servers have, and names that pretend to be of another server', async () => {
  await using both = await connectBoth('auto', {
    mcpServers: { notes: inlineServer(FILES), other: inlineServer(OTHER) },
  });
  const { tools } = await both.through.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['notes__delete_note', 'other__delete_note', 'readNote', 'other__notes__readNote']),
  );
  expect(names).not.toContain('delete_note');
  expect(names).not.toContain('notes__readNote');
});

it('shows them beside the tools of the families where the operator wants both', async () => {
  await using both = await connectBoth('auto', { endpoint: { mode: 'single', passthrough: true } });
  const names = (await both.through.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['mcp_aql', 'readNote', 'delete_note']));
  expect(await both.call('mcp_aql', { operation: 'read_note', params: { note_id: '1' } })).toMatchObject({
    content: [{ text: expect.stringContaining('"success":true') }, expect.anything(), expect.anything()],
  });
});

it.each([
  ['below', 10],
  ['above', 60_000],
])('changes no digit of structured content (%s the size that threads read)', async (_name, count) => {
  const row = '{"id":9007199254740993,"e":1e400,"d":0.1000000000000000055511151231257827}';
  const rows = `{"rows":[${Array.from({ length: count }, () => row).join(',')}]}`;
  const server = numberServer({
    'tools/list': `"tools":[{"name":"get_rows","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`,
    'tools/call': ['"content":[],"structuredContent":{"rows":[', { text: row, count }, ']}'],
  });
  await using gateway = await hostGateway({
    endpoint: { mode: 'single', passthrough: true },
    results: { maxTokens: 0 },
    limits: { maxResponseSize: 20_000_000 },
    mcpServers: { rows: server },
  });
  const headers = await openSession(gateway.url);
  const call = (name: string, args: JsonObject) =>
    sendHttp(gateway.url, {
      headers,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
  const own = await call('get_rows', {});
  expect(own.text.includes(`"structuredContent":${rows}`)).toBe(true);
  const enveloped = await call('mcp_aql', { operation: 'get_rows' });
  expect(enveloped.text.includes(JSON.stringify(rows).slice(1, -1))).toBe(true);
});

it.each(['legacy', 'modern'] as const)('changes no digit of what servers list (%s client)', async (era) => {
  const lists = {
    'tools/list': `"tools":[{"name":"get_row","inputSchema":{"type":"object","properties":{"n":{"maximum":9223372036854775807}}}}]`,
    'resources/list': `"resources":[{"uri":"x://a","name":"a","size":12345678901234567890},{"uri":"x://b","name":"b"}]`,
    'prompts/list': `"prompts":[{"name":"p","_meta":{"limit":1e400}}]`,
  };
  await using gateway = await hostGateway({
    endpoint: { mode: 'passthrough' },
    mcpServers: { rows: numberServer(lists) },
  });
  const session = era === 'legacy' ? await openSession(gateway.url) : {};
  for (const [method, list] of Object.entries(lists)) {
    const answer = await sendHttp(gateway.url, {
      headers: era === 'legacy' ? session : modernHeaders(method),
      body: { jsonrpc: '2.0', id: 1, method, params: era === 'legacy' ? {} : { _meta: MODERN_META } },
    });
    expect(answer.text).toContain(list);
  }
});

/** JSON as it is, or with a part of it repeated, separated by commas. */
type Written =
  | string
  | readonly [before: string, repeated: { readonly text: string; readonly count: number }, after: string];

/** A server that answers with the members as they are written here, without looking at their numbers. @param results by method */
function numberServer(results: Readonly<Record<string, Written>>) {
  const script = `const results = ${JSON.stringify(results)};
  const write = (result) => typeof result === 'string' ? result : result[0] + Array(result[1].count).fill(result[1].text) + result[2];
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const initialize = '"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"n","version":"1"}';
    console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{' + write({ initialize, ...results }[method] ?? '') + '}}');
  })`;
  return { command: process.execPath, args: ['-e', script] };
}
