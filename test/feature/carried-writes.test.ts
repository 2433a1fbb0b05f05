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
  search_boats: {
    tool: {
      description: 'Searches boats.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } }, additionalProperties: true },
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
  for (const text of [
    'old boats to be removed',
    'drop table vs truncate',
    'How do I delete a boat from the list?',
    'select a harbour',
  ])
    expect(await client.call('mcp_aql_read', 'find_boats', { text })).toMatchObject({ success: true });
});

it('takes words that are searched for as words, and code among them as code', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour } });
  await using client = await connectClient(gateway.url);
  for (const query of ['docker delete image', 'git push --force', 'drop table vs truncate', 'rm -rf explained'])
    expect(await client.call('mcp_aql_read', 'search_boats', { query })).toMatchObject({ success: true });
  for (const args of [{ query: 'rm -rf /srv; true' }, { query: 'old', also: 'docker delete image' }])
    expect(await client.call('mcp_aql_execute', 'search_boats', args)).toMatchObject({
      error: { code: 'CONFIRMATION_REQUIRED' },
    });
});

it('asks for no prose that an open reading tool is sent beside what it describes', async () => {
  await using gateway = await hostGateway({ mcpServers: { harbour }, policy: { readOnly: true } });
  await using client = await connectClient(gateway.url);
  const prose = [
    'old boats to be removed (if any)',
    'We need to delete all boats from the list; call Ida first.',
    'Why was the ferry cancelled? "Engine trouble" - or the tide',
    'update: the berth moved to quay 7, see /boats/7 & the notes',
    "the harbour's rules don't allow dropping anchor",
    'time to remove the nets',
  ];
  for (const note of prose)
    expect(await client.call('mcp_aql_read', 'list_boats', { note, about: { lines: [note] } })).toMatchObject({
      success: true,
    });
});
