import { describe, expect, it } from 'vitest';
import { maskConfig } from '../../../../src/config/load/secrets.js';
import { loadOnly } from '../config-folder.js';

async function maskEndpoint(entry: unknown): Promise<unknown> {
  const masked = maskConfig(await loadOnly({ mcpServers: { a: entry } }));
  const [upstream] = masked['upstreams'] as { readonly endpoint: unknown }[];
  return upstream?.endpoint;
}

describe('maskConfig', () => {
  it('masks variables that sound secret wherever they stand, but no place such as PWD', async () => {
    const config = await loadOnly({ mcpServers: { a: { command: 'x', args: ['s3cr3t-of-mine', '/no/s3cr3t'] } } });
    const env = { MY_TOKEN: 's3cr3t-of-mine', MY_KEY: '/no/s3cr3t', PWD: config.directory };
    expect(maskConfig(config, env)).toMatchObject({
      directory: config.directory,
      upstreams: [{ endpoint: { args: ['***', '***'] } }],
    });
  });

  it('masks every value of env and headers, and keeps their names', async () => {
    expect(await maskEndpoint({ command: 'x', env: { A: 's', B: 's' } })).toMatchObject({
      env: { A: '***', B: '***' },
    });
    expect(await maskEndpoint({ url: 'http://x', headers: { C: 's' } })).toMatchObject({ headers: { C: '***' } });
  });

  it.each([
    ['https://user:pw@host.example/mcp', 'https://***@host.example/mcp'],
    ['https://host.example/mcp?key=s3cret&x=1', 'https://host.example/mcp?***'],
    ['https://host.example:8443/mcp', 'https://host.example:8443/mcp'],
    ['http://me:p%40ss@h/?a=b', 'http://***@h/?***'],
  ])('shows the address %s as %s', async (url, shown) => {
    expect(await maskEndpoint({ url })).toMatchObject({ url: shown });
  });

  it.each([
    [
      ['--token=abc', '-v'],
      ['--token=***', '-v'],
    ],
    [
      ['--api-key', 'abc', 'run'],
      ['--api-key', '***', 'run'],
    ],
    [
      ['-e', 'GITHUB_TOKEN=abc'],
      ['-e', 'GITHUB_TOKEN=***'],
    ],
    [
      ['--header', 'Authorization: Bearer abc'],
      ['--header', 'Authorization: ***'],
    ],
    [
      ['--header', 'X: Bearer abc'],
      ['--header', 'X: Bearer ***'],
    ],
    [
      ['--pass', 'tide-and-time'],
      ['--pass', '***'],
    ],
    [['Server=h;Password=tide-and-time;'], ['Server=h;Password=***;']],
    [['{"password":"t1de-and-time"}'], ['{"password":"***"}']],
    [["tool --token 'tide-and-time' -v"], ["tool --token '***' -v"]],
    [['postgres://u:p@db/x?sslkey=1'], ['postgres://***@db/x?***']],
    [['--url=https://u:p@h/x'], ['--url=https://***@h/x']],
    [
      ['-y', '@scope/server', '/tmp/files'],
      ['-y', '@scope/server', '/tmp/files'],
    ],
  ])('shows the arguments %j as %j', async (args, shown) => {
    expect(await maskEndpoint({ command: 'x', args })).toMatchObject({ args: shown });
  });

  it.each([
    ['redis://:hunter2@host:6379/1', 'redis://***@host:6379/1'],
    ['rediss://user:p w@host', 'rediss://***@host'],
    ['redis://:p@ss@host', 'redis://***@host'],
    ['redis://host?password=hunter2', 'redis://host?***'],
    ['redis://host:6379', 'redis://host:6379'],
  ])('shows the store %s as %s', async (url, shown) => {
    expect(maskConfig(await loadOnly({ store: { url } }))['store']).toMatchObject({ url: shown });
  });

  it.each([
    ['https://hooks.chat.example/services/T0/B0/hunter2', 'https://hooks.chat.example/***'],
    ['https://u:p@host.example/?token=x', 'https://host.example/***'],
    ['http://host.example:8080', 'http://host.example:8080/'],
  ])('shows the webhook %s as %s', async (url, shown) => {
    const approvals = {
      operators: { a: { token: 'hunter2-hunter2-hunter2' } },
      webhook: { url, secret: 'x'.repeat(16) },
    };
    expect(maskConfig(await loadOnly({ policy: { approvals } }))['policy']).toMatchObject({
      approvals: { operators: [{ name: 'a', keys: [{ hash: '***' }] }], webhook: { url: shown, secret: '***' } },
    });
  });

  it('shows the names of the clients, and not their tokens', async () => {
    const config = await loadOnly({ clients: { ci: { token: 'hunter2-hunter2-hunter2' } } });
    expect(maskConfig(config)['clients']).toEqual([{ name: 'ci', keys: [{ hash: '***' }], groups: [] }]);
  });

  it('returns a copy that can be written as JSON', async () => {
    const config = await loadOnly({ mcpServers: { a: { command: 'x' } } });
    expect(JSON.parse(JSON.stringify(maskConfig(config)))).toEqual(maskConfig(config));
  });
});
