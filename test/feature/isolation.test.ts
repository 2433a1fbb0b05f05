import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.js';
import { browserServer } from '../support/browser-server.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';
import { isAlive } from '../unit/upstream/opened-pool.js';

function serveBrowser(server: object, more: object = {}): Promise<ServedGateway> {
  return serveGateway({ endpoint: { mode: 'single' }, mcpServers: { browser: browserServer(server) }, ...more });
}

async function ask({ callConfirmed }: McpClient, operation: string, params: JsonObject = {}): Promise<JsonObject> {
  const { data, error } = await callConfirmed('mcp_aql', operation, params);
  if (error !== undefined) throw new Error(error.message);
  return data;
}

async function pidOf(client: McpClient): Promise<number> {
  return Number((await ask(client, 'browser_process'))['pid']);
}

async function readState(gateway: ServedGateway): Promise<unknown> {
  const { status, upstreams } = (await (await fetch(new URL('/readyz', gateway.url))).json()) as JsonObject;
  return { status, upstreams };
}

describe('a server that keeps its state in its process', () => {
  it('gives each session a browser of its own, whose cached answers are its own, too', async () => {
    // That it is a browser is seen in its tools.
    await using gateway = await serveBrowser({
      operations: { browser_snapshot: { cache: { ttlSeconds: 600 } } },
    });
    await using anna = await connectClient(gateway.url, 'legacy');
    await using bert = await connectClient(gateway.url, 'legacy');
    await ask(anna, 'browser_navigate', { url: 'https://anna.example' });
    await ask(bert, 'browser_navigate', { url: 'https://bert.example' });
    for (const [client, page] of [
      [anna, 'https://anna.example'],
      [bert, 'https://bert.example'],
      [anna, 'https://anna.example'],
    ] as const)
      expect(await ask(client, 'browser_snapshot')).toMatchObject({ page, history: [page] });
  });

  it('is ended with the session that it belongs to, and dormant when there is none', async () => {
    await using gateway = await serveBrowser({ isolation: 'session' });
    await using anna = await connectClient(gateway.url, 'legacy');
    await using bert = await connectClient(gateway.url, 'legacy');
    const [hers, his] = [await pidOf(anna), await pidOf(bert)];
    const endSession = async (client: McpClient): Promise<void> => {
      const transport = client.client.transport;
      if (transport !== undefined && 'terminateSession' in transport)
        await (transport.terminateSession as () => Promise<void>)();
    };
    await endSession(anna);
    await expect.poll(() => isAlive(hers)).toBe(false);
    expect(isAlive(his)).toBe(true);
    expect(await readState(gateway)).toEqual({ status: 'ready', upstreams: [{ name: 'browser', state: 'ready' }] });
    await endSession(bert);
    await expect.poll(() => isAlive(his)).toBe(false);
    expect(await readState(gateway)).toEqual({ status: 'ready', upstreams: [{ name: 'browser', state: 'dormant' }] });

    await using third = await connectClient(gateway.url, 'legacy');
    expect(JSON.stringify(await third.introspect({ query: 'operations' }))).not.toContain('not connected');
    expect(await pidOf(third)).toBeGreaterThan(0);
  });

  it('is ended when a client is gone without a word, after the time that a session may be silent', async () => {
    await using gateway = await serveBrowser({ isolation: 'session' }, { server: { sessionIdleMs: 1_000 } });
    const client = await connectClient(gateway.url);
    const pid = await pidOf(client);
    await client[Symbol.asyncDispose]();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('leaves no process behind when the gateway stops', async () => {
    const pids: number[] = [];
    {
      await using gateway = await serveBrowser({ isolation: 'session', instances: { spare: 1 } });
      await using anna = await connectClient(gateway.url, 'legacy');
      await using bert = await connectClient(gateway.url, 'legacy');
      pids.push(await pidOf(anna), await pidOf(bert));
    }
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('says to the caller that what it left open is gone when its process has ended, once', async () => {
    await using gateway = await serveBrowser({ isolation: 'session' });
    await using anna = await connectClient(gateway.url, 'legacy');
    await ask(anna, 'browser_navigate', { url: 'https://anna.example' });
    process.kill(await pidOf(anna), 'SIGKILL');
    await gateway.logged('connection lost');
    const look = () => anna.call('mcp_aql', 'browser_snapshot');
    const warning = { code: 'SESSION_STATE_LOST_WARNING', details: { upstream: 'browser', reason: 'restarted' } };
    expect(await look()).toMatchObject({ data: { page: 'about:blank' }, warnings: [warning] });
    expect(await look()).not.toHaveProperty('warnings');
  });

  it('refuses a session beyond the bound in one answer', async () => {
    await using gateway = await serveBrowser({ isolation: 'session', instances: { max: 1 } });
    await using anna = await connectClient(gateway.url, 'legacy');
    await using bert = await connectClient(gateway.url, 'legacy');
    await pidOf(anna);
    const { error } = await bert.call('mcp_aql', 'browser_process');
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', details: { reason: 'instances_in_use', max_instances: 1 } });
  });
});
