import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { waitFor } from '../support/patience.js';

// Tests that load modules anew stand last: a process is known by what one of them holds. Other files of the worker get neither.
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => void vi.resetModules());

it('refuses to be a server of its own over HTTP, and says what to remove', async () => {
  await using gateway = await hostGateway({ mcpServers: {} });
  await gateway.reload({ mcpServers: { self: { url: gateway.url } } });
  const problem = await waitFor(() => {
    const [self] = gateway.gateway.status().upstreams;
    expect(JSON.stringify(self)).toContain('this gateway is a server of its own');
    return JSON.stringify(self);
  });
  expect(problem).toContain("Remove the entry of 'mcpServers' whose command starts mcp-aql-gateway");
});

it('refuses to be a server of its own behind a bridge that passes on what is said, and no header', async () => {
  await using gateway = await hostGateway({ mcpServers: {} });
  const bridge = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      /^(?:content-type|accept|mcp-(?!aql).*)$/.test(name) ? [[name, String(value)] as const] : [],
    );
    const body = method === 'POST' ? await text(request) : undefined;
    const answer = await fetch(gateway.url, { method, headers: Object.fromEntries(kept), ...(body && { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void bridge.close());
  const url = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}/mcp`;
  await gateway.reload({ mcpServers: { self: { url } } });
  await waitFor(() =>
    expect(JSON.stringify(gateway.gateway.status().upstreams)).toContain('this gateway is a server of its own'),
  );
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
