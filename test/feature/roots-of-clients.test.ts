import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AskingServer, serveAskingHttp, serveAskingModernHttp } from '../fixtures/servers/asking.mjs';
import { CLIENT_KINDS, connectAsked } from '../support/asked-client.js';
import { hostGateway } from '../support/hosted-gateway.js';

const ROOTS = { roots: [{ uri: 'file:///work', name: 'work' }] };
const NONE = { roots: [] };
const OF_OPERATOR = { roots: [{ uri: 'file:///srv/repo', name: 'repo' }] };

let legacy: AskingServer;
let modern: AskingServer;

beforeAll(async () => {
  legacy = await serveAskingHttp();
  modern = await serveAskingModernHttp();
});
afterAll(async () => {
  await legacy.close();
  await modern.close();
});

/** A server that asks for folders when it starts, keeps what it learns, and asks again when they have changed. */
const KEEPS_ROOTS = `
let known = [], open = 0, waiting = [];
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const ask = () => { open += 1; send({ id: 'roots', method: 'roots/list' }); };
const answer = (id) => send({ id, result: { content: [{ type: 'text', text: JSON.stringify({ known }) }] } });
const tools = [{ name: 'get_known', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
require('node:readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, result, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'k', version: '1' } } });
  else if (method === 'notifications/initialized' || method === 'notifications/roots/list_changed') ask();
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') open === 0 ? answer(id) : waiting.push(id);
  else if (id === 'roots') { known = result?.roots ?? 'refused'; open -= 1; if (open === 0) waiting.splice(0).forEach(answer); }
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
});`;

const serve = (server: object) => hostGateway({ endpoint: { mode: 'single' }, mcpServers: { one: server } });

describe.each(CLIENT_KINDS)('%s', (kind) => {
  it('that has no folders is told so to a server that asks in a session', async () => {
    await using gateway = await serve({ url: legacy.url });
    await using client = await connectAsked(kind, { url: gateway.url });
    expect(await client.call('ask_roots')).toMatchObject({ data: { roots: NONE } });
  });

  it.each(['legacy', 'modern'])('that has no folders has those that the operator names: %s', async (era) => {
    const { url } = era === 'legacy' ? legacy : modern;
    await using gateway = await serve({ url, asks: { roots: ['/srv/repo'] } });
    await using client = await connectAsked(kind, { url: gateway.url });
    expect(await client.call('ask_roots')).toMatchObject({ data: { roots: OF_OPERATOR } });
  });

  it('has its folders told where the connection is its own, or the server asks with each call', async () => {
    for (const server of [{ url: legacy.url, isolation: 'session' }, { url: modern.url }]) {
      await using gateway = await serve({ ...server, asks: { roots: ['/srv/repo'] } });
      await using client = await connectAsked(kind, { url: gateway.url }, { roots: () => ROOTS });
      expect(await client.call('ask_roots')).toMatchObject({ data: { roots: ROOTS } });
    }
  });

  it('has its folders told to no server that others share', async () => {
    await using gateway = await serve({ url: legacy.url });
    await using first = await connectAsked(kind, { url: gateway.url }, { roots: () => ROOTS });
    expect(await first.call('ask_roots')).toMatchObject({ data: { roots: NONE } });
    await using second = await connectAsked(kind, { url: gateway.url });
    expect(await second.call('ask_roots')).toMatchObject({ data: { roots: NONE } });
  });

  it.each([
    ['ask_form', 'elicitation'],
    ['get_model_text', 'sampling'],
  ])('that cannot be asked by %s reads which setting has the server do without', async (tool, setting) => {
    await using gateway = await serve({ url: legacy.url });
    await using client = await connectAsked(kind, { url: gateway.url });
    const { error } = await client.call(tool);
    expect(error?.message).toContain(`sets its "asks" to {"${setting}": "deny"}`);
  });
});

it('a server that asked before the first call of its owner learns of the owner then', async () => {
  const keeper = { command: process.execPath, args: ['-e', KEEPS_ROOTS], isolation: 'session' };
  await using gateway = await serve(keeper);
  for (const [user, known] of [
    [{ roots: () => ROOTS }, ROOTS.roots],
    [{}, NONE.roots],
  ] as const) {
    await using client = await connectAsked('SDK v1', { url: gateway.url }, user);
    expect(await client.call('get_known')).toMatchObject({ data: { known } });
  }
});
