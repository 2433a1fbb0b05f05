import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../src/config/load/build-access.js';
import { maskConfig } from '../../../src/config/load/secrets.js';
import { load, loadOnly, problemsOf } from './config-folder.js';

const ISSUER = { name: 'corp', issuer: 'https://login.example/realms/main' };
const oauth = (more: object = {}, issuer: object = {}): object => ({
  server: { oauth: { resource: 'https://mcp.example/mcp', issuers: [{ ...ISSUER, ...issuer }], ...more } },
});

describe('static tokens of clients', () => {
  it('may be given as hashes, several for one client, with an end', async () => {
    const [old, next] = ['the-old-token-of-ci', 'the-next-token-of-ci'];
    const keys = [{ token: old, expires: '2999-01-31' }, { tokenHash: hashToken(next) }];
    const { clients } = await loadOnly({ clients: { ci: { keys, groups: ['machines'] } } });
    expect(clients).toEqual([
      {
        name: 'ci',
        keys: [{ hash: hashToken(old), expiresAt: Date.UTC(2999, 0, 31) }, { hash: hashToken(next) }],
        groups: ['machines'],
      },
    ]);
  });

  it.each([
    [{ tokenHash: 'sha256:abc' }, 'clients.ci.tokenHash', 'expected'],
    [{ tokenHash: hashToken('x'), token: 'the-token-of-ci-itself' }, 'clients.ci.tokenHash', "expected one of 'token'"],
    [{ token: 'the-token-of-ci-itself', expires: 'soon' }, 'clients.ci.expires', 'expected an ISO 8601 date or time'],
    [{ keys: [{}] }, 'clients.ci.keys[0].token', 'missing'],
  ])('given as %j are refused', async (client, path, message) => {
    const [problem] = await problemsOf({ clients: { ci: client } });
    expect([problem?.path, problem?.message]).toEqual([path, expect.stringContaining(message)]);
  });

  it('may not be those of an operator, also where a hash is given', async () => {
    const token = 'one-token-for-both-of-them';
    const operators = { ann: { token } };
    const [problem] = await problemsOf({
      clients: { ci: { tokenHash: hashToken(token) } },
      policy: { approvals: { operators } },
    });
    expect(problem?.message).toContain('could approve its own calls');
  });
});

describe('the settings of authorization servers', () => {
  it('take the resource from the public address, whose host name is then allowed', async () => {
    const main = { server: { publicUrl: 'https://mcp.example/', oauth: { issuers: [ISSUER] } } };
    const { server } = await loadOnly(main);
    expect([server.oauth?.resource, server.allowedHosts]).toEqual(['https://mcp.example/mcp', ['mcp.example']]);
  });

  it('are warned of where an audience may be the id of a client, and nothing else tells access tokens from others', async () => {
    const warningsOf = async (issuer: object): Promise<readonly string[]> =>
      (await load(oauth({}, issuer))).warnings.map(String);
    expect(await warningsOf({ audience: '1f2e-client-id' })).toEqual([
      expect.stringContaining("server.oauth.issuers[0].audience: '1f2e-client-id' is no address"),
    ]);
    expect(await warningsOf({ audience: '1f2e-client-id', scopes: ['mcp:call'] })).toEqual([]);
    expect(await warningsOf({ audience: 'api://gateway' })).toEqual([]);
  });

  it('show no secret', async () => {
    const introspection = { clientId: 'gateway', clientSecret: 'a-secret-of-the-gateway' };
    const masked = maskConfig(await loadOnly(oauth({}, { introspection })));
    expect(JSON.stringify(masked)).not.toContain('a-secret-of');
    expect(JSON.stringify(masked)).toContain('gateway');
  });

  it.each([
    [{ server: { oauth: { issuers: [ISSUER] } } }, 'server.oauth.resource', 'missing'],
    [oauth({ issuers: [] }), 'server.oauth.issuers', 'expected'],
    [oauth({}, { issuer: 'http://login.example' }), 'server.oauth.issuers[0].issuer', 'expected an https:// address'],
    [oauth({}, { algorithms: ['HS256'] }), 'server.oauth.issuers[0].algorithms[0]', 'expected'],
    [oauth({ issuers: [ISSUER, ISSUER] }), 'server.oauth.issuers[1].name', 'issuer 1 has it too'],
    [oauth({}, { introspection: { clientId: 'a' } }), 'server.oauth.issuers[0].introspection.clientSecret', 'missing'],
    [{ server: { trustedProxies: ['proxy.example'] } }, 'server.trustedProxies', 'expected IP addresses'],
    [{ server: { tls: { cert: 'a.pem' } } }, 'server.tls.key', 'missing'],
  ])('such as %j are refused', async (main, path, message) => {
    const problems = await problemsOf(main);
    expect(problems.map((problem) => problem.path)).toContain(path);
    expect(problems.find((problem) => problem.path === path)?.message).toContain(message);
  });

  it('let rules name users and clients of the issuers, and warn of others', async () => {
    const rule = (match: object) => ({ match: { operation: 'a', ...match }, decision: 'deny' });
    const rules = [rule({ user: 'corp:alice' }), rule({ client: 'corp:app' }), rule({ user: 'copr:alice' })];
    const { warnings } = await load({ ...oauth(), policy: { rules } });
    expect(warnings.filter((warning) => warning.includes('matches nothing'))).toEqual([
      expect.stringContaining("there is no user 'copr:alice'"),
    ]);
  });
});
