import { expect, it } from 'vitest';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { ConnectFlow } from '../../../../src/upstream/credentials/connect-flow.js';
import { keepRegistrations } from '../../../../src/upstream/credentials/credential-service.js';
import { Grants } from '../../../../src/upstream/credentials/grants.js';
import { OAuthClient } from '../../../../src/upstream/credentials/oauth-client.js';
import { UserTokens } from '../../../../src/upstream/credentials/user-tokens.js';
import { Vault } from '../../../../src/upstream/credentials/vault.js';

const SERVER = 'https://crm.example/mcp';
const [FIRST, SECOND] = ['https://login.example', 'https://elsewhere.example'] as const;
const ALICE = { user: 'corp:alice' };
const OWNER = 'user corp:alice';

/** A server, the authorization server that it names, and a gateway whose users connect to it. */
function openWorld() {
  let issuer: string = FIRST;
  let time = 0;
  const redeemed: string[] = [];
  const fetch = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(address));
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return Response.json({ resource: SERVER, authorization_servers: [issuer], scopes_supported: ['read'] });
    if (url.pathname.startsWith('/.well-known/oauth-authorization-server'))
      return Response.json({
        issuer: url.origin,
        authorization_endpoint: `${url.origin}/authorize`,
        token_endpoint: `${url.origin}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      });
    if (url.pathname !== '/token') return new Response('', { status: 404 });
    redeemed.push(`${url.origin} ${new URLSearchParams(String(init?.body)).get('code')}`);
    return Response.json({ access_token: `token-${redeemed.length}`, token_type: 'Bearer' });
  };
  const now = (): number => time;
  const store = new MemoryStore(now);
  const vault = new Vault('a key of sixteen letters');
  const grants = new Grants(store, vault, now);
  const publicUrl = 'https://gateway.example';
  const registrations = keepRegistrations(store, vault, { redirectUrl: `${publicUrl}/connect/callback`, now });
  const client = new OAuthClient({ fetch: fetch as typeof globalThis.fetch, now, publicUrl, registrations });
  const settings = { clientId: 'gateway', scopes: [] };
  const deps = { grants, client, now, onEnded: () => {}, warn: () => {} };
  const tokens = new UserTokens({ slug: 'crm', url: SERVER, settings }, deps);
  let url = SERVER;
  const upstream = { name: 'crm', slug: 'crm', settings, tokens, client };
  const flow = new ConnectFlow({
    store,
    vault,
    grants,
    client,
    publicUrl,
    now,
    upstream: (slug) => (slug === 'crm' ? { ...upstream, url } : undefined),
    issuer: () => undefined,
    onChanged: () => {},
  });
  return {
    flow,
    grants,
    tokens,
    redeemed,
    moveTo: (next: string) => {
      issuer = next;
    },
    readdress: (next: string) => {
      url = next;
    },
    pass: (ms: number) => {
      time += ms;
    },
  };
}

type World = ReturnType<typeof openWorld>;

/** Sends a browser to the authorization server. */
async function depart({ flow }: World, code?: string): Promise<URL> {
  return flow.authorize({ upstream: 'crm', code, intent: 'connect', browser: 'a browser' }, ALICE);
}

/** How the authorization server's answer comes back. */
function answerTo(departed: URL, changes: Readonly<Record<string, string>> = {}) {
  const state = departed.searchParams.get('state') ?? '';
  return { state, code: 'a code', iss: FIRST, browser: 'a browser', ...changes };
}

it('takes an answer once, and from the browser that was sent away', async () => {
  const world = openWorld();
  const departed = await depart(world);
  await expect(world.flow.answer(answerTo(departed, { browser: 'another' }))).rejects.toThrow('no request of this');
  await expect(world.flow.answer(answerTo(departed))).resolves.toMatchObject({ kind: 'connected' });
  await expect(world.flow.answer(answerTo(departed))).rejects.toThrow('has been used');
  const late = await depart(world);
  world.pass(600_000);
  await expect(world.flow.answer(answerTo(late))).rejects.toThrow('no request of this');
  expect(world.redeemed).toEqual([`${FIRST} a code`]);
});

it('redeems no code at another authorization server than the one that the browser was sent to', async () => {
  const world = openWorld();
  await expect(world.flow.answer(answerTo(await depart(world), { iss: SECOND }))).rejects.toThrow();
  const departed = await depart(world);
  // What is known of the server's metadata is read again after a while.
  world.moveTo(SECOND);
  await world.grants.save({
    ...{ upstream: 'crm', owner: OWNER, resource: SERVER, issuer: FIRST, scope: '', demanded: '', grantedAt: 0 },
    client: { client_id: 'gateway' },
    tokens: { accessToken: 'refused' },
  });
  await world.tokens.other(OWNER, 'refused');
  await expect(world.flow.answer(answerTo(departed))).rejects.toThrow('another authorization server');
  expect(world.redeemed).toEqual([]);
});

it('keeps nothing for a server that has got another address while its user was away', async () => {
  const world = openWorld();
  const departed = await depart(world);
  world.readdress('https://another.example/mcp');
  await expect(world.flow.answer(answerTo(departed))).rejects.toThrow('another address');
  expect([world.redeemed, await world.grants.list()]).toEqual([[], []]);
});

it('takes a link once, of its own server, and for the person whose call it is of', async () => {
  const world = openWorld();
  const codeOf = async (owner: string): Promise<string> =>
    new URL((await world.flow.link('crm', owner)).url).searchParams.get('code') ?? '';
  const code = await codeOf(OWNER);
  expect([await world.flow.ownerOf('crm', code), await world.flow.ownerOf('other', code)]).toEqual([OWNER, undefined]);
  await depart(world, code);
  await expect(depart(world, code)).rejects.toThrow('has been used');
  const strange = await codeOf('user corp:bob');
  await expect(depart(world, strange)).rejects.toThrow('do not go on');
});

it('asks for what was granted and demanded, for nothing twice, and for no more than a bounded number', async () => {
  const world = openWorld();
  await world.flow.answer(answerTo(await depart(world)));
  await world.tokens.demand(OWNER, 'write read');
  expect(await world.tokens.lacking(OWNER)).toEqual(['write']);
  const departed = await depart(world);
  expect(departed.searchParams.get('scope')).toBe('read write');
  await world.flow.answer(answerTo(departed));
  await world.tokens.demand(OWNER, 'write');
  expect(await world.tokens.lacking(OWNER)).toEqual([]);
  for (let call = 0; call < 200; call += 1) await world.tokens.demand(OWNER, `more:${call}`);
  expect((await world.tokens.targetFor(OWNER)).scopes).toHaveLength(50);
});
