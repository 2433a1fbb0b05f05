import { describe, expect, it, onTestFinished } from 'vitest';
import type { IssuerConfig, OAuthConfig } from '../../../../src/config/access-config.js';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { openHttpServer } from '../../../../src/server/http/http-server.js';
import { type AuthorizationServer, startAuthorizationServer } from '../../../support/authorization-server.mjs';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import {
  callMessage,
  envelopeOf,
  initializeMessage,
  MODERN_META,
  modernHeaders,
  sendHttp,
} from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const RESOURCE = 'https://mcp.example/mcp';
const ROBOT = {
  client_id: 'robot',
  client_secret: 'the-secret-of-the-robot',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};
const GATEWAY = { ...ROBOT, client_id: 'gateway', client_secret: 'the-secret-of-the-gateway' };
const STATIC = 'the-static-token-of-ci';

/** A gateway that answers who calls, and its real authorization server. */
async function open(format: 'jwt' | 'opaque', config: Partial<IssuerConfig> = {}) {
  const issuer = await startAuthorizationServer({ resource: RESOURCE, format, clients: [ROBOT, GATEWAY] });
  onTestFinished(() => issuer[Symbol.asyncDispose]());
  const oauth: OAuthConfig = {
    resource: RESOURCE,
    issuers: [
      {
        name: 'corp',
        issuer: issuer.issuer,
        audience: [],
        algorithms: ['RS256'],
        scopes: [],
        groupsPrefix: '',
        claims: {},
        clockToleranceSeconds: 0,
        introspection: { clientId: 'gateway', clientSecret: GATEWAY.client_secret, cacheSeconds: 30 },
        ...config,
      },
    ],
  };
  const gateway = createFakeGateway({ server: { oauth }, clients: [{ name: 'ci', token: STATIC }] });
  const server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  onTestFinished(() => server.close());
  const call = (token: string) => {
    const params = { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META };
    const headers = { ...modernHeaders('tools/call', 'mcp_aql_read'), authorization: `Bearer ${token}` };
    return sendHttp(server.url, { headers, body: { ...callMessage(1), params } });
  };
  const callerOf = async (token: string) => {
    const answer = await call(token);
    expect([answer.status, envelopeOf(answer.json)['success']]).toEqual([200, true]);
    return gateway.calls.at(-1)?.caller;
  };
  return { issuer, server, gateway, oauth, call, callerOf };
}

/** A token that a client gets for itself. */
async function tokenOf({ issuer }: AuthorizationServer, scope = 'mcp:call'): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`robot:${ROBOT.client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCE, scope }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

describe('a gateway with an authorization server', () => {
  it('asks about an opaque token once, however many requests bring it at one time or later', async () => {
    const { issuer, call, callerOf } = await open('opaque');
    const token = await tokenOf(issuer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await callerOf(token)).toMatchObject({ client: 'corp:robot', sessionId: 'client:corp:robot' });
    expect(issuer.counts.introspections).toBe(1);
  });

  it('answers 503 with what to do while its issuer is down, and goes on with tokens that it knows, and with static ones', async () => {
    const { issuer, call, callerOf } = await open('jwt');
    const [known, other] = [await tokenOf(issuer), await tokenOf(issuer, 'mcp:admin')];
    issuer.setDown(true);
    const refused = await call(other);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([503, true]);
    expect(refused.json.error.message).toMatch(
      /^Service Unavailable: .*the issuer 'corp' cannot be asked.*Send the request again in/,
    );
    expect(await callerOf(STATIC)).toMatchObject({ client: 'ci' });
    issuer.setDown(false);
    await expect.poll(async () => (await call(known)).status).toBe(200);
    expect(await callerOf(known)).toMatchObject({ client: 'corp:robot' });
    issuer.setDown(true);
    expect((await callerOf(known))?.scopes).toEqual(['mcp:call']);
    expect(await callerOf(other)).toMatchObject({ client: 'corp:robot', scopes: ['mcp:admin'] });
    expect(issuer.counts.keys).toBe(1);
  });

  it('answers 403 with the scopes that a token lacks', async () => {
    const { issuer, call } = await open('jwt', { scopes: ['mcp:call', 'mcp:admin'] });
    const { status, headers, json } = await call(await tokenOf(issuer));
    const metadata = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
    expect([status, headers['www-authenticate']]).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="mcp:call mcp:admin"`,
    ]);
    expect(json.error.message).toContain('mcp:call, mcp:admin');
  });

  it('answers 401 with the reason for which a token is refused', async () => {
    const { call } = await open('jwt', { introspection: undefined } as never);
    const { status, headers } = await call('opaque');
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="it is no JSON Web Token of an issuer/,
    );
  });

  it('lets right tokens in while many wrong ones come from the same address', async () => {
    const { issuer, call } = await open('opaque');
    const token = await tokenOf(issuer);
    const wrong = Array.from({ length: 100 }, (_, index) => call(`wrong-${index}`));
    const right = call(token);
    expect((await right).status).toBe(200);
    expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([401]));
  });

  it('goes on with a session under the next token of its owner, with what that token grants', async () => {
    const { issuer, server, gateway } = await open('jwt');
    const [less, more] = [await tokenOf(issuer), await tokenOf(issuer, 'mcp:call mcp:admin')];
    const as = (token: string, headers: Record<string, string> = {}) => ({
      authorization: `Bearer ${token}`,
      ...headers,
    });
    const opened = await sendHttp(server.url, { headers: as(more), body: initializeMessage() });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const scopesWith = async (token: string) => {
      const { status } = await sendHttp(server.url, { headers: as(token, session), body: callMessage(1) });
      return [status, gateway.calls.at(-1)?.caller.scopes];
    };
    expect([await scopesWith(more), await scopesWith(less), await scopesWith(more)]).toEqual([
      [200, ['mcp:call', 'mcp:admin']],
      [200, ['mcp:call']],
      [200, ['mcp:call', 'mcp:admin']],
    ]);
    expect(new Set(gateway.calls.map(({ caller }) => caller.sessionId)).size).toBe(1);
    const { status } = await sendHttp(server.url, { headers: as(STATIC, session), body: callMessage(1) });
    expect(status).toBe(404);
  });

  it('refuses every token that is not good any more once who may enter is replaced', async () => {
    const { issuer, gateway, oauth, call, callerOf } = await open('jwt');
    const token = await tokenOf(issuer);
    const next = { name: 'ci', groups: ['machines'], keys: [{ hash: hashToken('the-next-token-of-ci') }] };
    expect([(await call(token)).status, (await call(STATIC)).status]).toEqual([200, 200]);
    gateway.replaceAccess([next], oauth);
    expect([(await call(token)).status, (await call(STATIC)).status]).toEqual([200, 401]);
    expect(await callerOf('the-next-token-of-ci')).toMatchObject({ client: 'ci', groups: ['machines'] });
    gateway.replaceAccess([next]);
    expect((await call(token)).status).toBe(401);
    const gone = { ...next, keys: [{ hash: hashToken('the-next-token-of-ci'), expiresAt: Date.now() - 1 }] };
    gateway.replaceAccess([gone]);
    expect((await call('the-next-token-of-ci')).status).toBe(401);
    gateway.replaceAccess([]);
    expect((await call('')).status).toBe(200);
  });
});
