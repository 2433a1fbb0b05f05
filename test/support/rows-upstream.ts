import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/base/json/json.js';

/** A row of the fixture's table. */
export interface Row extends JsonObject {
  readonly id: number;
  readonly name: string;
  readonly status: 'active' | 'paused' | 'closed';
  readonly size: number;
  readonly created: string;
  readonly owner: { readonly login: string; readonly team: string };
  readonly tags: readonly string[];
}

const STATUSES = ['active', 'paused', 'closed'] as const;
const WORDS = ['alpha', 'beta', 'gamma', 'delta'] as const;
const DAY_MS = 86_400_000;

export function makeRows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `row ${index + 1} ${WORDS[index % 4]}`,
    status: STATUSES[index % 3] ?? 'active',
    size: (index * 7919) % 1000,
    created: new Date(Date.UTC(2026, 0, 1) + (index % 365) * DAY_MS).toISOString(),
    owner: { login: `user${index % 10}`, team: `team${index % 3}` },
    tags: WORDS.filter((_word, place) => index % (place + 2) === 0),
  }));
}

export interface RowsUpstream extends AsyncDisposable {
  readonly url: string;
  /** Names of the tools that were called, oldest first. */
  readonly calls: readonly string[];
  /** Sets the answer of `list_rows` and similar tools. */
  rows: readonly Row[];
}

type Answer = (rows: readonly Row[], args: JsonObject) => JsonObject;

const structured = (value: JsonObject): JsonObject => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});
const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });

const READ_ONLY = { readOnlyHint: true };
const LIMITED = { limit: { type: 'integer' }, filter: { type: 'string' } };

/** One tool for each form in which servers return lists. */
const TOOLS: readonly { readonly tool: JsonObject; readonly answer: Answer }[] = [
  {
    tool: {
      name: 'list_rows',
      description: 'List rows.',
      inputSchema: { type: 'object', properties: { team: { type: 'string' } } },
      outputSchema: {
        type: 'object',
        properties: { rows: { type: 'array', items: { type: 'object' } }, total: { type: 'integer' } },
        required: ['rows', 'total'],
      },
    },
    answer: (rows, { team }) => {
      const found = team === undefined ? rows : rows.filter(({ owner }) => owner.team === team);
      return structured({ rows: found, total: found.length });
    },
  },
  {
    tool: {
      name: 'search_rows',
      description: 'Search rows; has a filter and a limit of its own.',
      inputSchema: { type: 'object', properties: LIMITED },
    },
    answer: (rows, { limit, filter }) => text(JSON.stringify({ limit, filter, rows: rows.slice(0, 20) })),
  },
  {
    tool: { name: 'fetch_rows', description: 'Get rows.', inputSchema: { type: 'object' } },
    answer: (rows) => text(JSON.stringify({ rows: rows.slice(0, 20) })),
  },
  {
    tool: {
      name: 'get_row',
      description: 'Get one row.',
      inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      outputSchema: {
        type: 'object',
        properties: { id: { type: 'integer' }, owner: { type: 'object', properties: { login: { type: 'string' } } } },
      },
    },
    answer: (rows, { id }) => structured(rows.find((row) => row.id === id) ?? {}),
  },
  {
    tool: { name: 'read_log', description: 'Read the log.', inputSchema: { type: 'object' } },
    answer: (rows) => text(rows.map(({ id, name, status }) => `${id} ${status} ${name}`).join('\n')),
  },
  {
    tool: { name: 'list_numbers', description: 'List big numbers.', inputSchema: { type: 'object' } },
    answer: () => text('[{"id":12345678901234567890,"x":1},{"id":12345678901234567891,"x":2}]'),
  },
  {
    tool: {
      name: 'create_row',
      description: 'Create a row.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
    answer: (_rows, { name }) => structured({ created: name ?? null }),
  },
];

/** A real upstream over HTTP; the test chooses the size of its answers. */
export async function startRowsUpstream(rows: readonly Row[]): Promise<RowsUpstream> {
  const calls: string[] = [];
  const upstream = { rows };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await readBody(request)) as RpcRequest;
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/call') calls.push(message.params?.name ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answerTo(message, upstream.rows) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: JsonObject };
}

function answerTo({ method, params = {} }: RpcRequest, rows: readonly Row[]): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'rows', version: '1.0.0' };
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') {
    const annotations = ({ name }: JsonObject) => (name === 'create_row' ? {} : { annotations: READ_ONLY });
    return { result: { tools: TOOLS.map(({ tool }) => ({ ...tool, ...annotations(tool) })) } };
  }
  const found = TOOLS.find(({ tool }) => tool['name'] === params.name);
  if (method !== 'tools/call' || found === undefined) return { error: { code: -32601, message: 'Method not found' } };
  return { result: found.answer(rows, params.arguments ?? {}) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
