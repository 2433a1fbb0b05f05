import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const open = `inputSchema: { type: 'object', properties: { connection: { type: 'string' } }, additionalProperties: true }`;
const harbour = inlineServer(`{
  list_boats: { tool: { description: 'Lists boats.', ${open} }, run: () => ({ content: [{ type: 'text', text: 'ran' }] }) },
  find_boats: {
    tool: {
      description: 'Finds boats.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
      annotations: { readOnlyHint: true },
    },
    run: () => ({ content: [{ type: 'text', text: 'ran' }] }),
  },
  query_db: {
    tool: {
      description: 'Runs SQL on PostgreSQL',
      inputSchema: {
        type: 'object',
        properties: {
          connection: { type: 'string' },
          request: { type: 'object', properties: { sql: { type: 'string' } } },
        },
      },
    },
    run: () => ({ content: [{ type: 'text', text: 'ran' }] }),
  },
}`);

const WRITES = [
  { request: { sql: 'DROP TABLE boats' } },
  { batch: ['SELECT 1', 'DELETE FROM boats'] },
  { options: { init: { method: 'DELETE' } } },
  { where: '{"gadroon": "mutation { sink { id } }"}' },
  { argv: ['rm', '-rf', '/srv'] },
  { options: { delete: true } },
];

it('asks before what a reading tool carries that changes something, and does not run it where only reads may', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour } });
  await using client = await connectClient(gateway.url);
  await using reads = await hostGateway({ mcpServers: { harbour }, policy: { readOnly: true } });
  await using reader = await connectClient(reads.url);

  for (const args of WRITES) {
    expect(await client.call('mcp_aql_execute', 'list_boats', { connection: 'c', ...args })).toMatchObject({
      error: { code: 'CONFIRMATION_REQUIRED' },
    });
    expect(await client.call('mcp_aql_read', 'list_boats', { connection: 'c', ...args })).toMatchObject({
      error: { code: 'VALIDATION_ENDPOINT_MISMATCH' },
    });
    for (const tool of ['mcp_aql_read', 'mcp_aql_execute'])
      expect(await reader.call(tool, 'list_boats', { connection: 'c', ...args })).toMatchObject({ success: false });
  }
  expect(await client.call('mcp_aql_read', 'list_boats', { connection: 'c' })).toMatchObject({ success: true });
});

it('runs a nested statement that is proven to read, and asks before any other', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour }, policy: { readOnly: true } });
  await using client = await connectClient(gateway.url);
  const query = (sql: string) => client.call('mcp_aql_execute', 'query_db', { connection: 'c', request: { sql } });

  expect(await query('SELECT * FROM boats')).toMatchObject({ success: true });
  expect(await query('DROP TABLE boats')).toMatchObject({ success: false });
});

it('lets a write that a closed reading tool carries be confirmed, and reads prose as prose', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour } });
  await using client = await connectClient(gateway.url);
  const write = { text: 'DROP TABLE boats; SELECT 1' };
  expect(await client.call('mcp_aql_read', 'find_boats', write)).toMatchObject({
    error: { code: 'VALIDATION_ENDPOINT_MISMATCH' },
  });
  expect(await client.call('mcp_aql_execute', 'find_boats', write)).toMatchObject({
    error: { code: 'CONFIRMATION_REQUIRED' },
  });
  expect(await client.callConfirmed('mcp_aql_execute', 'find_boats', write)).toMatchObject({ success: true });
  for (const text of ['old boats to be removed', 'How do I delete a boat from the list?', 'select a harbour'])
    expect(await client.call('mcp_aql_read', 'find_boats', { text })).toMatchObject({ success: true });
});
