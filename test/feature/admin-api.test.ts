import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';

const TOKEN = 'olga-has-a-long-token';

const CONFIG = {
  endpoint: { mode: 'single' },
  policy: { approvals: { operators: { olga: { token: TOKEN } } } },
  mcpServers: { one: behaviourServer(), two: behaviourServer() },
};

async function open(config: object = CONFIG) {
  const gateway = await hostGateway(config);
  const ask = async (method: string, path: string, body?: unknown, token = TOKEN) => {
    const response = await fetch(new URL(path, gateway.url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
    return { status: response.status, body: (await response.json()) as any };
  };
  return {
    gateway,
    ask,
    file: () => readFile(join(gateway.directory, 'gateway.config.json'), 'utf8'),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

describe('the admin API', () => {
  it('disables and enables an upstream in the file and in the gateway, and records who did', async () => {
    await using server = await open();
    await using client = await connectClient(server.gateway.url);
    const disabled = await server.ask('POST', '/admin/upstreams/two/disable');
    expect([disabled.status, disabled.body.reload.outcome]).toEqual([200, 'applied']);
    expect(JSON.parse(await server.file()).mcpServers.two.disabled).toBe(true);
    expect((await client.call('mcp_aql', 'two__echo', {})).error?.code).toBe('NOT_FOUND_OPERATION');
    expect((await server.ask('POST', '/admin/upstreams/two/enable')).status).toBe(200);
    expect((await client.call('mcp_aql', 'two__echo', {})).error?.message).toBeUndefined();
    const { body } = await server.ask('GET', '/admin/status');
    // The watched file may have been looked at once more, and found to be in force.
    expect(body).toMatchObject({ ready: true, reload: { outcome: expect.stringMatching(/^(applied|unchanged)$/) } });
    expect((await server.ask('POST', '/admin/upstreams/two/restart')).body).toEqual({
      upstream: 'two',
      state: 'starting',
    });
    expect((await client.call('mcp_aql', 'two__echo', {})).error?.message).toBeUndefined();
    expect((await server.ask('POST', '/admin/upstreams/none/restart')).body.error.code).toBe('UPSTREAM_UNKNOWN');
  });

  it('reloads when it is asked to, and says why a file is refused', async () => {
    await using server = await open();
    const file = join(server.gateway.directory, 'gateway.config.json');
    await writeFile(file, '{"mcpServers": ');
    const { status, body } = await server.ask('POST', '/admin/reload');
    expect([status, body.outcome, body.problem]).toEqual([422, 'refused', expect.stringContaining('line 1')]);
  });

  it('adds a server by its URL alone, and removes it', async () => {
    await using server = await open();
    const added = await server.ask('PUT', '/admin/upstreams/three', { url: 'http://127.0.0.1:9/mcp' });
    expect([added.status, added.body.reload.changes]).toEqual([200, "added 'three'"]);
    expect((await server.ask('DELETE', '/admin/upstreams/three')).body.reload.changes).toBe("removed 'three'");
    expect((await server.ask('DELETE', '/admin/upstreams/three')).status).toBe(404);
    const refused = [
      { command: 'sh', args: ['-c', 'id'] },
      { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Stolen': '${HOME}' } },
      { url: 'http://127.0.0.1:9/mcp', headers: { Authorization_FILE: '/etc/passwd' } },
      { url: 'http://127.0.0.1:9/mcp', envFile: '/etc/passwd' },
    ];
    for (const entry of refused) {
      const { status, body } = await server.ask('PUT', '/admin/upstreams/four', entry);
      expect([status, body.error.code]).toEqual([403, 'REMOTE_COMMANDS_NOT_ALLOWED']);
    }
    expect(await server.file()).not.toContain('four');
  });

  it('takes a command where the configuration allows it', async () => {
    await using server = await open({ ...CONFIG, server: { allowRemoteCommands: true } });
    const { status } = await server.ask('PUT', '/admin/upstreams/three', behaviourServer());
    expect(status).toBe(200);
    await using client = await connectClient(server.gateway.url);
    expect((await client.call('mcp_aql', 'three__echo', {})).error?.message).toBeUndefined();
  });

  it('writes nothing that would be a new problem, and lets operators in alone', async () => {
    await using server = await open();
    const before = await server.file();
    const faulty = await server.ask('PUT', '/admin/upstreams/three', { url: 'not a url' });
    expect([faulty.status, faulty.body.error.code]).toEqual([422, 'INVALID_CONFIGURATION']);
    expect(await server.file()).toBe(before);
    for (const [method, path] of [
      ['GET', '/admin/status'],
      ['POST', '/admin/reload'],
      ['DELETE', '/admin/upstreams/one'],
    ] as const) {
      expect((await server.ask(method, path, undefined, 'a-wrong-token-of-some-length')).status).toBe(401);
    }
  });

  it('is not there without operators', async () => {
    await using server = await open({ mcpServers: CONFIG.mcpServers });
    expect((await fetch(new URL('/admin/status', server.gateway.url))).status).toBe(404);
  });
});
