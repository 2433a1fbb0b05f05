import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';

/** A server whose tool wants another parameter from each call of `change` on; the gateway has read the new list when that call is answered. */
const SERVER = `{
  change: { tool: { annotations: { readOnlyHint: true } }, run: async ({}, server) => {
    const wanted = 'p' + (server.changes = (server.changes ?? 0) + 1);
    const inputSchema = { type: 'object', properties: { [wanted]: { type: 'string' } }, required: [wanted] };
    server.tools = server.tools.map((tool) => (tool.name === 'get_a' ? { ...tool, inputSchema } : tool));
    const listed = server.listed();
    server.send({ method: 'notifications/tools/list_changed' });
    await listed;
    return { content: [{ type: 'text', text: wanted }] };
  } },
  get_a: { tool: { annotations: { readOnlyHint: true } }, run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }) },
}`;

const MODES = [{ mode: 'passthrough', passthrough: true }, { mode: 'single' }];

it.each(MODES)('a call is judged by the definition that has just come, in $mode', async (endpoint) => {
  const notes = inlineServer(SERVER, {
    strict: false,
    operations: { change: { category: 'EXECUTE', danger: 'safe' } },
  });
  await using live = await openLiveGateway({ endpoint, mcpServers: { notes } });
  const client = await live.connect('http', 'modern');
  const call = async (name: string, args: object = {}): Promise<string> => {
    if (endpoint.mode === 'single') return String((await live.call(client, name, { ...args })).data);
    const { content } = await client.callTool({ name, arguments: { ...args } });
    return String((content as readonly { text: string }[])[0]?.text);
  };
  for (let change = 0; change < 5; change += 1) {
    const wanted = await call('change');
    const told = await call('get_a', { [wanted]: 'x' });
    expect(told).not.toContain('CONFLICT');
    expect(told).not.toBe('undefined');
  }
});
