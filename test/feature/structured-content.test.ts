import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { initializeMessage, MODERN_META, modernHeaders, openSession, sendHttp } from '../support/raw-http.js';
import { BINARY } from '../support/served-gateway.js';

const NOTES = `{
  get_note: {
    tool: { inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }, annotations: { readOnlyHint: true } },
    run: (args) => ({ content: [{ type: 'text', text: 'note "' + args.id + '"\\n' }] }),
  },
  list_rows: {
    tool: { inputSchema: { type: 'object', properties: { rows: { type: 'integer' } } }, annotations: { readOnlyHint: true } },
    run: ({ rows = 1 }) => ({ content: [{ type: 'text', text: JSON.stringify(Array.from({ length: rows }, (_, id) => ({ id, name: 'row "' + id + '"\\n' }))) }] }),
  },
  get_lines: {
    tool: { inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: '{\\r\\n  "id": 9007199254740993,\\n  "text": "a\\\\nb"\\n}' }] }),
  },
  get_picture: {
    tool: { inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }),
  },
  get_failure: {
    tool: { inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: 'no such note' }], isError: true }),
  },
  delete_note: {
    tool: { inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    run: () => ({ content: [{ type: 'text', text: 'gone' }] }),
  },
}`;

const SERVERS = { mcpServers: { notes: inlineServer(NOTES) } };
const HEADERS = { 'mcp-aql-structured-content': '1' };

/** Every kind of answer that a tool of the gateway gives. */
const CALLS: readonly (readonly [tool: string, args: JsonObject])[] = [
  ['mcp_aql_read', { operation: 'get_note', params: { id: 'ä"\n' } }],
  ['mcp_aql_read', { operation: 'list_rows', params: { rows: 10 } }],
  ['mcp_aql_read', { operation: 'list_rows', params: { rows: 10, filter: { id: { gt: 4 } }, fields: ['id'] } }],
  ['mcp_aql_read', { operation: 'list_rows', params: { rows: 40_000 } }],
  ['mcp_aql_read', { operation: 'get_lines' }],
  ['mcp_aql_read', { operation: 'get_picture' }],
  ['mcp_aql_read', { operation: 'get_failure' }],
  ['mcp_aql_read', { operation: 'introspect', params: { query: 'operations' } }],
  ['mcp_aql_read', { operation: 'no_such_operation' }],
  ['mcp_aql_read', {}],
  ['mcp_aql_delete', { operation: 'delete_note', params: { id: '1' } }],
  [
    'mcp_aql_read',
    {
      operations: [
        { operation: 'get_note', params: { id: '1' } },
        { operation: 'get_note', params: {} },
      ],
    },
  ],
  [
    'mcp_aql_delete',
    {
      operations: [
        { operation: 'delete_note', params: { id: '1' } },
        { operation: 'delete_note', params: { id: '2' } },
      ],
    },
  ],
];

interface AnyClient {
  listTools(): Promise<{ tools: { outputSchema?: unknown }[] }>;
  callTool(params: { name: string; arguments: JsonObject }): Promise<unknown>;
  close(): Promise<void>;
}

/** The SDK's clients check each answer against the output schema of its tool, and reject an answer without structured content. */
async function exercise(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
  for (const [name, args] of CALLS) {
    const answer = (await client.callTool({ name, arguments: args })) as {
      content: { text: string }[];
      structuredContent?: unknown;
    };
    expect(answer.structuredContent, JSON.stringify(args)).toEqual(JSON.parse(answer.content[0]?.text ?? ''));
  }
  await client.close();
}

describe('clients that ask for structured content in a header', () => {
  it('get envelopes that match the output schemas, with both lines of the SDK in both eras', async () => {
    await using gateway = await hostGateway(SERVERS);
    const requestInit = { headers: HEADERS };
    const v1 = new ClientV1({ name: 'v1', version: '1' });
    await v1.connect(new HttpV1(new URL(gateway.url), { requestInit }));
    await exercise(v1 as unknown as AnyClient);
    for (const mode of ['legacy', 'auto'] as const) {
      const v2 = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
      await v2.connect(new HttpV2(new URL(gateway.url), { requestInit }));
      await exercise(v2 as unknown as AnyClient);
    }
  });

  it('get it in a whole session by asking at its beginning, also after a restart, and others do not', async () => {
    await using directory = await makeDirectory();
    const request = (url: string, headers: object, method: string, params: JsonObject = {}) =>
      sendHttp(url, { headers: { ...headers }, body: { jsonrpc: '2.0', id: 1, method, params } });
    const note = { name: 'mcp_aql_read', arguments: { operation: 'get_note', params: { id: '1' } } };
    const isStructured = async (url: string, headers: object): Promise<readonly boolean[]> => {
      const list = await request(url, headers, 'tools/list');
      const call = await request(url, headers, 'tools/call', note);
      return ['outputSchema' in list.json.result.tools[0], 'structuredContent' in call.json.result];
    };
    const sessions: object[] = [];
    {
      await using gateway = await hostGateway(SERVERS, { directory: directory.path });
      const first = await sendHttp(gateway.url, { headers: HEADERS, body: initializeMessage(1) });
      sessions.push({ 'mcp-session-id': first.headers['mcp-session-id'] }, await openSession(gateway.url));
      expect(await isStructured(gateway.url, sessions[0] ?? {})).toEqual([true, true]);
      expect(await isStructured(gateway.url, sessions[1] ?? {})).toEqual([false, false]);
      expect(await isStructured(gateway.url, { ...sessions[1], ...HEADERS })).toEqual([true, true]);
      // What the SDK answers instead of the fast path: a request that wants log messages.
      const meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'info' };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...note, _meta: meta } };
      const modern = { ...modernHeaders('tools/call', note.name) };
      expect((await sendHttp(gateway.url, { headers: { ...modern, ...HEADERS }, body })).text).toContain(
        '"structuredContent":{"success":true',
      );
      expect((await sendHttp(gateway.url, { headers: modern, body })).text).not.toContain('structuredContent');
    }
    await using gateway = await hostGateway(SERVERS, { directory: directory.path });
    expect(await isStructured(gateway.url, sessions[0] ?? {})).toEqual([true, true]);
    expect(await isStructured(gateway.url, sessions[1] ?? {})).toEqual([false, false]);
  });
});

it('gives structured content to every client where the operator wants it, also over stdio', async () => {
  await using gateway = await hostGateway({ ...SERVERS, endpoint: { structuredContent: true } });
  const overHttp = new ClientV1({ name: 'v1', version: '1' });
  await overHttp.connect(new HttpV1(new URL(gateway.url)));
  await exercise(overHttp as unknown as AnyClient);
  const overStdio = new ClientV2({ name: 'v2', version: '1' });
  const config = `${gateway.directory}/gateway.config.json`;
  await overStdio.connect(new StdioV2({ command: process.execPath, args: [BINARY, 'stdio', '--config', config] }));
  await exercise(overStdio as unknown as AnyClient);
});
