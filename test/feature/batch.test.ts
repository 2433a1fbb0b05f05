import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { behaviourServer } from '../support/behaviours.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import type { ReplayServer } from '../support/replay-server.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';

const READ = 'mcp_aql_read';

interface BatchAnswer {
  readonly success: boolean;
  readonly data: null;
  readonly results: readonly {
    readonly index: number;
    readonly operation: string;
    readonly status?: string;
    readonly result: JsonObject & {
      readonly success: boolean;
      readonly error?: { readonly code: string; readonly message: string };
      readonly data?: JsonObject;
    };
  }[];
  readonly halted_at?: {
    readonly index: number;
    readonly operation: string;
    readonly result: { readonly error: { readonly code: string; readonly details: JsonObject } };
  };
  readonly pending_operations?: readonly JsonObject[];
  readonly summary: JsonObject;
  readonly error?: { readonly code: string; readonly message: string };
}

async function batch(client: McpClient, tool: string, operations: readonly unknown[]): Promise<BatchAnswer> {
  const { raw } = await client.callTool(tool, { operations });
  const [{ text }] = raw['content'] as [{ readonly text: string }];
  return JSON.parse(text) as BatchAnswer;
}

let upstream: ReplayServer;
let rows: RowsUpstream;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startDangerUpstream();
  rows = await startRowsUpstream(makeRows(50));
  gateway = await hostGateway({ mcpServers: { demo: dangerEntry(upstream), rows: { url: rows.url } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await rows?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const run = (operation: string, params: JsonObject = {}): JsonObject => ({ operation, params });

describe('a batch', () => {
  it('answers each operation separately and in order, failures as well as successes', async () => {
    const answer = await batch(client, READ, [
      run('get_row', { id: 1 }),
      run('get_row'),
      run('no_such_operation'),
      run('list_rows', { first: 1, fields: ['id'] }),
    ]);
    expect(answer).toMatchObject({ success: true, data: null, summary: { total: 4, succeeded: 2, failed: 2 } });
    expect(answer.results.map(({ index, result }) => [index, result.success ? 'OK' : result.error?.code])).toEqual([
      [0, 'OK'],
      [1, 'VALIDATION_MISSING_PARAM'],
      [2, 'NOT_FOUND_OPERATION'],
      [3, 'OK'],
    ]);
    expect(answer.results[3]?.result.data).toMatchObject({ items: [{ id: 1 }] });
  });

  it('passes the result of an earlier operation to a later one by reference', async () => {
    const answer = await batch(client, READ, [
      run('list_rows', { filter: { name: { contains: 'row 17 ' } }, first: 1 }),
      run('get_row', { id: '$results[0].data.items[0].id', fields: ['name'] }),
      run('get_row', { id: '$results[0].data.items[9].id' }),
    ]);
    expect(answer.results[1]?.result.data).toEqual({ name: 'row 17 alpha' });
    expect(answer.results[2]?.result.error).toMatchObject({ code: 'VALIDATION_INVALID_VALUE' });
    expect(answer.results[2]?.result.error?.message).toContain('$results[0].data.items[9].id');
  });

  it('halts at an operation that needs confirmation, and continues with the token', async () => {
    const before = upstream.calls.length;
    const halted = await batch(client, EXECUTE, [
      run('do_safe', { path: '/1' }),
      run('do_destructive', { path: '/2' }),
      run('do_safe', { path: '/3' }),
    ]);
    expect(halted).toMatchObject({
      success: true,
      results: [{ index: 0, operation: 'do_safe' }],
      halted_at: { index: 1, operation: 'do_destructive', result: { error: { code: 'CONFIRMATION_REQUIRED' } } },
      pending_operations: [{ index: 2, operation: 'do_safe', params: { path: '/3' } }],
      summary: { total: 3, succeeded: 1, failed: 0, halted: 1, pending: 1 },
    });
    expect(upstream.calls).toHaveLength(before + 1);
    const token = halted.halted_at?.result.error.details['confirmation_token'];
    const rest = halted.pending_operations?.map(({ operation, params }) => ({ operation, params })) ?? [];
    const continued = await batch(client, EXECUTE, [
      run('do_destructive', { path: '/2', confirmation_token: token }),
      ...rest,
    ]);
    expect(continued).toMatchObject({ summary: { total: 2, succeeded: 2, failed: 0 } });
    expect(upstream.calls.slice(before).map(({ arguments: args }) => (args as { path: string }).path)).toEqual([
      '/1',
      '/2',
      '/3',
    ]);
  });

  it('skips an operation that needs confirmation and runs the others, where that is configured', async () => {
    await using skipping = await hostGateway({
      batch: { onConfirmation: 'skip' },
      mcpServers: { demo: dangerEntry(upstream) },
    });
    await using caller = await connectClient(skipping.url);
    const answer = await batch(caller, EXECUTE, [run('do_destructive'), run('do_safe')]);
    expect(answer).toMatchObject({
      results: [{ status: 'pending_confirmation' }, { result: { success: true } }],
      summary: { total: 2, succeeded: 1, failed: 0, pending_confirmation: 1 },
    });
  });

  it('with operations of several families is refused in semantic mode, with the reason, and served in single mode', async () => {
    const mixed = [run('get_row', { id: 1 }), run('create_row', { name: 'x' })];
    const calls = rows.calls.length;
    const refused = await batch(client, READ, mixed);
    expect(refused.error).toMatchObject({ code: 'VALIDATION_ENDPOINT_MISMATCH' });
    expect(refused.error?.message).toContain('mcp_aql_create');
    expect(rows.calls).toHaveLength(calls);
    await using single = await hostGateway({ endpoint: { mode: 'single' }, mcpServers: { rows: { url: rows.url } } });
    await using caller = await connectClient(single.url);
    expect(await batch(caller, 'mcp_aql', mixed)).toMatchObject({ summary: { total: 2, succeeded: 2 } });
  });

  it.each([
    ['is empty', []],
    ['is too long', Array.from({ length: 101 }, () => run('get_row', { id: 1 }))],
    ['contains a batch', [{ operations: [run('get_row')] }]],
  ])('that %s is refused, or its item fails, with a VALIDATION error', async (_what, operations) => {
    const answer = await batch(client, READ, operations);
    const failed = answer.error ?? answer.results[0]?.result.error;
    expect(failed?.code).toMatch(/^VALIDATION_/);
  });

  it('of a hundred operations gives ninety-nine answers when the 37th crashes its upstream', async () => {
    await using fragile = await hostGateway({
      mcpServers: {
        shaky: { ...behaviourServer(), operations: { '*': { category: 'EXECUTE', danger: 'safe' } } },
        rows: { url: rows.url, operations: { '*': { category: 'EXECUTE', danger: 'safe' } } },
      },
    });
    await using caller = await connectClient(fragile.url);
    const operations = Array.from({ length: 100 }, (_, index) =>
      index === 36 ? run('crash') : run('get_row', { id: (index % 50) + 1 }),
    );
    const answer = await batch(caller, EXECUTE, operations);
    expect(answer.summary).toEqual({ total: 100, succeeded: 99, failed: 1 });
    expect(answer.results[36]?.result.error?.code).toBe('INTERNAL_ERROR');
  });
});

/** A server whose calls wait until a given number is in flight, over all servers of one gate. */
function startGate(expected: number) {
  let waiting: (() => void)[] = [];
  let most = 0;
  const arrive = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
      if (waiting.length < expected) return;
      for (const release of waiting) release();
      waiting = [];
    });
  return { arrive, most: () => most };
}

async function startSlowServer(arrive: () => Promise<void>): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') await arrive();
    const tools = [
      {
        name: 'get_time',
        description: 'Get the time.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ];
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'slow', version: '1' },
      },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: 'now' }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('a batch of ten READs to three slow upstreams', () => {
  it('sends all READs at once, so that it takes the time of the slowest and not the sum', async () => {
    const gate = startGate(10);
    const servers = await Promise.all(['a', 'b', 'c'].map(() => startSlowServer(gate.arrive)));
    const names = ['one', 'two', 'three'];
    const mcpServers = Object.fromEntries(
      servers.map((server, index) => [
        names[index],
        { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` },
      ]),
    );
    try {
      await using slow = await hostGateway({ mcpServers });
      await using caller = await connectClient(slow.url);
      const operations = Array.from({ length: 10 }, (_, index) => run(`${names[index % 3]}__get_time`));
      // None of them is answered before all of them have arrived.
      const answer = await batch(caller, READ, operations);
      expect(answer.summary).toEqual({ total: 10, succeeded: 10, failed: 0 });
      expect(gate.most()).toBe(10);
    } finally {
      for (const server of servers) server.closeAllConnections();
      for (const server of servers) server.close();
    }
  });
});
