import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const TOOLS = `{
  query: {
    tool: {
      description: 'Execute a raw SQL query on the SQLite database.',
      inputSchema: {
        type: 'object',
        properties: { sql: { type: 'string' }, values: { type: 'array' }, save_as: { type: 'string' } },
        required: ['sql'],
      },
    },
    run: (args) => ({ content: [{ type: 'text', text: 'ran ' + args.sql }] }),
  },
}`;

const shop = inlineServer(TOOLS);
const SELECT = "SELECT plan, sum(amount) FROM invoices WHERE status = 'overdue' GROUP BY plan";

it.each([
  ['semantic', 'mcp_aql_execute', 'mcp_aql_read'],
  ['single', 'mcp_aql', 'mcp_aql'],
])('runs a statement that only reads unasked, and asks for every other one (mode %s)', async (mode, execute, read) => {
  await using gateway = await hostGateway({ endpoint: { mode }, mcpServers: { shop } });
  await using client = await connectClient(gateway.url);

  expect(await client.call(execute, 'query', { sql: SELECT })).toMatchObject({ success: true, data: `ran ${SELECT}` });
  const values = ['Zürich', 5, null, '2026-01-01 10:00'];
  expect(await client.call(read, 'query_read_only', { sql: SELECT, values })).toMatchObject({ success: true });

  for (const params of [
    { sql: 'DELETE FROM invoices' },
    { sql: SELECT, save_as: 'x' },
    { sql: `${SELECT} LIMIT :n`, values: ['1; DROP TABLE t'] },
  ]) {
    expect(await client.call(execute, 'query', params)).toMatchObject({ error: { code: 'CONFIRMATION_REQUIRED' } });
  }
  expect(await client.call(read, 'query_read_only', { sql: 'SELECT 1; DELETE FROM invoices' })).toMatchObject({
    error: {
      code: 'VALIDATION_INVALID_VALUE',
      message: `Operation 'query_read_only' runs only statements proven to be reads, and this one is not: 'delete' (character 11) is not part of a plain read. Call 'query' via '${execute}' to run it all the same`,
      details: {
        param_name: 'sql',
        expected_tool: execute,
        example: { tool: execute, arguments: { operation: 'query' } },
      },
    },
  });
  if (read !== execute)
    expect(await client.call(read, 'query', { sql: SELECT })).toMatchObject({
      error: {
        code: 'VALIDATION_ENDPOINT_MISMATCH',
        message: `Operation 'query' must be called via '${execute}', not '${read}'. A read-only statement runs as 'query_read_only' via '${read}'`,
      },
    });
  expect(await client.call(read, 'query_read_only', { sql: SELECT, save_as: 'x' })).toMatchObject({
    error: { code: 'VALIDATION_INVALID_VALUE' },
  });
});

const GRAPH = `{
  run_cypher: {
    tool: {
      description: 'Executes a Cypher query against the Neo4j database',
      inputSchema: { type: 'object', properties: { query: { type: 'string' }, params: { type: 'object' } }, required: ['query'] },
    },
    run: (args) => ({ content: [{ type: 'text', text: 'ran ' + args.query }] }),
  },
}`;
const DOCUMENTS = `{
  run_command: {
    tool: {
      description: 'Runs a MongoDB command',
      inputSchema: { type: 'object', properties: { database: { type: 'string' }, command: { type: 'object' } }, required: ['command'] },
    },
    run: (args) => ({ content: [{ type: 'text', text: 'ran ' + JSON.stringify(args.command) }] }),
  },
}`;

it.each([
  ['run_cypher', { query: 'MATCH (n:Person) RETURN n.name' }],
  ['run_command', { command: { find: 'orders', filter: { open: true } } }],
])('asks for every statement of a language that it cannot read: %s', async (operation, args) => {
  const mcpServers = { graph: inlineServer(GRAPH), documents: inlineServer(DOCUMENTS) };
  await using gateway = await hostGateway({ mcpServers });
  await using client = await connectClient(gateway.url);
  expect(await client.call('mcp_aql_execute', operation, args)).toMatchObject({
    error: { code: 'CONFIRMATION_REQUIRED' },
  });
  expect(await client.call('mcp_aql_read', `${operation}_read_only`, args)).toMatchObject({ success: false });
});

it('says in introspection which operation only reads, and that the other one lets reads pass', async () => {
  await using gateway = await hostGateway({ mcpServers: { shop } });
  await using client = await connectClient(gateway.url);
  const list = await client.call('mcp_aql_read', 'introspect', { query: 'operations', upstream: 'shop' });
  const operations: readonly Record<string, string>[] = list.data.operations;
  const described = new Map(
    operations.map(({ name = '', endpoint, description }) => [name, `${endpoint}: ${description}`]),
  );
  expect(described.get('query')).toMatch(
    /^execute: .*\[destructive: needs confirmation, but read-only statements run as READ\]$/,
  );
  expect(described.get('query_read_only')).toMatch(/^read: .*Only reads: one statement \(the SQL of SQLite\)/);
});

it('shows an example that it runs', async () => {
  await using gateway = await hostGateway({ mcpServers: { shop } });
  await using client = await connectClient(gateway.url);
  const details = await client.call('mcp_aql_read', 'introspect', { query: 'operations', name: 'query_read_only' });
  const [{ request }] = details.data.operation.examples;
  expect(await client.call('mcp_aql_read', request.operation, request.params)).toMatchObject({ success: true });
});

it('changes nothing where the operator switches it off, declares the operation, or does not trust the server', async () => {
  await using gateway = await hostGateway({
    mcpServers: {
      shop: { ...shop, readOnlyStatements: false },
      own: { ...shop, operations: { query: { danger: 'destructive' } } },
      far: { ...shop, trust: 'untested' },
    },
  });
  await using client = await connectClient(gateway.url);
  for (const [upstream, code] of [
    ['shop', 'CONFIRMATION_REQUIRED'],
    ['own', 'CONFIRMATION_REQUIRED'],
    ['far', 'PERMISSION_DANGER_LEVEL_DENIED'],
  ] as const) {
    const answer = await client.call('mcp_aql_execute', `${upstream}__query`, { sql: SELECT });
    expect(answer).toMatchObject({ error: { code } });
    const missing = await client.call('mcp_aql_read', `${upstream}__query_read_only`, { sql: SELECT });
    expect(missing).toMatchObject({ error: { code: 'NOT_FOUND_OPERATION' } });
  }
});

it("keeps an operator's rules above the proof", async () => {
  await using gateway = await hostGateway({
    mcpServers: { shop },
    policy: { rules: [{ match: { operation: 'query*' }, decision: 'deny' }] },
  });
  await using client = await connectClient(gateway.url);
  for (const [tool, operation] of [
    ['mcp_aql_execute', 'query'],
    ['mcp_aql_read', 'query_read_only'],
  ] as const)
    expect(await client.call(tool, operation, { sql: SELECT })).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
});

const RUN_SQL = `
  run_sql: {
    tool: {
      description: 'Execute a raw SQL query.',
      inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
    },
    run: () => ({ isError: true, content: [{ type: 'text', text: 'ERROR:  relation "invoices" does not exist' }] }),
  },`;
const LIST_TABLES = `
  list_tables: {
    tool: { description: 'Lists the tables of the MariaDB database.', inputSchema: { type: 'object' } },
    run: () => ({ content: [] }),
  },`;

it('says later which SQL a server speaks whose texts do not say so, once a failed statement has told it', async () => {
  const mcpServers = { books: inlineServer(`{${RUN_SQL}}`), other: inlineServer(`{${RUN_SQL}${LIST_TABLES}}`) };
  await using gateway = await hostGateway({ mcpServers });
  await using client = await connectClient(gateway.url);
  const describe = async (name: string): Promise<string> =>
    JSON.stringify(await client.call('mcp_aql_read', 'introspect', { query: 'operations', name }));

  expect(await describe('books__run_sql')).toContain('does not say which SQL it speaks');
  expect(await client.call('mcp_aql_read', 'books__run_sql_read_only', { sql: SELECT })).toMatchObject({
    error: { details: { speaks: 'the SQL of PostgreSQL' } },
  });

  for (const name of ['books__run_sql', 'books__run_sql_read_only']) {
    expect(await describe(name)).toContain("Speaks the SQL of PostgreSQL, as its server's answers say.");
  }
  expect(await describe('other__run_sql')).toContain("Speaks the SQL of MariaDB, as its server's texts say.");
});
