import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodsServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { waitFor } from '../support/patience.js';

const LISTS = `
  'resources/list': () => ({ resources: [{ uri: 'desk://1', name: 'one' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),`;
const TOOL = (name: string) =>
  `{ name: '${name}', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }`;
const server = (tool: string) =>
  methodsServer(`{
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, ${LISTS}
    'tools/list': () => ({ tools: [${TOOL(tool)}] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'fine' }] }),
  }`);

/** Never answers the handshake. */
const STARTING = methodsServer('{ initialize: () => new Promise(() => {}) }');
const GONE = { command: 'no-such-program' };

const SERVERS = {
  desk: server('get_ok'),
  shelf: server('get_book'),
  billing: STARTING,
  crm: GONE,
  off: { ...GONE, disabled: true },
};
const NAMES_BOTH = /'billing' \(starting\).*'crm' \(.*Before you conclude there is none: /;

let live: LiveGateway;
let client: Client;

beforeAll(async () => {
  const config = {
    mcpServers: SERVERS,
    programs: { enabled: true },
    views: { part: { upstreams: ['desk', 'shelf'], mode: 'single' } },
  };
  live = await openLiveGateway(config, {}, { settled: false });
  client = await live.connect('http', 'legacy');
  const countReady = () => live.gateway.status().upstreams.filter(({ state }) => state === 'ready').length;
  await waitFor(() => expect(countReady()).toBe(2));
});
afterAll(() => live?.[Symbol.asyncDispose]());

/** The words of an answer, whatever kind it is. */
async function wordsOf(answering: Promise<unknown>): Promise<string> {
  return answering.then(
    (answer) => JSON.stringify(answer),
    (error: Error) => error.message,
  );
}

describe('an answer that something does not exist, while servers are starting or down', () => {
  it.each([
    ['an unknown operation', 'get_invoices', {}],
    ['an operation qualified with no server', 'sales__get_invoices', {}],
    ['a name that introspection does not know', 'introspect', { query: 'operations', name: 'get_invoices' }],
    ['a search that nothing fits', 'introspect', { query: 'operations', search: 'invoices of a customer' }],
    ['a filter that nothing passes', 'introspect', { query: 'operations', category: 'DELETE' }],
    ['an unknown prompt', 'get_prompt', { name: 'dun' }],
    ['an unknown resource', 'read_resource', { uri: 'bill://1' }],
    ['a completion of an unknown prompt', 'complete', { prompt: 'dun', argument: 'a', value: '' }],
    ['a server that has no resources so far', 'read_resource', { uri: 'bill://1', upstream: 'billing' }],
  ])('names them: %s', async (_kind, operation, params) => {
    expect(await wordsOf(live.call(client, operation, params))).toMatch(NAMES_BOTH);
  });

  it('names none that is disabled', async () => {
    expect(await wordsOf(live.call(client, 'get_invoices'))).not.toContain("'off'");
  });

  it('holds them in its details, with when to ask again', async () => {
    const { error } = await live.call(client, 'get_invoices');
    expect(error).toMatchObject({
      code: 'NOT_FOUND_OPERATION',
      details: {
        unavailable: [
          { upstream: 'billing', state: 'starting', retry_after_ms: 0 },
          { upstream: 'crm', retry_after_ms: expect.any(Number) },
        ],
      },
    });
  });

  it('names them in an item of a batch, and in a program', async () => {
    const batch = client.callTool({
      name: 'mcp_aql',
      arguments: { operations: [{ operation: 'get_ok' }, { operation: 'get_invoices' }] },
    });
    expect(await wordsOf(batch)).toMatch(NAMES_BOTH);
    const code = "try { return await aql.call('get_invoices', {}); } catch (error) { return error.message; }";
    expect(await wordsOf(live.call(client, 'run_program', { code }))).toMatch(NAMES_BOTH);
  });

  it("names them in MCP's own methods", async () => {
    const modern = await live.connect('http', 'modern');
    for (const each of [client, modern]) {
      expect(await wordsOf(each.readResource({ uri: 'bill://1' }))).toMatch(NAMES_BOTH);
      expect(await wordsOf(each.getPrompt({ name: 'dun' }))).toMatch(NAMES_BOTH);
      const argument = { name: 'a', value: '' };
      expect(await wordsOf(each.complete({ ref: { type: 'ref/prompt', name: 'dun' }, argument }))).toMatch(NAMES_BOTH);
    }
  });

  it('names none in a view that does not have them', async () => {
    const inView = await live.connect('http', 'legacy', undefined, 'part');
    for (const [operation, params] of [
      ['get_invoices', {}],
      ['introspect', { query: 'operations', search: 'invoices of a customer' }],
      ['get_prompt', { name: 'dun' }],
    ] as const)
      expect(await wordsOf(live.call(inView, operation, params))).not.toMatch(/billing|crm/);
  });
});

describe('a tool that is not there while servers are starting or down, where tools are passed through', () => {
  it('is refused with their names, also for a batch and for a name that is qualified', async () => {
    const config = { endpoint: { mode: 'passthrough' }, mcpServers: SERVERS };
    await using passing = await openLiveGateway(config, {}, { settled: false });
    const own = await passing.connect('http', 'legacy');
    expect(await wordsOf(own.callTool({ name: 'get_invoices' }))).toMatch(NAMES_BOTH);
    const batch = { operations: [{ operation: 'get_ok' }] };
    expect(await wordsOf(own.callTool({ name: 'send_all', arguments: batch }))).toMatch(NAMES_BOTH);
    expect(await wordsOf(own.callTool({ name: 'billing__get_invoices' }))).toContain("'billing' is still starting");
  });
});

describe('a server that is killed after it was known', () => {
  it('is named where something does not exist, until it is back', async () => {
    const dies = methodsServer(
      `{
      initialize: () => require('node:fs').existsSync('gone') ? process.exit(1)
        : { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'd', version: '1' } },
      'tools/list': () => ({ tools: [${TOOL('get_end')}] }),
      'tools/call': () => { require('node:fs').writeFileSync('gone', ''); process.exit(1); },
    }`.replaceAll('require(', 'process.getBuiltinModule('),
    );
    await using own = await openLiveGateway({ mcpServers: { desk: server('get_ok'), dies } });
    const one = await own.connect('http', 'legacy');
    expect(await wordsOf(own.call(one, 'get_rows'))).not.toContain('Unavailable');
    await own.call(one, 'get_end');
    await expect.poll(() => wordsOf(own.call(one, 'get_rows'))).toMatch(/Unavailable now, and may have it: 'dies' \(/);
  });
});
