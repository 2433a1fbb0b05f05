import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';

/** Documents and answers of one authorization server; a text is sent as it is, an array is a status and a body. */
type Said = object | string | readonly [status: number, body: object | string];

/** How a server, or its authorization server, deviates: members beside the usual ones, or whole answers. */
interface Oddity {
  /** Its address, as the server names it. */
  readonly named?: (issuer: string) => string;
  readonly resource?: JsonObject;
  readonly metadata?: JsonObject;
  /** Whole answers, by path. */
  readonly answers?: Readonly<Record<string, Said>>;
  readonly registered?: Said;
  readonly tokens?: Said;
  /** What its answer says of itself. */
  readonly iss?: (issuer: string) => string;
  /** What becomes of it: connected, unless a reason is given. */
  readonly refused?: string;
}

const METADATA = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const OPENID = '/.well-known/openid-configuration';
const TOKENS = { access_token: 'the-token', token_type: 'Bearer', expires_in: 3600, refresh_token: 'the-other' };
const REGISTERED = { client_id: 'the-client', redirect_uris: ['http://127.0.0.1/x'] };

const ODDITIES: Readonly<Record<string, Oddity>> = {
  'is right': {},
  'is named without the slash that it has': { metadata: { issuer: 'SELF/' } },
  'is named with a slash that it lacks': { named: (issuer) => `${issuer}/` },
  'is named in capital letters': { named: (issuer) => issuer.replace('http', 'HTTP') },
  'says the name with a slash that it has': { metadata: { issuer: 'SELF/' }, iss: (issuer) => `${issuer}/` },
  'has null and empty members': {
    metadata: {
      scopes_supported: null,
      revocation_endpoint: '',
      service_documentation: null,
      jwks_uri: '',
      code_challenge_methods_supported: [],
      token_endpoint_auth_methods_supported: [null, 'none'],
      introspection_endpoint: null,
      response_modes_supported: {},
    },
  },
  'lists scopes as one text': { metadata: { scopes_supported: 'read write' } },
  'lists no response types': { metadata: { response_types_supported: null } },
  'lists no ways of PKCE': { metadata: { code_challenge_methods_supported: null } },
  'writes S256 in small letters': { metadata: { code_challenge_methods_supported: ['plain', 's256'] } },
  'gives addresses below its own': { metadata: { authorization_endpoint: '/authorize', token_endpoint: 'token' } },
  'has the metadata of OpenID Connect without its own members': {
    answers: { [METADATA]: [404, ''], [OPENID]: 'META' },
  },
  'answers every address with a page, and has metadata at the second': {
    answers: { [METADATA]: '<html>welcome</html>', [OPENID]: 'META' },
  },
  'fails at the first address': { answers: { [METADATA]: [500, 'oh'], [OPENID]: 'META' } },
  'is described with nulls': { resource: { jwks_uri: null, resource_name: '', scopes_supported: null } },
  'is named without a list': { resource: { authorization_servers: 'SELF' } },
  'answers a registration with nulls': {
    registered: { client_id: 'the-client', client_secret: null, client_uri: null, redirect_uris: null, scope: null },
  },
  'answers a registration with an id alone': { registered: { client_id: 'the-client' } },
  'answers a registration with a number': { registered: { client_id: 17 } },
  'answers a registration with 200 and more': { registered: [200, { ...REGISTERED, registration_client_uri: 'x' }] },
  'gives tokens without a type': { tokens: { access_token: 'the-token' } },
  'gives tokens of a type in small letters': { tokens: { ...TOKENS, token_type: 'bearer' } },
  'gives null beside a token': {
    tokens: { ...TOKENS, scope: null, refresh_token: null, id_token: null, expires_in: null, error: null },
  },
  'says as a text how long a token lasts': { tokens: { ...TOKENS, expires_in: '3600' } },
  'says in words how long a token lasts': { tokens: { ...TOKENS, expires_in: 'an hour' } },
  'gives tokens as a form': { tokens: 'access_token=the-token&token_type=bearer' },
  'gives tokens with 201': { tokens: [201, TOKENS] },
  'is another than it says': { metadata: { issuer: 'https://elsewhere.example' }, refused: 'names another issuer' },
  'does not say who it is': { metadata: { issuer: null }, refused: "its metadata has no 'issuer'" },
  'has no address for tokens': { metadata: { token_endpoint: null }, refused: "has no 'token_endpoint'" },
  'knows another way of PKCE alone': {
    metadata: { code_challenge_methods_supported: ['plain'] },
    refused: "its 'code_challenge_methods_supported' lacks 'S256' (plain)",
  },
  'gives no codes': { metadata: { response_types_supported: ['token'] }, refused: "lacks 'code' (token)" },
  'has a page for metadata': {
    answers: { [METADATA]: '<html>', [OPENID]: '<html>' },
    refused: 'cannot be used: its answer is no JSON object',
  },
  'is the server itself, which does not describe itself': { answers: { [RESOURCE]: [404, ''] } },
  'is the server itself, without metadata, as 2025-03-26 has it': {
    answers: { [RESOURCE]: [404, ''], [METADATA]: [404, ''], [OPENID]: [404, ''] },
  },
  'is the server itself, whose well-known addresses want a token': {
    answers: { [RESOURCE]: [401, ''], [METADATA]: [401, ''], [OPENID]: [401, ''] },
  },
  'is the server itself, whose web application answers for all that is not there': {
    answers: { [RESOURCE]: [200, '<html>'], [METADATA]: [200, '<html>'], [OPENID]: [200, '<html>'] },
  },
  'is the server itself, which names none and has no metadata': {
    resource: { authorization_servers: [] },
    answers: { [METADATA]: [404, ''], [OPENID]: [404, ''] },
  },
  'is the server itself, without metadata and without registration': {
    answers: { [RESOURCE]: [404, ''], [METADATA]: [404, ''], [OPENID]: [404, ''], '/register': [404, ''] },
    refused: "does not register this gateway: it answered 404. Configure 'clientId'",
  },
  'is the server itself, whose metadata fail': {
    answers: { [RESOURCE]: [404, ''], [METADATA]: [503, ''], [OPENID]: [503, ''] },
    refused: 'cannot be used: it answered 503',
  },
  'has no metadata': { answers: { [METADATA]: [404, ''], [OPENID]: [404, ''] }, refused: 'it answered 404' },
  'refuses the registration': {
    registered: [400, { error: 'invalid_redirect_uri', error_description: 'the secret of it' }],
    refused: "it answered 400 with 'invalid_redirect_uri'. Configure 'clientId'",
  },
  'registers without an id': { registered: { client_secret: 'x' }, refused: "its answer has no 'client_id'" },
  'answers 200 with an error': { tokens: { error: 'invalid_code' }, refused: "it answered 'invalid_code'" },
  'writes the error as an object': {
    tokens: [400, { error: { code: 'INVALID_GRANT', message: 'the secret of it' } }],
    refused: "it answered 'invalid_grant'",
  },
  'refuses with a text': { tokens: [400, 'the secret of it'], refused: 'it answered 400 without the code of an error' },
  'says its name with a slash in its answer alone': {
    iss: (issuer) => `${issuer}/`,
    refused: 'of another authorization server',
  },
  'answers nothing': { tokens: {}, refused: "its answer has no 'access_token'" },
  'says that another has answered': {
    iss: () => 'https://elsewhere.example',
    refused: 'of another authorization server',
  },
};

interface OddServer {
  readonly url: string;
  /** What it was called with. */
  readonly tokens: string[];
  close(): void;
}

const isWhole = (said: Said): said is Extract<Said, readonly unknown[]> => Array.isArray(said);

/** A server and its authorization server in one, at an address of their own. */
async function startOddServer(oddity: Oddity): Promise<OddServer> {
  const tokens: string[] = [];
  const self = (): string => `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
  const send = (response: ServerResponse, said: Said): void => {
    const [status, body] = isWhole(said) ? said : ([200, said] as const);
    const text = body === 'META' ? JSON.stringify(metadata()) : typeof body === 'string' ? body : JSON.stringify(body);
    const type = text === '<html>' ? 'text/html; charset=utf-8' : 'application/json';
    response.writeHead(status, { 'content-type': type }).end(text.replaceAll('SELF', self()));
  };
  const metadata = (): object => ({
    issuer: self(),
    authorization_endpoint: `${self()}/authorize`,
    token_endpoint: `${self()}/token`,
    registration_endpoint: `${self()}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    ...oddity.metadata,
  });
  const wayBack = (asked: URL): string => {
    const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', 'the-code');
    back.searchParams.set('state', asked.searchParams.get('state') ?? '');
    if (oddity.iss !== undefined) back.searchParams.set('iss', oddity.iss(self()));
    return back.href;
  };
  const resource = (): object => {
    const named = (oddity.named ?? ((issuer) => issuer))(self());
    return { resource: `${self()}/mcp`, authorization_servers: [named], ...oddity.resource };
  };
  const documents: Readonly<Record<string, () => Said>> = {
    '/token': () => oddity.tokens ?? TOKENS,
    '/register': () => oddity.registered ?? [201, REGISTERED],
    [METADATA]: metadata,
    [RESOURCE]: resource,
    '/mcp': () => [401, ''],
  };
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', self());
    const { pathname } = asked;
    const { authorization } = request.headers;
    if (authorization !== undefined) tokens.push(authorization);
    request.resume().on('end', () => {
      if (pathname === '/authorize') response.writeHead(302, { location: wayBack(asked) }).end();
      else send(response, oddity.answers?.[pathname] ?? documents[pathname]?.() ?? [404, '']);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `${self()}/mcp`, tokens, close: () => server.close() };
}

const ALL = Object.keys(ODDITIES);
/** A gateway begins so many sign-ins a minute. */
const GROUP = 20;
const GROUPS = Array.from({ length: Math.ceil(ALL.length / GROUP) }, (_, at) =>
  ALL.slice(at * GROUP, (at + 1) * GROUP),
);

describe.each(GROUPS)('an account of a server is connected', (...names) => {
  const slugOf = (what: string): string => `s${names.indexOf(what)}`;
  const servers: OddServer[] = [];
  let live: LiveGateway;

  beforeAll(async () => {
    for (const what of names) servers.push(await startOddServer(ODDITIES[what] ?? {}));
    live = await openLiveGateway({
      server: { port: await freePort() },
      clients: { anna: { token: 'a-static-token-of-anna' } },
      mcpServers: Object.fromEntries(
        names.map((what, at) => [slugOf(what), { url: servers[at]?.url, credentials: { type: 'perUser' } }]),
      ),
    });
  });

  afterAll(async () => {
    await live[Symbol.asyncDispose]();
    for (const server of servers) server.close();
  });

  /** The page at the end of the way, as its reader sees it. */
  const connect = async (what: string): Promise<string> => {
    const browser = new ConnectingBrowser();
    const page = await browser.agree(`${new URL(live.url).origin}/connect/${slugOf(what)}`, 'token', {
      token: 'a-static-token-of-anna',
    });
    return (await browser.pass(page)).replaceAll('&#39;', "'");
  };

  const good = names.filter((what) => ODDITIES[what]?.refused === undefined);
  it.each(good)('where its authorization server %s', async (what) => {
    expect(await connect(what)).toContain('is connected');
    // Nobody's rights are used before their owner asks.
    const anna = await live.connect('http', 'modern', 'a-static-token-of-anna');
    await anna.callTool({ name: 'mcp_aql_read', arguments: { operation: `${slugOf(what)}__get_anything` } });
    await expect.poll(() => servers[names.indexOf(what)]?.tokens[0]).toBe('Bearer the-token');
  });

  const bad = names.filter((what) => ODDITIES[what]?.refused !== undefined);
  it.each(bad)('not where its authorization server %s, and the page and the log say why', async (what) => {
    const { refused = '' } = ODDITIES[what] ?? {};
    expect(await connect(what)).toContain(refused);
    const said = live.observations.flatMap((each) => (each.kind === 'notice' ? each.message : []));
    expect(said.filter((each) => each.includes(`${slugOf(what)}:`)).join(' ')).toContain(refused);
    expect(said.join(' ')).not.toContain('the secret of it');
    expect(servers[names.indexOf(what)]?.tokens).toEqual([]);
  });
});
