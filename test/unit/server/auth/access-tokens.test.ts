import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ALGORITHMS, type IssuerConfig } from '../../../../src/config/access-config.js';
import type { Observation } from '../../../../src/observe/observation.js';
import type { JsonObject } from '../../../../src/protocol/json.js';
import { AccessTokens } from '../../../../src/server/auth/access-tokens.js';

const RESOURCE = 'https://mcp.example/mcp';
const ISSUER = 'https://login.example/realms/main';
const START = Date.UTC(2030, 0, 1);
const ASKED: Partial<IssuerConfig> = {
  introspection: { clientId: 'gate way', clientSecret: 'a:secret', cacheSeconds: 30 },
};

type Key = Awaited<ReturnType<typeof newKey>>;

async function newKey(kid: string, alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An issuer without a network: what it answers can be changed at any time. */
async function openIssuer(config: Partial<IssuerConfig> = {}) {
  const state = {
    now: START,
    keys: [await newKey('one')] as Key[],
    isDown: false,
    metadata: {} as JsonObject,
    claims: (_token: string): JsonObject | number => ({ active: false }),
    requests: [] as { url: string; body: string; authorization: string | null }[],
  };
  const observations: Observation[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body ?? '');
    state.requests.push({ url: String(url), body, authorization: new Headers(init?.headers).get('authorization') });
    if (state.isDown) throw new TypeError('fetch failed');
    if (String(url) === 'https://login.example/.well-known/openid-configuration/realms/main') {
      const addresses = { jwks_uri: `${ISSUER}/keys`, introspection_endpoint: `${ISSUER}/introspect` };
      return Response.json({ issuer: ISSUER, ...addresses, ...state.metadata });
    }
    if (String(url) === `${ISSUER}/keys`) return Response.json({ keys: state.keys.map(({ jwk }) => jwk) });
    if (String(url) !== `${ISSUER}/introspect`) return new Response('', { status: 404 });
    const claims = state.claims(new URLSearchParams(body).get('token') ?? '');
    return typeof claims === 'number' ? new Response('', { status: claims }) : Response.json(claims);
  };
  const issuer: IssuerConfig = {
    name: 'corp',
    issuer: ISSUER,
    audience: [],
    algorithms: DEFAULT_ALGORITHMS,
    scopes: [],
    groupsPrefix: '',
    claims: {},
    clockToleranceSeconds: 30,
    ...config,
  };
  const deps = { fetch, observe: (each: Observation) => void observations.push(each), now: () => state.now };
  const tokens = new AccessTokens({ resource: RESOURCE, issuers: [issuer] }, deps);
  const sign = (claims: JsonObject = {}, header: JsonObject = {}, key = state.keys[0] as Key): Promise<string> =>
    new SignJWT({ iss: ISSUER, aud: RESOURCE, sub: 'alice', client_id: 'app', exp: START / 1_000 + 3_600, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  const countOf = (end: string): number => state.requests.filter(({ url }) => url.endsWith(end)).length;
  return { state, observations, sign, countOf, check: (token: string) => tokens.check(token) };
}

describe('an access token that is a JSON Web Token', () => {
  it('says who its caller is', async () => {
    const { sign, check } = await openIssuer({
      groupsClaim: 'realm_access.roles',
      groupsPrefix: 'corp/',
      claims: { engineers: { department: ['eng', 'research'], email_verified: [true] }, all: { staff: [true] } },
    });
    const token = await sign({
      scope: 'mcp:call mcp:admin',
      realm_access: { roles: ['staff', 7, 'line\nbreak'] },
      department: 'research',
      email_verified: true,
    });
    expect(await check(token)).toMatchObject({
      kind: 'accepted',
      until: START + 300_000,
      client: {
        key: 'corp:alice by corp:app',
        identity: {
          client: 'corp:app',
          user: 'corp:alice',
          groups: ['corp/staff', 'engineers'],
          scopes: ['mcp:call', 'mcp:admin'],
        },
      },
    });
  });

  it('of a client that acts for itself names no user', async () => {
    const { sign, check } = await openIssuer();
    const verdict = await check(await sign({ sub: 'app', scp: ['a'] }));
    expect(verdict).toMatchObject({ kind: 'accepted', client: { identity: { client: 'corp:app', scopes: ['a'] } } });
    expect(verdict.kind === 'accepted' && verdict.client.identity.user).toBeUndefined();
  });

  it.each([
    ['has expired', { exp: START / 1_000 - 31 }, {}],
    ['is not valid yet', { nbf: START / 1_000 + 31 }, {}],
    ['is not issued for this gateway', { aud: 'https://other.example/mcp' }, {}],
    ['is not issued for this gateway', { aud: `${RESOURCE}evil` }, {}],
    ['is not issued for this gateway', { aud: [] }, {}],
    ['is bound to a key', { cnf: { jkt: 'x' } }, {}],
    ["claim 'exp'", { exp: undefined }, {}],
    ['of another kind than an access token', {}, { typ: 'logout+jwt' }],
    ['its issuer is none', { iss: 'https://evil.example' }, {}],
    ['names neither a user', { sub: undefined, client_id: undefined }, {}],
    ['names neither a user', { sub: 'a\nb', client_id: 'c\u2028d' }, {}],
  ])('is refused because it %s', async (why, claims, header) => {
    const { sign, check } = await openIssuer();
    expect(await check(await sign(claims as JsonObject, header))).toEqual({
      kind: 'invalid',
      why: expect.stringContaining(why),
    });
  });

  it('is accepted within the tolerance of clocks, for a view, and for an audience of its own', async () => {
    const { sign, check } = await openIssuer();
    const good = [{ exp: START / 1_000 - 29 }, { aud: `${RESOURCE}/support` }, { aud: ['x', RESOURCE] }];
    for (const claims of good) expect((await check(await sign(claims))).kind).toBe('accepted');
    const other = await openIssuer({ audience: ['api://gateway'] });
    expect((await other.check(await other.sign())).kind).toBe('invalid');
    expect((await other.check(await other.sign({ aud: 'api://gateway' }))).kind).toBe('accepted');
  });

  it('is refused with a signature that is not its issuer’s, or of a kind that is not accepted, and none of them costs a request', async () => {
    const { state, sign, check, countOf } = await openIssuer();
    expect((await check(await sign())).kind).toBe('accepted');
    const forged = await sign({}, {}, { ...(await newKey('one')), kid: 'one' });
    const [head, body] = (await sign()).split('.');
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`;
    const shared = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })}.${body}.${encode({ a: 1 })}`;
    const cut = `${head}.${body}.AAAA`;
    for (const wrong of [forged, none, shared, cut]) expect((await check(wrong)).kind).toBe('invalid');
    expect([countOf('/keys'), state.requests.length]).toEqual([1, 3]);
  });

  it('may be signed with a key that came later, and invented names of keys fetch the keys no more than twice a minute', async () => {
    const { state, sign, check, countOf } = await openIssuer();
    expect((await check(await sign())).kind).toBe('accepted');
    const next = await newKey('two', 'RS256');
    state.keys = [next];
    state.now += 31_000;
    expect((await check(await sign())).kind).toBe('accepted');
    for (let index = 0; index < 50; index += 1) {
      expect((await check(await sign({}, { kid: `invented-${index}` }))).kind).toBe('invalid');
    }
    expect(countOf('/keys')).toBe(2);
  });

  it('without the name of its key is held against every key', async () => {
    const { state, sign, check } = await openIssuer();
    state.keys = [await newKey('a'), await newKey('b')];
    expect((await check(await sign({}, { kid: undefined }, state.keys[1]))).kind).toBe('accepted');
    expect((await check(await sign({}, { kid: undefined }, await newKey('c')))).kind).toBe('invalid');
  });

  it('that grants too little is told which scopes are needed', async () => {
    const { sign, check } = await openIssuer({ scopes: ['mcp:call', 'mcp:admin'] });
    expect(await check(await sign({ scope: 'mcp:call' }))).toEqual({
      kind: 'insufficient',
      scopes: ['mcp:call', 'mcp:admin'],
    });
  });

  it('is checked with the known keys while its issuer is down, and cannot be checked where there are none', async () => {
    const { state, sign, check, countOf, observations } = await openIssuer();
    state.isDown = true;
    const token = await sign();
    const verdicts = [await check(token), await check(token)];
    expect(verdicts).toEqual(Array(2).fill({ kind: 'unavailable', issuer: 'corp', retryAfterSeconds: 1 }));
    expect(state.requests).toHaveLength(1);
    state.now += 1_000;
    state.isDown = false;
    expect((await check(token)).kind).toBe('accepted');
    state.isDown = true;
    state.now += 1_200_000;
    expect((await check(await sign({ exp: state.now / 1_000 + 60 }))).kind).toBe('accepted');
    expect(countOf('/keys')).toBe(1);
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'notice', level: 'warn' }));
  });

  it('is not checked with the keys of metadata that name another issuer', async () => {
    const { state, sign, check } = await openIssuer();
    state.metadata = { issuer: 'https://evil.example' };
    expect((await check(await sign())).kind).toBe('unavailable');
  });
});

describe('an opaque access token', () => {
  const active = { active: true, sub: 'alice', client_id: 'app', aud: RESOURCE, scope: 'a', exp: START / 1_000 + 10 };

  it('is asked about, with the credentials of the gateway', async () => {
    const { state, check } = await openIssuer(ASKED);
    state.claims = (token) => (token === 'opaque-1' ? active : { active: false });
    expect(await check('opaque-1')).toMatchObject({
      kind: 'accepted',
      until: START + 10_000,
      client: { identity: { user: 'corp:alice', client: 'corp:app', scopes: ['a'] } },
    });
    expect(await check('opaque-2')).toMatchObject({ kind: 'invalid' });
    const { authorization, body } = state.requests.at(-1) ?? { authorization: '', body: '' };
    expect(body).toContain('token=opaque-2');
    expect(Buffer.from(String(authorization).slice(6), 'base64').toString()).toBe('gate+way:a%3Asecret');
  });

  it.each([
    ['is not issued for this gateway', { aud: undefined }],
    ['is not issued for this gateway', { aud: 'https://other.example' }],
    ['issuer is another', { iss: 'https://other.example' }],
    ['has expired', { exp: START / 1_000 - 60 }],
  ])('is refused because it %s', async (why, claims) => {
    const { state, check } = await openIssuer(ASKED);
    state.claims = () => ({ ...active, ...claims });
    expect(await check('opaque')).toEqual({ kind: 'invalid', why: expect.stringContaining(why) });
  });

  it('that its issuer finds malformed does not count against the issuer, but an issuer that fails is left alone for a while', async () => {
    const { state, check, countOf } = await openIssuer(ASKED);
    state.claims = () => 400;
    expect([(await check('a')).kind, (await check('b')).kind, countOf('/introspect')]).toEqual([
      'invalid',
      'invalid',
      2,
    ]);
    state.claims = () => 500;
    expect([(await check('c')).kind, (await check('d')).kind, countOf('/introspect')]).toEqual([
      'unavailable',
      'unavailable',
      3,
    ]);
    state.now += 1_000;
    state.claims = () => active;
    expect((await check('e')).kind).toBe('accepted');
  });

  it('is refused where no issuer could be asked, and where it cannot be one', async () => {
    const { check, state } = await openIssuer();
    expect(await check('opaque')).toMatchObject({ kind: 'invalid' });
    expect(await check('a token with blanks')).toMatchObject({ kind: 'invalid' });
    expect(await check(`${'a'.repeat(20_000)}`)).toMatchObject({ kind: 'invalid' });
    expect(state.requests).toEqual([]);
  });
});
