import { expect, it } from 'vitest';
import { Grants } from '../../../src/credentials/grants.js';
import { OAuthClient } from '../../../src/credentials/oauth-client.js';
import { UserTokens } from '../../../src/credentials/user-tokens.js';
import { Vault } from '../../../src/credentials/vault.js';
import { MemoryStore } from '../../../src/store/memory-store.js';

const URL_OF_SERVER = 'https://crm.example/mcp';
const ISSUER = 'https://login.example';
const OWNER = 'user corp:alice';

/** An authorization server whose refresh tokens count once. */
function openIssuer(mayAnswer: Promise<unknown> = Promise.resolve()) {
  let current = 'refresh-1';
  const used: string[] = [];
  const documents: Readonly<Record<string, object>> = {
    'https://crm.example/.well-known/oauth-protected-resource/mcp': {
      resource: URL_OF_SERVER,
      authorization_servers: [ISSUER],
    },
    [`${ISSUER}/.well-known/oauth-authorization-server`]: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/auth`,
      token_endpoint: `${ISSUER}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    },
  };
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (String(url) !== `${ISSUER}/token`) {
      const document = documents[String(url)];
      return document === undefined ? new Response('', { status: 404 }) : Response.json(document);
    }
    const sent = new URLSearchParams(String(init?.body)).get('refresh_token') ?? '';
    used.push(sent);
    await mayAnswer;
    if (sent !== current) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    current = `refresh-${used.length + 1}`;
    const access_token = `access-${used.length + 1}`;
    return Response.json({ access_token, token_type: 'Bearer', refresh_token: current, expires_in: 3_600 });
  };
  return { fetch: fetch as typeof globalThis.fetch, used };
}

function openReplica(store: MemoryStore, fetch: typeof globalThis.fetch, key = 'a key of sixteen letters') {
  const grants = new Grants(store, new Vault(key), Date.now);
  const registrations = {
    find: async () => undefined,
    keep: async () => undefined,
    bind: async (_o: string, _c: string, issuer: string) => issuer,
  };
  const client = new OAuthClient({ fetch, now: Date.now, publicUrl: 'https://gateway.example', registrations });
  const ended: string[] = [];
  const onEnded = (owner: string): void => void ended.push(owner);
  const upstream = { slug: 'crm', url: URL_OF_SERVER, settings: { scopes: [] } };
  return { grants, ended, tokens: new UserTokens(upstream, { grants, client, now: Date.now, onEnded }) };
}

const GRANT = {
  upstream: 'crm',
  owner: OWNER,
  resource: URL_OF_SERVER,
  issuer: ISSUER,
  scope: '',
  demanded: '',
  grantedAt: 1,
  client: { client_id: 'gateway' },
  tokens: { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: 0 },
};

it('refreshes a token once, however many requests of however many replicas need it', async () => {
  const store = new MemoryStore(Date.now);
  const issuer = openIssuer();
  const replicas = [openReplica(store, issuer.fetch), openReplica(store, issuer.fetch)];
  await replicas[0]?.grants.save(GRANT);
  const needed = replicas.flatMap(({ tokens }) => [tokens.usable(OWNER), tokens.usable(OWNER)]);
  expect(await Promise.all(needed)).toEqual(Array.from(needed, () => 'access-2'));
  expect(issuer.used).toEqual(['refresh-1']);
});

it('forgets a grant that the authorization server does not refresh, and says so', async () => {
  const store = new MemoryStore(Date.now);
  const { grants, tokens, ended } = openReplica(store, openIssuer().fetch);
  await grants.save({ ...GRANT, tokens: { ...GRANT.tokens, refreshToken: 'an old one' } });
  expect([await tokens.usable(OWNER), ended, await grants.list()]).toEqual([undefined, [OWNER], []]);
});

it('waits for the refresh that another replica has begun, and keeps what the server demands meanwhile', async () => {
  const store = new MemoryStore(Date.now);
  let mayAnswer: (value?: unknown) => void = () => undefined;
  const issuer = openIssuer(new Promise((resolve) => (mayAnswer = resolve)));
  const [first, second] = [openReplica(store, issuer.fetch), openReplica(store, issuer.fetch)];
  await first.grants.save(GRANT);
  const begun = first.tokens.usable(OWNER);
  await expect.poll(() => issuer.used).toEqual(['refresh-1']);
  await second.tokens.demand(OWNER, 'write');
  const waiting = second.tokens.usable(OWNER);
  await new Promise(setImmediate);
  mayAnswer();
  expect(await Promise.all([begun, waiting])).toEqual(['access-2', 'access-2']);
  expect([issuer.used, await first.tokens.lacking(OWNER)]).toEqual([['refresh-1'], ['write']]);
});

it('sends no refresh token to another authorization server than the one that has given it', async () => {
  const store = new MemoryStore(Date.now);
  const issuer = openIssuer();
  const { grants, tokens, ended } = openReplica(store, issuer.fetch);
  await grants.save({ ...GRANT, issuer: 'https://former.example' });
  expect([await tokens.usable(OWNER), ended, issuer.used]).toEqual([undefined, [OWNER], []]);
});

it('keeps tokens unreadable without the key, and for the server alone that they were granted for', async () => {
  const store = new MemoryStore(Date.now);
  const issuer = openIssuer();
  const { grants } = openReplica(store, issuer.fetch);
  const fresh = { ...GRANT, tokens: { ...GRANT.tokens, expiresAt: Date.now() + 3_600_000 } };
  await grants.save(fresh);
  expect(JSON.stringify(await store.list('grant'))).not.toMatch(/access-1|refresh-1/);
  expect(await openReplica(store, issuer.fetch, 'another key of the operator').tokens.usable(OWNER)).toBeUndefined();
  await grants.save({ ...fresh, resource: 'https://other.example/mcp' });
  expect(await openReplica(store, issuer.fetch).tokens.usable(OWNER)).toBeUndefined();
});
