import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { DEFAULT_ALGORITHMS, type IssuerConfig } from '../../../../src/config/access-config.js';
import { AccessTokens } from '../../../../src/server/auth/access-tokens.js';

const RESOURCE = 'https://mcp.example/mcp';
const ISSUER = 'https://login.example/realms/main';
const START = Date.UTC(2030, 0, 1);
const ASKED: Partial<IssuerConfig> = {
  introspection: { clientId: 'gate way', clientSecret: 'a:secret', cacheSeconds: 30 },
};

const OTHER: IssuerConfig = {
  name: 'partner',
  issuer: 'https://partner.example',
  jwksUri: 'https://partner.example/keys',
  audience: [],
  algorithms: DEFAULT_ALGORITHMS,
  scopes: [],
  groupsPrefix: '',
  claims: {},
  clockToleranceSeconds: 30,
};

type Key = Awaited<ReturnType<typeof newKey>>;

async function newKey(kid: string, alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An issuer without a network: what it answers can be changed at any time. */
async function openIssuer(config: Partial<IssuerConfig> = {}, others: readonly IssuerConfig[] = []) {
  const state = {
    now: START,
    keys: [await newKey('one')] as Key[],
    otherKeys: [] as Key[],
    isDown: false,
    metadata: {} as JsonObject,
    claims: (_token: string): JsonObject | number | Response => ({ active: false }),
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
    if (String(url) === OTHER.jwksUri) return Response.json({ keys: state.otherKeys.map(({ jwk }) => jwk) });
    if (String(url) === `${ISSUER}/keys`) return Response.json({ keys: state.keys.map(({ jwk }) => jwk) });
    if (String(url) !== `${ISSUER}/introspect`) return new Response('', { status: 404 });
    const claims = state.claims(new URLSearchParams(body).get('token') ?? '');
    if (claims instanceof Response) return claims;
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
  const tokens = new AccessTokens({ resource: RESOURCE, issuers: [issuer, ...others] }, deps);
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
    ['is an ID token', { nonce: 'n' }, {}],
    ['is an ID token and no access token', { at_hash: 'h' }, {}],
    ['is an ID token and no', { c_hash: 'h' }, {}],
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

  it('for the addresses of views opens these alone, and for that of the whole opens all', async () => {
    const { sign, check } = await openIssuer();
    const viewsOf = async (aud: string | string[]) => {
      const verdict = await check(await sign({ aud }));
      return verdict.kind === 'accepted' ? (verdict.client.views ?? 'all') : verdict.kind;
    };
    expect(await viewsOf(`${RESOURCE}/code`)).toEqual(['code']);
    expect(await viewsOf([`${RESOURCE}/code/`, 'https://other.example', `${RESOURCE}/no/such`])).toEqual([
      'code',
      'no/such',
    ]);
    expect(await viewsOf([`${RESOURCE}/code`, RESOURCE])).toBe('all');
    expect(await viewsOf(`${RESOURCE}/`)).toBe('all');
    expect(await viewsOf(`${RESOURCE}code`)).toBe('invalid');
    const asConfigured = await openIssuer({ audience: [`${RESOURCE}/code`, 'api://gateway'] });
    expect(await asConfigured.check(await asConfigured.sign({ aud: `${RESOURCE}/code` }))).toMatchObject({
      client: { views: ['code'] },
    });
    const ofName = await asConfigured.check(await asConfigured.sign({ aud: 'api://gateway' }));
    expect(ofName).not.toHaveProperty('client.views');
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

  it('is refused with a key of another issuer, whichever of them it names', async () => {
    const { state, sign, check } = await openIssuer({}, [OTHER]);
    state.otherKeys = [await newKey('theirs')];
    const theirs = state.otherKeys[0] as Key;
    expect((await check(await sign({ iss: OTHER.issuer }, {}, theirs))).kind).toBe('accepted');
    for (const kid of ['theirs', 'one', undefined]) {
      expect(await check(await sign({}, { kid }, theirs))).toMatchObject({ kind: 'invalid' });
      expect(await check(await sign({ iss: OTHER.issuer }, { kid }))).toMatchObject({ kind: 'invalid' });
    }
  });

  it('is refused where its header brings a key, or demands what is not understood', async () => {
    const { sign, check, state } = await openIssuer();
    const evil = await newKey('evil');
    const brought = { jwk: evil.jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example/chain' };
    expect((await check(await sign({}, brought, evil))).kind).toBe('invalid');
    expect((await check(await sign({}, { ...brought, kid: 'one' }, evil))).kind).toBe('invalid');
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, body, signature] = (await sign()).split('.');
    for (const crit of [['never-heard-of'], ['b64'], [], 'b64']) {
      const head = encode({ alg: 'ES256', kid: 'one', typ: 'at+jwt', crit, b64: false, 'never-heard-of': 1 });
      expect((await check(`${head}.${body}.${signature}`)).kind).toBe('invalid');
    }
    expect(state.requests.some(({ url }) => url.includes('evil'))).toBe(false);
  });

  it('that names a key of its issuer which cannot be used is refused, and no defect of the gateway', async () => {
    const { state, sign, check, observations } = await openIssuer();
    const [good] = state.keys as [Key];
    const broken = { ...good, kid: 'broken', jwk: { ...good.jwk, kid: 'broken', x: 'AAAA' } };
    const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'sig' };
    const short = { ...good, kid: 'short', alg: 'RS256', jwk: { ...rsa, kid: 'short', alg: 'RS256' } as never };
    state.keys = [good, broken, short];
    expect((await check(await sign())).kind).toBe('accepted');
    const shortToken = (await sign({}, { kid: 'short' })).split('.');
    shortToken[0] = Buffer.from('{"alg":"RS256","kid":"short"}').toString('base64url');
    for (const token of [await sign({}, { kid: 'broken' }), shortToken.join('.')]) {
      expect(await check(token)).toEqual({ kind: 'invalid', why: expect.stringContaining('key') });
    }
    expect(observations).toEqual([]);
    expect((await check(await sign({}, { kid: undefined }))).kind).toBe('accepted');
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
    const { state, sign, check, observations } = await openIssuer();
    state.metadata = { issuer: 'https://evil.example' };
    expect((await check(await sign())).kind).toBe('unavailable');
    expect(observations).toMatchObject([{ message: expect.stringContaining('its metadata names another issuer') }]);
  });

  it('of an issuer with TLS is not checked with keys that come without', async () => {
    const { state, sign, check, observations } = await openIssuer();
    state.metadata = { jwks_uri: ISSUER.replace('https:', 'http:') };
    expect((await check(await sign())).kind).toBe('unavailable');
    expect(state.requests.every(({ url }) => url.startsWith('https:'))).toBe(true);
    expect(observations).toMatchObject([{ message: expect.stringContaining("'jwks_uri' has no TLS") }]);
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

  it.each([
    ['two megabytes', () => new Response(`{"active":true,"sub":"${'a'.repeat(2_000_000)}"}`), 'is too large'],
    ['HTML', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'is no JSON object'],
    ['a list', () => new Response('[{"active":true}]'), 'is no JSON object'],
    ['a failure', () => new Response('{"active":true}', { status: 500 }), 'answered 500'],
  ])('cannot be checked where its issuer answers with %s, and is asked about again', async (_what, answer, why) => {
    const { state, check, observations } = await openIssuer(ASKED);
    state.claims = answer;
    expect(await check('opaque')).toEqual({ kind: 'unavailable', issuer: 'corp', retryAfterSeconds: 1 });
    expect(observations).toMatchObject([{ kind: 'notice', message: expect.stringContaining(why) }]);
    state.now += 1_000;
    state.claims = () => active;
    expect((await check('opaque')).kind).toBe('accepted');
  });

  it('is refused where its issuer does not say that it is active', async () => {
    const { state, check } = await openIssuer(ASKED);
    for (const said of [{ ...active, active: 'true' }, { ...active, active: 1 }, { error: 'x' }, {}]) {
      state.claims = () => said;
      expect((await check('opaque')).kind).toBe('invalid');
    }
  });

  it('is asked about where the metadata say, also after they have changed, and never without TLS', async () => {
    const { state, check, countOf, observations } = await openIssuer(ASKED);
    state.claims = () => active;
    state.metadata = { introspection_endpoint: 'http://login.example/introspect' };
    expect((await check('opaque')).kind).toBe('unavailable');
    expect(observations).toMatchObject([{ message: expect.stringContaining("'introspection_endpoint' has no TLS") }]);
    state.now += 1_000;
    state.metadata = { introspection_endpoint: 'https://login.example/former' };
    expect((await check('opaque')).kind).toBe('unavailable');
    state.now += 2_000;
    state.metadata = {};
    expect((await check('opaque')).kind).toBe('accepted');
    expect(countOf('/former')).toBe(1);
  });

  it('is refused where no issuer could be asked, and where it cannot be one', async () => {
    const { check, state } = await openIssuer();
    expect(await check('opaque')).toMatchObject({ kind: 'invalid' });
    expect(await check('a token with blanks')).toMatchObject({ kind: 'invalid' });
    expect(await check(`${'a'.repeat(20_000)}`)).toMatchObject({ kind: 'invalid' });
    expect(state.requests).toEqual([]);
  });
});
