import { expect, it } from 'vitest';
import { maskConfig } from '../../../src/config/load/secrets.js';
import { loadOnly, problemsOf } from './config-folder.js';

const http = (credentials: object, more: object = {}) => ({
  mcpServers: { crm: { url: 'https://crm.example/mcp', credentials, ...more } },
});

it.each([
  [{ mcpServers: { crm: { command: 'crm', credentials: { type: 'perUser' } } } }, 'credentials', 'Streamable HTTP'],
  [http({ type: 'perUser' }, { isolation: 'shared' }), 'isolation', "expected no 'shared'"],
  [http({ type: 'perUser', headers: ['x-tenant'] }), 'credentials.headers', "'perUser' has no 'headers'"],
  [http({ type: 'exchange', clientId: 'gateway' }), 'credentials.tokenEndpoint', 'missing'],
  [http({ type: 'exchange', clientId: 'gateway', tokenEndpoint: 'http://login.example' }), 'tokenEndpoint', 'https'],
  [http({ type: 'forwardHeaders', headers: ['Authorization'] }), 'credentials.headers', 'by which the caller'],
  [http({ type: 'forwardHeaders', headers: ['Cookie'], allowAuthorization: true }), 'headers', 'never passed on'],
  [
    { ...http({ type: 'perUser' }), server: { host: '0.0.0.0' }, clients: { a: { token: 'sixteen-letters-' } } },
    'publicUrl',
    'page',
  ],
])('refuses %j', async (config, path, message) => {
  const [problem] = await problemsOf(config);
  expect([problem?.path, problem?.message]).toEqual([expect.stringContaining(path), expect.stringContaining(message)]);
});

it('shows none of the secrets', async () => {
  const credentials = {
    type: 'exchange',
    tokenEndpoint: 'https://login.example/token',
    clientId: 'gateway',
    clientSecret: 'the-secret-of-the-gateway',
    discovery: { headers: { 'X-Key': 'a-key-for-discovery' } },
  };
  const config = await loadOnly({ ...http(credentials), credentials: { key: 'a-key-for-encryption' } });
  expect(config.upstreams[0]?.credentials).toMatchObject({
    type: 'exchange',
    discovery: { 'X-Key': 'a-key-for-discovery' },
  });
  expect(JSON.stringify(maskConfig(config))).not.toMatch(/the-secret-of|a-key-for/);
});
