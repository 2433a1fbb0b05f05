import { expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { readJournals } from '../support/read-journals.js';

it('where all calls are on record, so is one whose name was guessed, without its values', async () => {
  await using gateway = await hostGateway({
    audit: { calls: 'all', sync: true },
    mcpServers: { demo: behaviourServer() },
  });
  await using client = await connectClient(gateway.url);
  const guessed = { password: 'hunter2' };
  await client.call('mcp_aql_read', 'list_everything', guessed);
  await expect(client.callTool('mcp_aql_raed', { operation: 7 })).rejects.toThrow('mcp_aql_raed');
  const records = await readJournals(gateway.directory);
  expect(records.filter(({ type }) => type === 'call')).toMatchObject([
    { operation: 'list_everything', code: 'NOT_FOUND_OPERATION', actor: { request: expect.any(String) } },
    { operation: 'mcp_aql_raed', code: expect.stringMatching(/^[A-Z_]+$/) },
  ]);
  expect(JSON.stringify(records)).not.toContain(guessed.password);
});
