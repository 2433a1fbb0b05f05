import { expect, it } from 'vitest';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';
import { Grants } from '../../../../src/upstream/credentials/grants.js';
import { type ClientSettings, OAuthClient } from '../../../../src/upstream/credentials/oauth-client.js';
import { UserTokens } from '../../../../src/upstream/credentials/user-tokens.js';
import { Vault } from '../../../../src/upstream/credentials/vault.js';

const URL_OF_SERVER = 'https://crm.example/mcp';
const ISSUER = 'https://login.example';
const OWNER = 'user corp:alice';

/** An authorization server whose refresh tokens count once. */
function openIssuer(mayAnswer: Promise<unknown> = Promise.resolve()) {
  let current = 'refresh-1';
  const used: string[] = [];
  const secrets: string[] = [];
  let instead: (() => Response) | undefined;
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
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    },
  };
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (instead !== undefined && String(url).startsWith(ISSUER)) return instead();
    if (String(url) !== `${ISSUER}/token`) {
      const document = documents[String(url)];
      return document === undefined ? new Response('', { status: 404 }) : Response.json(document);
    }
    const sent = new URLSearchParams(String(init?.body)).get('refresh_token') ?? '';
    used.push(sent);
    secrets.push(new Headers(init?.headers).get('authorization') ?? '');
    await mayAnswer;
    if (sent !== current) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    current = `refresh-${used.length + 1}`;
    const access_token = `access-${used.length + 1}`;
    return Response.json({ access_token, token_type: 'Bearer', refresh_token: current, expires_in: 3_600 });
  };
  return {
    fetch: fetch as typeof globalThis.fetch,
    used,
    secrets,
    /** Answers so from now on; as it should without a function. */
    answer(next?: () => Response) {
      instead = next;
    },
  };
}

interface ReplicaOptions {
  readonly key?: string;
  readonly now?: () => number;
  readonly settings?: ClientSettings;
}

function openReplica(store: StateStore, fetch: typeof globalThis.fetch, options: ReplicaOptions = {}) {
  const { key = 'a key of sixteen letters', now = Date.now, settings = { scopes: [] } } = options;
  const grants = new Grants(store, new Vault(key), now);
  const registrations = {
    find: async () => undefined,
    keep: async () => undefined,
    forget: async () => undefined,
    bind: async (_o: string, _c: string, issuer: string) => issuer,
  };
  const client = new OAuthClient({ fetch, now, publicUrl: 'https://gateway.example', registrations });
  const ended: string[] = [];
  const onEnded = (owner: string): void => void ended.push(owner);
  const warned: string[] = [];
  const warn = (message: string): void => void warned.push(message);
  const upstream = { slug: 'crm', url: URL_OF_SERVER, settings };
  return { grants, ended, warned, tokens: new UserTokens(upstream, { grants, client, now, onEnded, warn }) };
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
  expect(
    await openReplica(store, issuer.fetch, { key: 'another key of the operator' }).tokens.usable(OWNER),
  ).toBeUndefined();
  await grants.save({ ...fresh, resource: 'https://other.example/mcp' });
  expect(await openReplica(store, issuer.fetch).tokens.usable(OWNER)).toBeUndefined();
});

it.each([
  ['an error', () => new Response('down for work', { status: 503 }), 'it answered 503'],
  ['a page', () => new Response('<h1>Sign in</h1>'), "its answer has no 'access_token'"],
  ['too much', () => new Response(`"${'x'.repeat(600_000)}"`), 'its answer is too large'],
] as const)(
  'keeps what was granted while the authorization server answers %s, and asks it again after a pause',
  async (_what, answer, why) => {
    let time = Date.now();
    const issuer = openIssuer();
    const replica = openReplica(new MemoryStore(() => time), issuer.fetch, { now: () => time });
    const { grants, tokens, ended, warned } = replica;
    await grants.save({ ...GRANT, tokens: { ...GRANT.tokens, expiresAt: time + 20_000 } });
    await tokens.target();
    let asked = 0;
    issuer.answer(() => {
      asked += 1;
      return answer();
    });
    // The token is good for a while.
    expect([await tokens.usable(OWNER), await tokens.usable(OWNER), asked]).toEqual(['access-1', 'access-1', 1]);
    time += 21_000;
    await expect(tokens.usable(OWNER)).rejects.toThrow(why);
    await expect(tokens.usable(OWNER)).rejects.toThrow(why);
    expect([asked, ended, warned]).toEqual([2, [], [expect.stringMatching(/^crm: the access of its users cannot be/)]]);
    issuer.answer();
    time += 6_000;
    expect(await tokens.usable(OWNER)).toBe('access-2');
  },
);

it('keeps what was granted where its own metadata cannot be had for now', async () => {
  const issuer = openIssuer();
  let isDown = true;
  const fetch = (async (url: string | URL | Request, init?: RequestInit) => {
    const { origin, pathname } = new URL(String(url));
    if (!isDown || origin !== new URL(URL_OF_SERVER).origin) return issuer.fetch(url, init);
    if (!pathname.startsWith('/.well-known/oauth-authorization-server')) return new Response('', { status: 502 });
    const at = (path: string): string => `${origin}${path}`;
    return Response.json({
      ...{ issuer: origin, authorization_endpoint: at('/auth'), token_endpoint: at('/token') },
      response_types_supported: ['code'],
    });
  }) as typeof globalThis.fetch;
  let time = Date.now();
  const { grants, tokens, ended } = openReplica(new MemoryStore(() => time), fetch, { now: () => time });
  await grants.save(GRANT);
  await expect(tokens.usable(OWNER)).rejects.toThrow('cannot be read');
  isDown = false;
  time += 6_000;
  expect([await tokens.usable(OWNER), ended]).toEqual(['access-2', []]);
});

it('refreshes with the secret that is configured now, and forgets nothing where that one is refused', async () => {
  let time = Date.now();
  const issuer = openIssuer();
  const settings = { clientId: 'gateway', clientSecret: 'the new secret', scopes: [] };
  const { grants, tokens, ended } = openReplica(new MemoryStore(() => time), issuer.fetch, {
    settings,
    now: () => time,
  });
  await grants.save({ ...GRANT, client: { client_id: 'gateway', client_secret: 'the old secret' } });
  await tokens.target();
  issuer.answer(() => Response.json({ error: 'invalid_client' }, { status: 401 }));
  await expect(tokens.usable(OWNER)).rejects.toThrow("check 'clientId' and 'clientSecret'");
  issuer.answer();
  time += 6_000;
  expect([await tokens.usable(OWNER), ended]).toEqual(['access-2', []]);
  expect(issuer.secrets).toEqual([`Basic ${Buffer.from('gateway:the new secret').toString('base64')}`]);
});

it('keeps new tokens though its record is changed in the same moment', async () => {
  class BusyStore extends MemoryStore {
    #times = 0;
    override async replace(...[collection, key, version, value]: Parameters<MemoryStore['replace']>): Promise<boolean> {
      this.#times += 1;
      // Another request writes what the server demands.
      const record = this.#times === 2 ? await this.get(collection, key) : undefined;
      if (record !== undefined)
        await super.replace(collection, key, record.version, { ...record.value, demanded: 'write' });
      return super.replace(collection, key, version, value);
    }
  }
  const { grants, tokens } = openReplica(new BusyStore(Date.now), openIssuer().fetch);
  await grants.save(GRANT);
  expect([await tokens.usable(OWNER), await tokens.usable(OWNER)]).toEqual(['access-2', 'access-2']);
  expect(await tokens.lacking(OWNER)).toEqual(['write']);
});

it('lists whose grants there are, also where another key has encrypted them', async () => {
  const store = new MemoryStore(Date.now);
  const { fetch } = openIssuer();
  const { grants } = openReplica(store, fetch);
  const withToken = (owner: string, grantedAt: number) => ({
    ...GRANT,
    owner,
    grantedAt,
    tokens: { accessToken: owner },
  });
  await openReplica(store, fetch, { key: 'another key of the operator' }).grants.save(withToken('anna', 1));
  await grants.save(withToken('ben', 2));
  expect((await grants.list()).map(({ owner, readable }) => [owner, readable])).toEqual([
    ['anna', false],
    ['ben', true],
  ]);
});
