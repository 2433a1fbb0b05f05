import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { startReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';

const CREATE = { name: 'create_item', description: 'Create an item.', inputSchema: { type: 'object' } };
const DELETE = { name: 'delete_item', description: 'Delete an item.', inputSchema: { type: 'object' } };
const READ = { name: 'read_item', description: 'Read an item.', inputSchema: { type: 'object' } };

/** The URL of an upstream that is not running. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/mcp`;
}

describe('names of operations', () => {
  it('mean the same server after a restart in which it is absent', async () => {
    await using upstreams = await startReplayServer(
      new Map([
        ['home', [CREATE, READ]],
        ['work', [CREATE, DELETE]],
      ]),
    );
    await using directory = await makeDirectory();
    const home = { url: upstreams.urlOf('home') };
    {
      const config = { mcpServers: { home, work: { url: upstreams.urlOf('work') } } };
      await using _both = await hostGateway(config, { directory: directory.path });
    }
    const config = { mcpServers: { home, work: { url: await deadUrl() } } };
    await using gateway = await hostGateway(config, { directory: directory.path });
    await using client = await connectClient(gateway.url);

    const bare = await client.call('mcp_aql_create', 'create_item');
    expect(bare.error?.message).toBe(
      "Unknown operation: 'create_item'. Several upstreams offer 'create_item'; use one of the qualified names: 'home__create_item', 'work__create_item'",
    );
    const unavailable = {
      code: 'INTERNAL_ERROR',
      details: { upstream: 'work', reason: 'unavailable', retry_after_ms: expect.any(Number) },
    };
    const qualified = await client.call('mcp_aql_create', 'work__create_item');
    expect(qualified.error).toMatchObject(unavailable);
    const unknown = await client.call('mcp_aql_create', 'work__read_item');
    expect(unknown.error?.message).not.toContain('home');
    const { data } = await client.introspect({ query: 'operations', upstream: 'work' });
    expect(data.operations.map(({ name }: { readonly name: string }) => name).sort()).toEqual([
      'delete_item',
      'work__create_item',
    ]);
    const created = data.operations.find(({ name }: { readonly name: string }) => name === 'work__create_item');
    expect(created.description).toMatch(/^\[work\] .*Create an item.* \[unavailable/);
  });

  it('are not given to a server while another that may own them has never been seen', async () => {
    await using upstreams = await startReplayServer(new Map([['evil', [CREATE]]]));
    const config = { mcpServers: { evil: { url: upstreams.urlOf('evil') }, vault: { url: await deadUrl() } } };
    await using gateway = await hostGateway(config, { seen: [] });
    await using client = await connectClient(gateway.url);

    const bare = await client.call('mcp_aql_create', 'create_item');
    expect(bare.error).toMatchObject({ code: 'NOT_FOUND_OPERATION', details: { available: [expect.anything()] } });
    expect(bare.error?.details).not.toHaveProperty('example');
    const qualified = await client.call('mcp_aql_create', 'vault__create_item');
    expect(qualified.error).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { upstream: 'vault', reason: 'unavailable' },
    });
    expect(JSON.stringify(qualified)).not.toContain('evil');
    const listed = await client.introspect({ query: 'operations', upstream: 'vault' });
    expect(listed.error?.message).toMatch(/^Upstream 'vault' is configured but not connected/);
    expect((await client.call('mcp_aql_create', 'evil__create_item')).success).toBe(true);
  });

  it.each([
    ['has a command that does not exist', { command: 'no-such-command-anywhere' }],
    ['exits whenever it is started', { command: process.execPath, args: ['-e', 'process.exit(1)'] }],
  ])('are given at the first start while another server %s', async (_, broken) => {
    await using upstreams = await startReplayServer(new Map([['home', [CREATE]]]));
    const config = { mcpServers: { home: { url: upstreams.urlOf('home') }, broken } };
    await using gateway = await hostGateway(config, { seen: [] });
    await using client = await connectClient(gateway.url);
    await expect
      .poll(async () => (await client.call('mcp_aql_create', 'create_item')).success, { timeout: 8_000 })
      .toBe(true);
  });

  it.each([
    ['has a variable that is not set', { command: 'node', env: { TOKEN: '$'.concat('{NO_SUCH_VARIABLE_ANYWHERE}') } }],
    ['has a command of the wrong type', { command: 5 }],
  ])('do not wait for a server that %s, as it is not started', async (_, broken) => {
    await using upstreams = await startReplayServer(new Map([['home', [CREATE]]]));
    const config = { mcpServers: { home: { url: upstreams.urlOf('home') }, broken } };
    await using gateway = await hostGateway(config, { seen: [] });
    await using client = await connectClient(gateway.url);
    expect(await client.call('mcp_aql_create', 'create_item')).toMatchObject({ success: true });
  });

  it('stay with who had them when a server that could not be started comes later with the same', async () => {
    await using upstreams = await startReplayServer(
      new Map([
        ['home', [CREATE]],
        ['work', [CREATE]],
      ]),
    );
    await using directory = await makeDirectory();
    const home = { url: upstreams.urlOf('home') };
    {
      const config = { mcpServers: { home, work: { command: 'no-such-command-anywhere' } } };
      await using gateway = await hostGateway(config, { directory: directory.path, seen: [] });
      await using client = await connectClient(gateway.url);
      expect((await client.call('mcp_aql_create', 'create_item')).success).toBe(true);
    }
    const config = { mcpServers: { home, work: { url: upstreams.urlOf('work') } } };
    await using gateway = await hostGateway(config, { directory: directory.path });
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql_create', 'create_item')).success).toBe(true);
    const { data } = await client.introspect({ query: 'operations', upstream: 'work' });
    expect(data.operations.map(({ name }: { readonly name: string }) => name).sort()).toEqual(['work__create_item']);
  });

  it('stay when a server is added that offers them too, and every command explains the new ones alike', async () => {
    await using upstreams = await startReplayServer(
      new Map([
        ['files', [READ]],
        ['commander', [READ, CREATE]],
      ]),
    );
    await using directory = await makeDirectory();
    const files = { url: upstreams.urlOf('files') };
    {
      await using _alone = await hostGateway({ mcpServers: { files } }, { directory: directory.path });
    }
    const config = { mcpServers: { commander: { url: upstreams.urlOf('commander') }, files } };
    await using gateway = await hostGateway(config, { directory: directory.path });
    await using client = await connectClient(gateway.url);
    const { data } = await client.introspect({ query: 'operations' });
    expect(data.operations.map(({ name }: { readonly name: string }) => name).sort()).toEqual([
      'commander__read_item',
      'create_item',
      'introspect',
      'read_item',
    ]);

    const misspelt = "Unknown operation: 'creat_item'. Did you mean 'create_item'";
    expect((await client.call('mcp_aql_read', 'creat_item')).error?.message).toContain(misspelt);
    const guessed = await client.introspect({ query: 'operations', name: 'creat_item' });
    expect(guessed).toMatchObject({ success: true, data: { operation: null } });
    expect(JSON.stringify(guessed.raw)).toContain(misspelt);
    for (const command of [
      ['policy', 'explain', 'creat_item'],
      ['tools', 'inspect', 'creat_item'],
    ]) {
      const { code, stderr } = await runCli([...command, '--config', `${directory.path}/gateway.config.json`], {
        cwd: directory.path,
      });
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(misspelt)]);
      expect(code).not.toBe(0);
    }
  });
});
