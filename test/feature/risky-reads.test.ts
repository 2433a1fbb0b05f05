import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const TOOLS = `{
  take_snapshot: {
    tool: {
      description: 'Get a snapshot of the page.',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { filename: { type: 'string', description: 'Save the snapshot to this file' } } },
    },
    run: (args) => ({ content: [{ type: 'text', text: 'saved ' + JSON.stringify(args) }] }),
  },
}`;

it.each([
  ['semantic', 'mcp_aql_execute'],
  ['single', 'mcp_aql'],
])('a read that writes a file runs once it is confirmed (mode %s)', async (mode, tool) => {
  await using gateway = await hostGateway({ endpoint: { mode }, mcpServers: { page: inlineServer(TOOLS) } });
  await using client = await connectClient(gateway.url);
  const answer = await client.callConfirmed(tool, 'take_snapshot', { filename: 'a.txt' });
  expect(answer).toMatchObject({ success: true, data: 'saved {"filename":"a.txt"}' });
});
