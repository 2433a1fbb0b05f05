import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { initializeMessage, MODERN_META, modernHeaders, type RawAnswer, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

/** A server of so many tools that its catalog takes many turns. */
const MANY = `{
  'tools/list': () => ({ tools: [...Array(1500).keys()].map((n) => ({
    name: n === 700 ? 'get_invoice' : 'get_other_' + n,
    inputSchema: { type: 'object', properties: { id: { type: 'string', description: 'The id of it' } } },
  })) }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'GOT' }] }),
  capabilities: { tools: {} },
}`;

const SERVER = {
  command: process.execPath,
  args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, MANY],
};

const FEW = {
  ...SERVER,
  args: [SERVER.args[0], `{ 'tools/list': () => ({ tools: [] }), capabilities: { tools: {} } }`],
};

/** What the plain tools of servers are reached through. */
const MODES = [{ mode: 'passthrough' }, { mode: 'single', passthrough: true }] as const;

/** Resolves in the turn in which a server is there and its tools are not. */
async function untilConnected({ gateway }: LiveGateway, slug: string): Promise<void> {
  while (gateway.status().upstreams.find((each) => each.slug === slug)?.state !== 'ready') await nextTurn();
  expect(gateway.operations().some(({ operation }) => operation.upstream === slug)).toBe(false);
}

const PARAMS = { name: 'get_invoice', arguments: { id: '1' } };

async function openEras(url: string): Promise<readonly (() => Promise<RawAnswer>)[]> {
  const { headers } = await sendHttp(url, { body: initializeMessage() });
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call' };
  return [
    () => sendHttp(url, { headers: session, body: { ...call, params: PARAMS } }),
    () =>
      sendHttp(url, {
        headers: modernHeaders('tools/call', PARAMS.name),
        body: { ...call, params: { ...PARAMS, _meta: MODERN_META } },
      }),
  ];
}

const readiness = async (live: LiveGateway) => {
  const { status, json } = await sendHttp(new URL('/readyz', live.url).href, { method: 'GET' });
  return { status, operations: json.operations as number };
};

describe.each(MODES)('the first call of a tool that is passed through, in %j', (endpoint) => {
  it('waits for the catalog of a server that has just connected, which is not ready before', async () => {
    await using live = await openLiveGateway({ endpoint, mcpServers: { shop: SERVER } }, {}, { settled: false });
    const eras = await openEras(live.url);
    await untilConnected(live, 'shop');
    expect(live.gateway.status().ready).toBe(false);
    const answers = await Promise.all(eras.map((send) => send()));
    for (const { text } of answers) expect(text).toContain('GOT');
    expect(await readiness(live)).toMatchObject({ status: 200 });
    expect((await readiness(live)).operations).toBeGreaterThan(1500);
  });

  it('waits for the catalog of a server that a reload has added, while calls of others are served', async () => {
    await using live = await openLiveGateway({ endpoint, mcpServers: { few: FEW } });
    const eras = await openEras(live.url);
    const reloaded = live.reload({ endpoint, mcpServers: { few: FEW, shop: SERVER } });
    while (!live.gateway.status().upstreams.some(({ slug }) => slug === 'shop')) await nextTurn();
    await untilConnected(live, 'shop');
    const answers = await Promise.all(eras.map((send) => send()));
    for (const { text } of answers) expect(text).toContain('GOT');
    await reloaded;
  });
});
