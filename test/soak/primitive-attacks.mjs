/** Servers with very many or very large resources, templates and prompts, and what clients ask of them. */
import { here, REVISION } from './soak-gateway.mjs';

const call = (operation, params = {}) => ({ operation, params });
const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));
const server = (kind, name) => ({
  command: process.execPath,
  args: [here('primitive-upstream.mjs'), kind, name],
  trust: 'certified',
});

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of MCP itself. @param header what `Mcp-Name` says, where the method has one */
const native = (method, params = {}, header = undefined) => ({
  async run(url) {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(header === undefined ? {} : { 'mcp-name': header }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
    });
    return { answer: await response.text(), code: response.ok ? 'OK' : `HTTP ${response.status}` };
  },
});

const attack = (name, kind, count, requests) => ({
  name,
  tools: [],
  config: { mcpServers: Object.fromEntries(repeat(count, (index) => [`s${index}`, server(kind, `s${index}`)])) },
  settleMs: 500,
  requests,
});

/** Of an entry that no list has, with a place in all of them. */
const LAST = Buffer.from('59999 s5 s5://none').toString('base64url');
const URIS = ['items', 'bytes', 'quotes'].map((what) => `s0://${what}`);

export const PRIMITIVE_ATTACKS = [
  attack('60,000 resources and prompts', 'many', 6, [
    call('list_resources', { first: 5 }),
    call('list_resources', { filter: { name: { contains: '99' } }, sort: '-name', first: 3 }),
    native('resources/list'),
    native('resources/list', { cursor: LAST }),
    repeat(10, () => native('resources/list', { cursor: LAST })),
    native('prompts/list'),
    call('read_resource', { uri: 'x://1' }),
  ]),
  attack('60,000 costly templates', 'costly', 6, [
    call('list_resources', { templates: true, first: 5 }),
    call('read_resource', { uri: 'x://1' }),
    call('read_resource', { uri: `s1://7/${'a'.repeat(8_000)}` }),
    { operations: repeat(50, (index) => call('read_resource', { uri: `s1://7/${'a'.repeat(8_000)}${index}` })) },
  ]),
  attack('large resources and prompts', 'large', 1, [
    ...URIS.flatMap((uri) => [call('read_resource', { uri }), native('resources/read', { uri }, uri)]),
    call('get_prompt', { name: 'ask', arguments: { count: 200_000 } }),
    native('prompts/get', { name: 'ask', arguments: { count: '200000' } }, 'ask'),
  ]),
];
