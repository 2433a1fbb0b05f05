import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a gateway with faulty upstreams', () => {
  let gateway: ServedGateway;
  let client: McpClient;

  beforeAll(async () => {
    gateway = await serveGateway({
      mcpServers: {
        good: behaviourServer(),
        noisy: behaviourServer('--noise'),
        off_spec: behaviourServer('--off-spec'),
        absent: { command: 'no-such-command-anywhere' },
        exits: behaviourServer('--exit-at-once', '7'),
        hangs: { ...behaviourServer('--hang', 'initialize'), connectTimeoutMs: 1_500 },
        unreachable: { url: `http://127.0.0.1:${await freePort()}/mcp` },
        switched_off: { command: 'whatever', disabled: true },
      },
    });
    client = await connectClient(gateway.url);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  const stateOf = (name: string) => gateway.report.status.upstreams.find((upstream) => upstream.name === name);

  it.each(['good', 'noisy', 'off_spec'])('connects %s', (name) => {
    expect(stateOf(name)?.state).toBe('ready');
  });

  it.each([
    ['absent', /no-such-command-anywhere.*not found/],
    ['exits', /exited with code 7.*API_KEY is not set/],
    ['hangs', /no answer to 'initialize' within [\d.]+ s/],
    ['unreachable', /refused/],
  ])('waits for %s and explains the reason', (name, words) => {
    expect(stateOf(name)?.state).toBe('waiting');
    expect(stateOf(name)?.problem).toMatch(words);
  });

  it('leaves out disabled upstreams without a message', () => {
    expect(stateOf('switched_off')).toMatchObject({ state: 'disabled' });
    expect(stateOf('switched_off')?.problem).toBeUndefined();
  });

  it('serves the other upstreams', async () => {
    expect(await client.call('mcp_aql_read', 'good__echo', {})).toMatchObject({ success: true });
    const answer = await fetch(gateway.url.replace('/mcp', '/readyz'));
    expect(answer.status).toBe(200);
  });

  it('logs the noise of an upstream and serves it', async () => {
    expect(await client.call('mcp_aql_read', 'noisy__structured', {})).toMatchObject({
      success: true,
      data: { answer: 42 },
    });
    expect(gateway.stderr()).toContain('not MCP');
  });
});
