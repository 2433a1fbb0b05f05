import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

/**
 * Starts a real authorization server on a free port of this machine. Its people are whoever signs in; `groups` says who is in which
 * groups. See authorization-server.d.mts.
 */
export async function startAuthorizationServer({
  resource,
  format = 'jwt',
  groups = {},
  documents = {},
  clients = [],
  tokenSeconds = 3_600,
}) {
  const counts = { keys: 0, introspections: 0 };
  let intercept = () => false;
  let handler = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => {
    if (request.url === '/jwks') counts.keys += 1;
    if (request.url === '/token/introspection') counts.introspections += 1;
    if (!intercept(request, response)) handler(request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  // Loaded here, as who only signs in does without it.
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access', 'mcp:call', 'mcp:admin'],
    cookies: { keys: ['a-key-for-tests'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    extraTokenClaims: (_context, token) => ({ groups: groups[token.accountId] ?? [] }),
    ttl: {
      AccessToken: () => tokenSeconds,
      RefreshToken: () => 86_400,
      Session: () => 3_600,
      Grant: () => 3_600,
      Interaction: () => 600,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    fetch: async (url, options) => {
      const document = documents[String(url)];
      return document === undefined ? fetch(url, options) : Response.json({ client_id: String(url), ...document });
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, wanted) => ({
          scope: 'mcp:call mcp:admin',
          audience: wanted,
          accessTokenFormat: format,
          ...(format === 'jwt' ? { jwt: { sign: { alg: 'RS256' } } } : {}),
        }),
      },
    },
  });
  registerTokenExchange(provider, issuer);
  const answer = provider.callback();
  handler = answer;
  return {
    issuer,
    counts,
    intercept(next) {
      intercept = next ?? (() => false);
    },
    setDown(isDown) {
      handler = isDown ? (_request, response) => response.writeHead(503).end() : answer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Exchanges an access token of this server for one of the same person for another resource (RFC 8693). */
function registerTokenExchange(provider, issuer) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const exchange = async (context) => {
    const { errors } = await import('oidc-provider');
    const { client, params } = context.oidc;
    const { payload } = await jwtVerify(params.subject_token, keys, { issuer }).catch(() => ({}));
    if (payload === undefined) throw new errors.InvalidGrant('the token is not one of this server');
    const resourceServer = await provider.ResourceServer;
    const token = new provider.AccessToken({
      accountId: payload.sub,
      client,
      scope: 'mcp:call',
      gty: 'token_exchange',
    });
    token.resourceServer = new resourceServer(params.resource, {
      scope: 'mcp:call',
      audience: params.resource,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'RS256' } },
    });
    context.body = {
      access_token: await token.save(),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: token.expiration,
    };
  };
  const parameters = ['subject_token', 'subject_token_type', 'requested_token_type', 'resource', 'audience', 'scope'];
  provider.registerGrantType(TOKEN_EXCHANGE, exchange, parameters);
}

/**
 * Does what a person does in a browser: opens the address, signs in, agrees, and is sent back.
 * @returns the authorization code that the client gets
 */
export async function signIn(address, login) {
  const cookies = new Map();
  let form;
  let url = new URL(address);
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    form = undefined;
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      const code = url.searchParams.get('code');
      if (code !== null) return { code, iss: url.searchParams.get('iss') ?? undefined, location: url.href };
      if (url.searchParams.has('error')) throw new Error(`refused: ${url.search}`);
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`no form: ${response.status} ${page.slice(0, 500)}`);
    url = new URL(action, url);
    form = page.includes('value="login"') ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' };
  }
  throw new Error('the way back was not found');
}
