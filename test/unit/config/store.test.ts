import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, loadOnly, problemsOf } from './config-folder.js';

const URL_1 = 'redis://:pass@redis.example:6379/2';

describe('the store configuration', () => {
  it('is a file in the data directory by default', async () => {
    const { store, dataDir } = await loadOnly({ dataDir: 'd' });
    expect(store).toEqual({ type: 'sqlite', file: join(dataDir, 'state.db') });
  });

  it("resolves its file from the main file's folder", async () => {
    const { store, directory } = await loadOnly({ store: { file: 'x/y.db' } });
    expect(store).toEqual({ type: 'sqlite', file: join(directory, 'x/y.db') });
  });

  it.each([
    [{ type: 'memory' }, {}, { type: 'memory' }],
    [{ type: 'redis', url: URL_1 }, {}, { type: 'redis', url: URL_1, prefix: 'mcp-aql' }],
    [{ cluster: [URL_1] }, {}, { type: 'redis', cluster: [URL_1], prefix: 'mcp-aql' }],
    [{ url: 'rediss://r.example', prefix: 'a:b' }, {}, { type: 'redis', url: 'rediss://r.example', prefix: 'a:b' }],
    [undefined, { MCP_AQL_STORE: 'memory' }, { type: 'memory' }],
    [undefined, { MCP_AQL_REDIS_URL: URL_1 }, { type: 'redis', url: URL_1, prefix: 'mcp-aql' }],
    [undefined, { MCP_AQL_REDIS_URL_FILE: 'url.txt' }, { type: 'redis', url: URL_1, prefix: 'mcp-aql' }],
    [{ type: 'memory' }, { MCP_AQL_REDIS_URL: URL_1 }, { type: 'memory' }],
    [
      { type: 'memory' },
      { MCP_AQL_STORE: 'redis', MCP_AQL_REDIS_URL: URL_1 },
      { type: 'redis', url: URL_1, prefix: 'mcp-aql' },
    ],
  ])('reads %j with %j as %j', async (store, env, expected) => {
    const main = store === undefined ? {} : { store };
    expect((await loadOnly(main, { env, files: { 'url.txt': URL_1 } })).store).toEqual(expected);
  });

  it('takes servers behind sentinels with credentials and files of TLS', async () => {
    const given = { username: 'ann', password: '${REDIS_PASSWORD}', tls: { ca: 'ca.pem' } };
    const sentinel = { name: 'main', nodes: ['rediss://s1.example:26379'] };
    const { store, directory } = await loadOnly(
      { store: { ...given, sentinel } },
      { env: { REDIS_PASSWORD_FILE: 'secret.txt' }, files: { 'secret.txt': 'hunter2\n' } },
    );
    const tls = { ca: join(directory, 'ca.pem') };
    const access = { type: 'redis', prefix: 'mcp-aql', username: 'ann', password: 'hunter2', tls };
    expect(store).toEqual({ ...access, sentinel });
  });

  it.each([
    [{ cluster: [] }, 'store.cluster', 'expected at least 1 entry'],
    [{ cluster: ['http://r.example'] }, 'store.cluster[0]', 'expected a redis:// or rediss:// address'],
    [{ cluster: [URL_1], url: URL_1 }, 'store', "'url' and 'cluster' do not combine; expected one of them"],
    [
      { sentinel: { nodes: [URL_1] } },
      'store.sentinel.name',
      'missing; expected what the sentinels call their servers',
    ],
    [{ type: 'redis' }, 'store.url', 'missing; expected a redis:// or rediss:// address'],
    [{ url: 'http://r.example' }, 'store.url', 'expected a redis:// or rediss:// address'],
    [{ url: 'redis://' }, 'store.url', 'expected a redis:// or rediss:// address'],
    [{ url: 'r.example:6379' }, 'store.url', 'expected a redis:// or rediss:// address'],
    [{ type: 'mysql' }, 'store.type', "expected one of 'memory', 'sqlite', 'redis'"],
    [{ type: 'redis', url: URL_1, prefix: 'a b' }, 'store.prefix', 'expected text that matches ^[A-Za-z0-9:._-]+$'],
    [{ path: 'x' }, 'store.path', "unknown key 'path'"],
  ])('refuses %j', async (store, path, message) => {
    const problems = await problemsOf({ store });
    expect(problems).toEqual([expect.objectContaining({ path, message })]);
  });

  it('names the variable with an invalid address, and not the address', async () => {
    const problems = await problemsOf({}, { env: { MCP_AQL_REDIS_URL: 'http://:hunter2@x' } });
    expect(problems).toEqual([expect.objectContaining({ file: 'environment', path: 'MCP_AQL_REDIS_URL' })]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it.each([
    [{ type: 'memory', file: 'x' }, 'file', 'memory'],
    [{ type: 'sqlite', url: URL_1 }, 'url', 'sqlite'],
    [{ type: 'redis', url: URL_1, file: 'x' }, 'file', 'redis'],
    [{ prefix: 'x' }, 'prefix', 'sqlite'],
  ])('warns of the keys that %j does not use', async (store, key, type) => {
    const { warnings } = await load({ store });
    expect(warnings).toEqual([`gateway.config.json: store.${key}: not used by a store of type '${type}'; ignored`]);
  });

  it('warns of stdio servers whose files other gateways of a shared store do not have', async () => {
    const env = { MEMORY_FILE_PATH: '${dataDir}/memory.json' };
    const mcpServers = {
      memory: { command: 'a', env },
      notes: { command: 'a', args: ['--root=${dataDir}/notes'] },
      plain: { command: 'a' },
      far: { url: 'https://far.example/mcp' },
      off: { command: 'a', env, disabled: true },
    };
    const { warnings } = await load({ store: { url: URL_1 }, mcpServers });
    expect(warnings.map((warning) => /mcpServers\.(\w+): keeps files/.exec(warning)?.[1])).toEqual(['memory', 'notes']);
    expect((await load({ mcpServers })).warnings).toEqual([]);
  });
});
