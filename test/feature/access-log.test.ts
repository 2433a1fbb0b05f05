import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';

const TOOLS = `({
  read_note: { tool: { annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: 'a note' }] }) },
})`;
const TOKEN = 'a-token-of-the-client';

it('writes one line for each request, in a file that is opened anew at SIGHUP, and never a token, a query or an argument', async () => {
  await using gateway = await serveGateway({
    clients: { team: { token: TOKEN } },
    log: { access: 'logs/access.log' },
    mcpServers: { notes: inlineServer(TOOLS) },
  });
  const file = join(gateway.directory, 'logs/access.log');
  {
    await using client = await connectClient(gateway.url, 'legacy', { token: TOKEN });
    await client.call('mcp_aql_read', 'read_note', {});
    await client.call('mcp_aql_read', 'read_note', { wrong: 'a-secret-argument' });
  }
  await fetch(`${gateway.url}?key=a-secret-query`, { headers: { authorization: 'Bearer a-secret-token' } });
  await rename(file, `${file}.1`);
  gateway.process.kill('SIGHUP');
  await gateway.logged('(SIGHUP)');
  await fetch(gateway.url.replace('/mcp', '/healthz'));
  gateway.process.kill('SIGTERM');
  await once(gateway.process, 'exit');

  const before = await readFile(`${file}.1`, 'utf8');
  const lines = before
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const calls = lines.filter(({ mcpMethod }) => mcpMethod === 'tools/call');
  expect(calls[0]).toEqual({
    level: 30,
    time: expect.any(Number),
    peer: '127.0.0.1',
    method: 'POST',
    path: '/mcp',
    status: 200,
    bytes: expect.any(Number),
    durationMs: expect.any(Number),
    mcpMethod: 'tools/call',
    session: expect.any(String),
    client: 'team',
    operation: 'read_note',
    code: 'OK',
    requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(calls[0].bytes).toBeGreaterThan(100);
  expect(calls[1]).toMatchObject({ operation: 'read_note', code: 'VALIDATION_UNKNOWN_PARAM' });
  expect(lines.map(({ mcpMethod }) => mcpMethod)).toContain('initialize');
  expect(lines).toContainEqual(expect.objectContaining({ path: '/mcp', status: 401 }));
  expect(before).not.toMatch(/secret/);
  const after = await readFile(file, 'utf8');
  expect(JSON.parse(after.trim())).toMatchObject({ path: '/healthz', status: 200 });
});

it('writes a line for each request of a JSON-RPC batch, with its own operation, code and request id', async () => {
  await using gateway = await serveGateway({
    log: { access: 'access.log' },
    mcpServers: { notes: inlineServer(TOOLS) },
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (body: unknown, more = {}) =>
    fetch(gateway.url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const session = opened.headers.get('mcp-session-id') ?? '';
  const callOf = (id: number, operation: string) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'mcp_aql_read', arguments: { operation, params: {} } },
  });
  const batch = [callOf(1, 'read_note'), { jsonrpc: '2.0', id: 2, method: 'ping' }, callOf(3, 'no_such_note')];
  const answered = await post(batch, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-03-26' });
  expect(await answered.json()).toHaveLength(3);
  gateway.process.kill('SIGTERM');
  await once(gateway.process, 'exit');

  const text = await readFile(join(gateway.directory, 'access.log'), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ batched }) => batched !== undefined);
  const [read, ping, unknown] = lines;
  expect(lines).toHaveLength(3);
  expect(read).toMatchObject({ batched: 3, mcpMethod: 'tools/call', operation: 'read_note', code: 'OK' });
  expect(ping).toMatchObject({ batched: 3, mcpMethod: 'ping', session: read.session });
  expect(ping).not.toHaveProperty('operation');
  expect(unknown).toMatchObject({ mcpMethod: 'tools/call', session: read.session, code: 'NOT_FOUND_OPERATION' });
  expect(read.requestId).not.toBe(unknown.requestId);
  expect(new Set(lines.map(({ bytes }) => bytes)).size).toBe(1);
});
