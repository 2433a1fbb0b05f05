import { afterEach, expect, it, vi } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

it('refuses to be a server of its own over HTTP, and says what to remove', async () => {
  await using gateway = await hostGateway({ mcpServers: {} });
  await gateway.reload({ mcpServers: { self: { url: gateway.url } } });
  const problem = await vi.waitFor(() => {
    const [self] = gateway.gateway.status().upstreams;
    expect(JSON.stringify(self)).toContain('this gateway is a server of its own');
    return JSON.stringify(self);
  }, 20_000);
  expect(problem).toContain("Remove the entry of 'mcpServers' whose command starts mcp-aql-gateway");
});

it('tells a server that it starts which gateways led to it', async () => {
  const tools = `{ get_chain: { tool: { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: process.env.MCP_AQL_GATEWAY_CHAIN }] }) } }`;
  vi.stubEnv('MCP_AQL_GATEWAY_CHAIN', 'outer');
  vi.resetModules();
  const { OWN_CHAIN, OWN_DEPTH } = await import('../../src/base/protocol/gateway-chain.js');
  expect([OWN_CHAIN, OWN_DEPTH]).toEqual([expect.stringMatching(/^outer,[0-9a-f-]{36}$/), 1]);
  const { hostGateway: hostInner } = await import('../support/hosted-gateway.js');
  await using gateway = await hostInner({ endpoint: { mode: 'single' }, mcpServers: { one: inlineServer(tools) } });
  const { connectClient } = await import('../support/mcp-client.js');
  await using client = await connectClient(gateway.url);
  expect((await client.call('mcp_aql', 'get_chain')).data).toBe(OWN_CHAIN);
});

it('does not start where two gateways have started one another before it', async () => {
  vi.stubEnv('MCP_AQL_GATEWAY_CHAIN', 'first,second');
  vi.resetModules();
  const { hostGateway: hostInner } = await import('../support/hosted-gateway.js');
  await expect(hostInner({ mcpServers: {} })).rejects.toThrow(/start one another without end\. Remove the entry/);
});
