import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';

const db = inlineServer(`{
  runQuery: {
    tool: {
      description: 'Execute a raw SQL query on the SQLite database.',
      inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
    },
    run: () => ({ content: [{ type: 'text', text: 'ran' }] }),
  },
  manageItem: {
    tool: {
      description: 'Manages items',
      inputSchema: {
        type: 'object',
        properties: { method: { type: 'string', enum: ['get', 'create', 'delete'] }, id: { type: 'string' } },
        required: ['method'],
      },
    },
    run: () => ({ content: [{ type: 'text', text: 'ran' }] }),
  },
}`);

/** Calls of the operations that the gateway made of the two tools, and each tool's names as an operator may write them. */
const PARTS = [
  {
    call: ['run_query_read_only', { sql: 'SELECT 1' }],
    names: ['run_query', 'db__run_query', 'run_*y', 'runQuery', 'db__runQuery', 'db__run_quer?'],
  },
  {
    call: ['get_item', { id: '1' }],
    names: ['manage_item', 'db__manage_item', 'manage_*', 'manageItem', 'db__manageItem', 'db__manage*'],
  },
] as const;
const CASES = PARTS.flatMap(({ call, names }) => names.map((name) => ({ operation: call[0], params: call[1], name })));

const configOf = (more: object) => ({ endpoint: { mode: 'single' }, mcpServers: { db }, ...more });
const send = (client: McpClient, { operation, params }: { operation: string; params: object }) =>
  client.call('mcp_aql', operation, { ...params });

it('reaches the parts of a tool with what denies, confirms or counts it, under each of its names', async () => {
  await using gateway = await hostGateway(configOf({}));
  await using client = await connectClient(gateway.url);
  for (const each of CASES) expect(await send(client, each)).toMatchObject({ success: true });

  for (const { name, ...each } of CASES) {
    const match = { operation: name };
    await gateway.reload(configOf({ policy: { rules: [{ match, decision: 'deny' }] } }));
    expect(await send(client, each), `deny ${name}`).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
    await gateway.reload(configOf({ policy: { rules: [{ match, decision: 'confirm', requires: 'human' }] } }));
    expect(await send(client, each), `confirm ${name}`).toMatchObject({ error: { code: 'CONFIRMATION_REQUIRED' } });
    const limit = { name: `of ${name}`, metric: 'requests_per_day', match, hard_stop: 1 };
    await gateway.reload(configOf({ quotas: { limits: [limit] } }));
    expect(await send(client, each), `first within ${name}`).toMatchObject({ success: true });
    expect(await send(client, each), `second within ${name}`).toMatchObject({
      error: { code: 'RATE_LIMIT_QUOTA_EXHAUSTED' },
    });
  }
});

it('counts the parts of a tool on the limit that its server has for the tool', async () => {
  const limited = { ...db, api_limits: [{ scope: 'endpoint', operation: 'run_query', limit: 1, window: 'day' }] };
  await using gateway = await hostGateway({ endpoint: { mode: 'single' }, mcpServers: { db: limited } });
  await using client = await connectClient(gateway.url);
  const read = { operation: 'run_query_read_only', params: { sql: 'SELECT 1' } };
  expect(await send(client, read)).toMatchObject({ success: true });
  expect(await send(client, read)).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
});

it('leaves the parts of a tool out of a view that excludes the tool, and does not let them in with it', async () => {
  const views = (operations: object) => configOf({ views: { some: { operations } } });
  await using gateway = await hostGateway(views({ include: ['*'] }));
  for (const { name, ...each } of CASES) {
    await gateway.reload(views({ exclude: [name] }));
    await using client = await connectClient(`${gateway.url}/some`);
    expect(await send(client, each), `exclude ${name}`).toMatchObject({ success: false });
    // A pattern that the part's own name fits names it, too.
    if (name === 'run_*y') continue;
    await gateway.reload(views({ include: [name] }));
    expect(await send(client, each), `include ${name}`).toMatchObject({ success: false });
  }
});

it('does not reach the parts of a tool with what allows it', async () => {
  const rules = [
    { match: { operation: '*' }, decision: 'allow' },
    { match: { danger: ['safe'] }, decision: 'confirm' },
    { match: { operation: 'run_query' }, decision: 'allow' },
  ];
  await using gateway = await hostGateway(configOf({ policy: { rules } }));
  await using client = await connectClient(gateway.url);
  expect(await send(client, { operation: 'run_query_read_only', params: { sql: 'SELECT 1' } })).toMatchObject({
    error: { code: 'CONFIRMATION_REQUIRED' },
  });
});

it('reaches a tool that is passed through with what names it as its server does', async () => {
  for (const name of ['manageItem', 'manage_item', 'db__manageItem']) {
    const rules = [{ match: { operation: name }, decision: 'deny' }];
    await using gateway = await hostGateway({
      endpoint: { mode: 'passthrough' },
      mcpServers: { db },
      policy: { rules },
    });
    await using client = await connectClient(gateway.url);
    const answer = await client.callTool('manageItem', { method: 'get', id: '1' });
    expect(JSON.stringify(answer), name).toContain('PERMISSION_DENIED');
  }
});
