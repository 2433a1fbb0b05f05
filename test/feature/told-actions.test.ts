import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const harbour = inlineServer(`{
  berths: {
    tool: {
      description: 'Actions for berths.',
      inputSchema: {
        type: 'object',
        properties: { action: { type: 'string' }, parameters: { type: 'object' } },
        required: ['action'],
      },
    },
    run: (args) => ({ content: [{ type: 'text', text: 'ran ' + args.action }] }),
  },
}`);
const call = (action: string) => ({ action, parameters: { id: 1 } });

it('runs an action that reads at once through the tool for reads, and asks for one that removes or is not known', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour } });
  await using client = await connectClient(gateway.url);

  for (const action of ['list', 'berth_get', 'describe']) {
    const ran = { success: true, data: `ran ${action}` };
    expect(await client.call('mcp_aql_read', 'berths', call(action))).toMatchObject(ran);
    expect(await client.call('mcp_aql_execute', 'berths', call(action))).toMatchObject(ran);
  }
  expect(await client.call('mcp_aql_execute', 'berths', call('berth_create'))).toMatchObject({ success: true });
  for (const action of ['berth_delete', 'purge_all', 'zorp'])
    expect(await client.call('mcp_aql_execute', 'berths', call(action))).toMatchObject({
      error: { code: 'CONFIRMATION_REQUIRED' },
    });
  expect(await client.call('mcp_aql_read', 'berths', call('berth_delete'))).toMatchObject({
    error: { code: 'VALIDATION_ENDPOINT_MISMATCH' },
  });
});

it('lets a read-only gateway run only the actions that are understood to read', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour }, policy: { readOnly: true } });
  await using client = await connectClient(gateway.url);

  expect(await client.call('mcp_aql_read', 'berths', call('list'))).toMatchObject({ success: true });
  for (const action of ['berth_create', 'berth_delete', 'zorp'])
    expect(await client.call('mcp_aql_execute', 'berths', call(action))).toMatchObject({ success: false });
});
