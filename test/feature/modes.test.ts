import { describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';

const SERVERS = {
  mcpServers: {
    behaviour: {
      ...behaviourServer(),
      operations: {
        '*': { category: 'EXECUTE', danger: 'safe' },
        echo: { category: 'READ' },
        add_tool: { category: 'CREATE' },
      },
    },
  },
};

describe('the endpoint', () => {
  it('has five tools in semantic mode, each of which reaches only its own family', async () => {
    await using gateway = await serveGateway(SERVERS);
    await using client = await connectClient(gateway.url);
    expect(await client.call('mcp_aql_read', 'echo', {})).toMatchObject({ success: true });
    expect(await client.call('mcp_aql_execute', 'echo', {})).toMatchObject({
      error: {
        code: 'VALIDATION_ENDPOINT_MISMATCH',
        details: { expected_endpoint: 'read', expected_tool: 'mcp_aql_read' },
      },
    });
  });

  it('has one tool in single mode, which reaches everything', async () => {
    await using gateway = await serveGateway(SERVERS, { env: { MCP_AQL_ENDPOINT_MODE: 'single' } });
    await using client = await connectClient(gateway.url);
    expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(['mcp_aql']);
    for (const operation of ['echo', 'counter']) {
      expect(await client.call('mcp_aql', operation)).toMatchObject({ success: true });
    }
    const { data } = await client.call('mcp_aql', 'introspect', { query: 'operations', name: 'echo' });
    expect(data.operation).toMatchObject({ endpoint: 'read', mcpTool: 'mcp_aql' });
  });

  it('has both kinds of tools in mode all, and introspection names the tool of the family', async () => {
    await using gateway = await serveGateway(SERVERS, { args: ['--mode', 'all'] });
    await using client = await connectClient(gateway.url);
    expect((await client.client.listTools()).tools).toHaveLength(6);
    expect(await client.call('mcp_aql', 'counter')).toMatchObject({ success: true });
    expect(await client.call('mcp_aql_execute', 'counter')).toMatchObject({ success: true });
    expect(await client.call('mcp_aql_read', 'counter')).toMatchObject({ success: false });
  });

  it('takes profile and prefix from flags before the environment', async () => {
    const env = { MCP_AQL_ENDPOINT_PROFILE: 'device', MCP_AQL_TOOL_PREFIX: 'lab_' };
    await using gateway = await serveGateway(SERVERS, { env, args: ['--profile', 'intent'] });
    await using client = await connectClient(gateway.url);
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['lab_discover', 'lab_query', 'lab_manage', 'lab_operate']);
    expect(await client.call('lab_operate', 'counter')).toMatchObject({ success: true });
    const { data } = await client.call('lab_discover', 'introspect', { query: 'operations', name: 'introspect' });
    expect(data.operation).toMatchObject({ endpoint: 'discover', mcpTool: 'lab_discover' });
  });
});

describe('the wire surface without upstreams', () => {
  it.each(['semantic', 'single'])('has the pinned tools in mode %s', async (mode) => {
    await using gateway = await serveGateway({ endpoint: { mode } });
    await using client = await connectClient(gateway.url, 'legacy');
    const { tools } = await client.client.listTools();
    await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot(`../pins/tools-${mode}.json`);
  });

  it('has the pinned answer of introspect about itself', async () => {
    await using gateway = await serveGateway({});
    await using client = await connectClient(gateway.url, 'legacy');
    const { raw: _raw, ...listed } = await client.introspect({ query: 'operations' });
    const { raw: _other, ...explained } = await client.introspect({ query: 'operations', name: 'introspect' });
    const whole = `${JSON.stringify({ listed, explained }, null, 2)}\n`;
    const text = whole.replace(/"session_id": "[\w-]+"/, '"session_id": "(of this session)"');
    await expect(text).toMatchFileSnapshot('../pins/introspect.json');
  });
});

it('names the profile and the session, and gives the same session with each failure', async () => {
  await using gateway = await serveGateway({ endpoint: { profile: 'intent' } });
  await using client = await connectClient(gateway.url, 'legacy');
  const { data } = await client.introspect({ query: 'operations' });
  expect(data._protocol).toMatchObject({ profile: 'intent', session_id: expect.any(String) });
  const { raw } = await client.call('mcp_aql_discover', 'nothing_of_the_kind');
  expect(raw['_meta']).toMatchObject({ 'mcp-aql/session_id': data._protocol.session_id });
});

it('notifies connected clients when an upstream changes its tool list', async () => {
  await using gateway = await serveGateway(SERVERS);
  await using client = await connectClient(gateway.url, 'legacy');
  const changed = new Promise<void>((resolve) => {
    client.client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  expect(await client.call('mcp_aql_create', 'add_tool', { name: 'fetch_the_news' })).toMatchObject({ success: true });
  await changed;
  expect((await client.introspect({ query: 'operations', name: 'fetch_the_news' })).data.operation).not.toBeNull();
});
