import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { connectClient } from '../support/mcp-client.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const CLIENTS = { ann: { token: 'ann-has-a-long-token' }, ben: { token: 'ben-has-another-token' } };

const SERVER = { ...behaviourServer(), maxConcurrency: 200 };

const CONFIG = { endpoint: { mode: 'single' }, mcpServers: { kept: SERVER, other: SERVER } };

const replace = (gateway: ServedGateway, config: object | string): Promise<void> =>
  writeFile(
    join(gateway.directory, 'gateway.config.json'),
    typeof config === 'string' ? config : JSON.stringify(config),
  );

const ANY = 'mcp_aql';

describe('a changed configuration file', () => {
  it('is in force for the next call, and only what differs is touched', async () => {
    await using gateway = await serveGateway(CONFIG);
    await using client = await connectClient(gateway.url);
    expect((await client.call(ANY, 'kept__echo', {})).error).toBeUndefined();
    const rules = [{ match: { operation: 'other__echo' }, decision: 'deny', reason: 'no echo today' }];
    await replace(gateway, { ...CONFIG, policy: { rules } });
    await gateway.logged('Reloaded the configuration (its files have changed): policy.');
    const denied = await client.call(ANY, 'other__echo', {});
    expect([denied.error?.code, denied.error?.message]).toEqual([
      'PERMISSION_DENIED',
      expect.stringContaining('no echo today'),
    ]);
    expect((await client.call(ANY, 'kept__echo', {})).error).toBeUndefined();
    expect(gateway.stderr()).not.toContain('closed');
  });

  it('loses none of 100 calls in flight when another server is removed, and one is added', async () => {
    await using gateway = await serveGateway(CONFIG);
    await using client = await connectClient(gateway.url);
    const calls = Array.from({ length: 100 }, () => client.call(ANY, 'kept__slow', { ms: 4_000 }));
    await replace(gateway, { ...CONFIG, mcpServers: { kept: SERVER, added: SERVER } });
    await gateway.logged("added 'added'; removed 'other'");
    const answers = await Promise.all(calls);
    expect(answers.filter(({ success }) => !success)).toEqual([]);
    expect((await client.call(ANY, 'added__echo', {})).error).toBeUndefined();
    expect((await client.call(ANY, 'other__echo', {})).error?.code).toBe('NOT_FOUND_OPERATION');
  });

  it('answers the calls in flight of a server that is described otherwise, and starts it anew', async () => {
    await using gateway = await serveGateway(CONFIG);
    await using client = await connectClient(gateway.url);
    const calls = Array.from({ length: 20 }, () => client.call(ANY, 'other__slow', { ms: 4_000 }));
    await client.call(ANY, 'other__echo', {});
    const other = { ...SERVER, env: { CHANGED: 'yes' } };
    await replace(gateway, { ...CONFIG, mcpServers: { kept: SERVER, other } });
    await gateway.logged("connected anew 'other'");
    expect((await Promise.all(calls)).filter(({ success }) => !success)).toEqual([]);
    expect((await client.call(ANY, 'other__echo', {})).error).toBeUndefined();
  });

  it('changes nothing where it has a fault, and says why in the log', async () => {
    await using gateway = await serveGateway(CONFIG);
    await using client = await connectClient(gateway.url);
    await replace(gateway, '{"mcpServers": {"kept": ');
    await gateway.logged('The configuration was not reloaded (its files have changed)');
    await replace(gateway, { ...CONFIG, mcpServers: { kept: SERVER, other: { comand: 'node' } } });
    await gateway.logged("the server 'other' is misconfigured");
    expect((await client.call(ANY, 'other__echo', {})).error).toBeUndefined();
  });

  it('says what needs a restart, and goes on with what was set at the start', async () => {
    await using gateway = await serveGateway(CONFIG);
    await replace(gateway, { ...CONFIG, server: { sessionIdleMs: 60_000 }, store: { type: 'memory' } });
    await gateway.logged('nothing to change; restart to apply: server.sessionIdleMs');
  });

  it('takes a file of the upstreams folder, and drops it when it is removed', async () => {
    await using gateway = await serveGateway({ ...CONFIG, upstreamsDir: '.' });
    const file = join(gateway.directory, 'third.json');
    await writeFile(file, JSON.stringify(SERVER));
    await gateway.logged("added 'third'");
    await using client = await connectClient(gateway.url);
    expect((await client.call(ANY, 'third__echo', {})).error).toBeUndefined();
    await rm(file);
    await gateway.logged("removed 'third'");
  });

  it('lets a new client in and a revoked one no longer', async () => {
    await using gateway = await serveGateway({ ...CONFIG, clients: { ann: CLIENTS.ann } });
    await expect(connectClient(gateway.url, 'legacy', CLIENTS.ben)).rejects.toThrow();
    await using ann = await connectClient(gateway.url, 'legacy', CLIENTS.ann);
    await replace(gateway, { ...CONFIG, clients: { ben: CLIENTS.ben } });
    await gateway.logged('Reloaded the configuration (its files have changed): clients.');
    await using ben = await connectClient(gateway.url, 'legacy', CLIENTS.ben);
    expect((await ben.call(ANY, 'kept__echo', {})).error).toBeUndefined();
    await expect(ann.call(ANY, 'kept__echo', {})).rejects.toThrow();
  });

  it.skipIf(process.platform === 'win32')('is read at SIGHUP, which says so where nothing differs', async () => {
    await using gateway = await serveGateway(CONFIG);
    gateway.process.kill('SIGHUP');
    await gateway.logged('Read the configuration (SIGHUP): nothing to change.');
  });
});
