import { expect, it } from 'vitest';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { keepRegistrations } from '../../../../src/upstream/credentials/credential-service.js';
import { OAuthClient, readScopes } from '../../../../src/upstream/credentials/oauth-client.js';
import { Vault } from '../../../../src/upstream/credentials/vault.js';

const SERVER = 'https://notes.example/mcp';
const ISSUER = 'https://login.example';
const AT_ISSUER = `${ISSUER}/.well-known/oauth-authorization-server`;
const METADATA = 'https://notes.example/described/here';

const json = (value: object): Response => Response.json(value);

/** The server, which describes itself at an address of its own choice, and its authorization server. */
function answer(url: string, challenge: string): Response {
  if (url === SERVER) return new Response('', { status: 401, headers: { 'www-authenticate': challenge } });
  if (url === METADATA)
    return json({ resource: SERVER, authorization_servers: [ISSUER], scopes_supported: ['all', 'of', 'them'] });
  if (url === `${ISSUER}/.well-known/oauth-authorization-server`) {
    return json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
  }
  return new Response('', { status: 404 });
}

function discover(challenge: string) {
  const asked: string[] = [];
  const client = new OAuthClient({
    fetch: async (url) => {
      asked.push(String(url));
      return answer(String(url), challenge);
    },
    now: () => 0,
    publicUrl: 'https://gateway.example',
    registrations: {
      find: async () => undefined,
      keep: async () => undefined,
      forget: async () => undefined,
      bind: async (_o, _c, issuer) => issuer,
    },
  });
  return { target: client.discover(SERVER, {}), asked };
}

it('finds the metadata that only the server’s challenge names', async () => {
  const { target } = discover(`Bearer resource_metadata="${METADATA}"`);
  expect(await target).toMatchObject({ resource: SERVER, issuer: ISSUER, scopes: ['all', 'of', 'them'] });
});

it('asks for the scopes that the challenge wants, not for all that the server knows', async () => {
  const { target } = discover(`Bearer scope="notes.read notes.list", resource_metadata="${METADATA}"`);
  expect((await target).scopes).toEqual(['notes.read', 'notes.list']);
});

it('reads no metadata that a server elsewhere names on this machine', async () => {
  const { target, asked } = discover('Bearer resource_metadata="http://127.0.0.1:9000/admin"');
  await expect(target).rejects.toThrow('not reached over https');
  expect(asked).toEqual([SERVER]);
});

/** What a server and the authorization server that it names say of themselves. */
const documents = (issuer: string): Readonly<Record<string, object>> => ({
  [METADATA]: { resource: SERVER, authorization_servers: [issuer] },
  [`${issuer}/.well-known/oauth-authorization-server`]: {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  },
});

it('gives a configured client to one authorization server alone, whatever others the server names later', async () => {
  let named = documents(ISSUER);
  const challenge = { 'www-authenticate': `Bearer resource_metadata="${METADATA}"` };
  const store = new MemoryStore(() => 0);
  const client = new OAuthClient({
    fetch: async (url) => {
      if (String(url) === SERVER) return new Response('', { status: 401, headers: challenge });
      const document = named[String(url)];
      return document === undefined ? new Response('', { status: 404 }) : json(document);
    },
    now: () => 0,
    publicUrl: 'https://gateway.example',
    registrations: keepRegistrations(store, new Vault('a key of sixteen letters'), { redirectUrl: '', now: () => 0 }),
  });
  const settings = { clientId: 'gateway', clientSecret: 'its secret', scopes: [] };
  const begin = async (more: { readonly issuer?: string } = {}): Promise<string> =>
    (await client.begin(await client.discover(SERVER, more), { ...settings, ...more }, 'state')).url.origin;
  expect([await begin(), await begin()]).toEqual([ISSUER, ISSUER]);
  named = documents('https://elsewhere.example');
  await expect(begin()).rejects.toThrow("configure 'issuer'");
  expect(await begin({ issuer: 'https://elsewhere.example' })).toBe('https://elsewhere.example');
});

it.each([
  ['describes another resource', METADATA, { resource: 'https://other.example/mcp' }, 'of another resource'],
  ['describes a resource below it', METADATA, { resource: `${SERVER}/below` }, 'of another resource'],
  [
    'does not name the configured issuer',
    METADATA,
    { authorization_servers: ['https://b.example'] },
    'configured issuer',
  ],
  ['gets tokens without TLS', AT_ISSUER, { token_endpoint: 'http://login.example/token' }, 'not reached over https'],
  ['registers without TLS', AT_ISSUER, { registration_endpoint: 'http://login.example/r' }, 'not reached over https'],
])('goes to no authorization server of a server that %s', async (_what, where, change, why) => {
  const told: Readonly<Record<string, object>> = documents(ISSUER);
  const client = new OAuthClient({
    fetch: async (url) => {
      const address = String(url);
      if (address === SERVER) return answer(address, `Bearer resource_metadata="${METADATA}"`);
      const document = told[address];
      if (document === undefined) return new Response('', { status: 404 });
      return json(address === where ? { ...document, ...change } : document);
    },
    now: () => 0,
    publicUrl: 'https://gateway.example',
    registrations: {
      find: async () => undefined,
      keep: async () => undefined,
      forget: async () => undefined,
      bind: async (_o, _c, issuer) => issuer,
    },
  });
  const found = client.discover(SERVER, { issuer: ISSUER });
  await expect(found).rejects.toThrow(why);
});

it('asks a configured issuer for its metadata once a minute, however many sign in there', async () => {
  let now = 0;
  const asked: string[] = [];
  const client = new OAuthClient({
    fetch: async (url) => {
      asked.push(String(url));
      return answer(String(url), '');
    },
    now: () => now,
    publicUrl: 'https://gateway.example',
    registrations: {
      find: async () => undefined,
      keep: async () => undefined,
      forget: async () => undefined,
      bind: async (_o, _c, issuer) => issuer,
    },
  });
  for (let count = 0; count < 20; count += 1) await client.discoverIssuer(ISSUER, SERVER, []);
  expect(asked).toEqual([AT_ISSUER]);
  now += 60_000;
  await client.discoverIssuer(ISSUER, SERVER, []);
  expect(asked.length).toBe(2);
});

it('joins scopes, each once, and leaves out what is none', () => {
  expect(readScopes('a:read b', 'b  c"d é', 'e')).toEqual(['a:read', 'b', 'e']);
});

it('bounds how many there are and how long they are together, those first that came first', () => {
  const many = Array.from({ length: 80 }, (_, index) => `scope-${index}`).join(' ');
  expect(readScopes('first', many, 'last')).toEqual(['first', ...many.split(' ').slice(0, 49)]);
  const long = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(190, 'x')).join(' ');
  expect(readScopes(long).join(' ').length).toBeLessThanOrEqual(4_000);
});
