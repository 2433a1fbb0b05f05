import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';

const text = "({ content: [{ type: 'text', text: 'ran' }] })";
const tool = (properties: string, more = '') =>
  `{ tool: { inputSchema: { type: 'object', properties: ${properties} }${more} }, run: () => ${text} }`;
const NOTES = inlineServer(`{
  get_note: ${tool('{}', ', annotations: { readOnlyHint: true }')},
  list_notes: ${tool('{}', ', annotations: { readOnlyHint: true }')},
  delete_note: ${tool('{}')},
  manage_label: ${tool("{ action: { enum: ['list', 'create', 'delete'] } }")},
}`);

const SHOWN = { endpoint: { mode: 'passthrough' } };

async function connect({ url }: { readonly url: string }, view = '') {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${view}`)));
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const namesIn = async (gateway: HostedGateway, view?: string) => {
  await using session = await connect(gateway, view);
  return await session.names();
};

describe('tools that are passed through are not listed', () => {
  it('where the trust in their server lets none of their calls run, until a rule or the trust lets one', async () => {
    const of = (trust: string, ...rules: object[]) => ({
      ...SHOWN,
      policy: { rules },
      mcpServers: { notes: { ...NOTES, trust } },
    });
    const byName = { match: { operation: 'notes__get_note' }, decision: 'allow' };
    const byParameter = { match: { operation: 'notes__get_note', params: { id: { equals: '1' } } }, decision: 'allow' };
    await using gateway = await hostGateway(of('untested'));
    const expectNames = (...names: string[]) => expect.poll(() => namesIn(gateway)).toEqual(names);
    await expectNames();
    await gateway.reload(of('untested', byName));
    await expectNames('get_note');
    await gateway.reload(of('untested', byParameter));
    await expectNames('get_note');
    await gateway.reload(of('generated'));
    await expectNames('get_note', 'list_notes', 'manage_label');
    await gateway.reload(of('validated'));
    await expectNames('delete_note', 'get_note', 'list_notes', 'manage_label');
  });

  it('where a rule or the switch for reading refuses them, and a choice of a grouped tool with them', async () => {
    const rules = [{ match: { category: 'DELETE' }, decision: 'deny', reason: 'Nothing is deleted here' }];
    await using gateway = await hostGateway({ ...SHOWN, policy: { rules }, mcpServers: { notes: NOTES } });
    await using session = await connect(gateway);
    expect(await session.names()).toEqual(['get_note', 'list_notes', 'manage_label']);
    const { tools } = await session.client.listTools();
    const label = tools.find(({ name }) => name === 'manage_label')?.inputSchema.properties?.['action'];
    expect(label).toEqual({ enum: ['create', 'list'] });
    // Who knows the name is told why.
    for (const call of [{ name: 'delete_note' }, { name: 'manage_label', arguments: { action: 'delete' } }]) {
      const { content, isError } = await session.client.callTool(call);
      expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('Nothing is deleted here')]);
    }
    await gateway.reload({ ...SHOWN, policy: { readOnly: true }, mcpServers: { notes: NOTES } });
    await expect.poll(session.names).toEqual(['get_note', 'list_notes', 'manage_label']);
  });

  it('in a view alone where a rule is of that view, and clients of before are told of the change', async () => {
    const config = (...rules: object[]) => ({
      ...SHOWN,
      views: { quiet: {}, loud: {} },
      policy: { rules },
      mcpServers: { notes: NOTES },
    });
    await using gateway = await hostGateway(config());
    await using quiet = await connect(gateway, '/quiet');
    expect(await quiet.names()).toHaveLength(4);
    const told = new Promise<void>((resolve) => {
      quiet.client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    await gateway.reload(config({ match: { view: 'quiet', operation: '*_note' }, decision: 'deny' }));
    await told;
    expect(await quiet.names()).toEqual(['list_notes', 'manage_label']);
    expect(await namesIn(gateway, '/loud')).toHaveLength(4);
  });
});

it.each(['semantic', 'single'] as const)(
  'names nothing that policy refuses always where operations are offered (mode %s)',
  async (mode) => {
    const mcpServers = { notes: { ...NOTES, trust: 'untested' }, files: inlineServer(`{ read_file: ${tool('{}')} }`) };
    await using gateway = await hostGateway({ endpoint: { mode }, mcpServers });
    await using session = await connect(gateway);
    const { tools } = await session.client.listTools();
    const descriptions = tools.map(({ description }) => description).join('\n');
    expect(descriptions).toMatch(/read_file/);
    expect(descriptions).not.toMatch(/_notes?\b|label/);
    const name = mode === 'single' ? 'mcp_aql' : 'mcp_aql_read';
    const introspect = async (params: object) =>
      JSON.stringify(await session.client.callTool({ name, arguments: { operation: 'introspect', params } }));
    const map = await introspect({ query: 'upstreams' });
    expect(map).toMatch(/read_file/);
    expect(map).not.toMatch(/get_note|list_notes|delete_note/);
    expect(await introspect({ query: 'operations', name: 'get_note' })).toMatch(/\[safe: denied\]/);
    expect(await introspect({ query: 'operations', search: 'list notes' })).toMatch(/\[safe: denied\]/);
  },
);
