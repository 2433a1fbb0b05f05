import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { browserServer } from '../support/browser-server.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';
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

/** A server with one resource, which changes after it was read; it then says so, and writes a line of its log. */
const NOTES = `{
  capabilities: { resources: { subscribe: true }, logging: {} },
  'resources/list': () => ({ resources: [{ uri: 'state://own', name: 'own' }] }),
  'resources/read': ({ uri }, { send }) => {
    setImmediate(() => {
      send({ method: 'notifications/resources/updated', params: { uri } });
      for (const level of ['debug', 'warning'])
        send({ method: 'notifications/message', params: { level, logger: 'late', data: process.pid } });
    });
    return { contents: [{ uri, text: String(process.pid) }] };
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'logging/setLevel': () => ({}),
}`;

function serveNotes(instances: object): Promise<ServedGateway> {
  const args = [join(REPOSITORY, 'test/fixtures/servers/methods-server.mjs'), NOTES];
  const notes = { command: process.execPath, args, isolation: 'session', instances };
  return serveGateway({ endpoint: { mode: 'single' }, mcpServers: { notes } });
}

function newsOf({ client }: McpClient) {
  const news = { updates: 0, logs: [] as JsonObject[] };
  client.setNotificationHandler('notifications/resources/updated', () => {
    news.updates += 1;
  });
  client.setNotificationHandler('notifications/message', ({ params }) => void news.logs.push(params));
  return news;
}

async function readOwn({ client }: McpClient): Promise<number> {
  const { contents } = await client.readResource({ uri: 'state://own' });
  return Number(JSON.parse(JSON.stringify(contents))[0].text);
}

describe('what a server says between two calls', () => {
  it('reaches the session alone that owns its connection: changed resources and log messages', async () => {
    await using gateway = await serveNotes({});
    await using anna = await connectClient(gateway.url, 'legacy');
    await using bert = await connectClient(gateway.url, 'legacy');
    const [hers, his] = [newsOf(anna), newsOf(bert)];
    for (const { client } of [anna, bert]) {
      await client.subscribeResource({ uri: 'state://own' });
      await client.setLoggingLevel('warning');
    }
    const pid = await readOwn(anna);
    await expect
      .poll(() => hers)
      .toEqual({ updates: 1, logs: [{ level: 'warning', logger: 'notes/late', data: pid }] });
    expect(await readOwn(bert)).not.toBe(pid);
    await expect.poll(() => [his.updates, his.logs.length]).toEqual([1, 1]);
    expect([hers.updates, hers.logs.length]).toEqual([1, 1]);
  });

  it('keeps the connection of a session that is subscribed, until it is not', async () => {
    await using gateway = await serveNotes({ idleSeconds: 1 });
    await using anna = await connectClient(gateway.url, 'legacy');
    await using bert = await connectClient(gateway.url, 'legacy');
    await anna.client.subscribeResource({ uri: 'state://own' });
    const [hers, his] = [await readOwn(anna), await readOwn(bert)];
    await expect.poll(() => isAlive(his)).toBe(false);
    expect(isAlive(hers)).toBe(true);
    await anna.client.unsubscribeResource({ uri: 'state://own' });
    await expect.poll(() => isAlive(hers)).toBe(false);
  });
});
