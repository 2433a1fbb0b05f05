import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_ALGORITHMS, type OAuthConfig } from '../../../../src/config/access-config.js';
import { openHttpServer } from '../../../../src/server/http/http-server.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { callMessage, initializeMessage, MODERN_META, modernHeaders, sendHttp } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const RESOURCE = 'https://mcp.example/mcp';
const ACCEPT = 'application/json, text/event-stream';

/** A gateway, and an issuer whose tokens end when the test says. */
async function open() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const revoked = new Set<string>();
  const asked = new Map<string, number>();
  const issuing = createServer((request, response) => {
    const send = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/keys') {
      void exportJWK(publicKey).then((jwk) => send({ keys: [{ ...jwk, kid: 'one', alg: 'ES256', use: 'sig' }] }));
      return;
    }
    request.setEncoding('utf8').once('data', (body: string) => {
      const token = new URLSearchParams(body).get('token') ?? '';
      asked.set(token, (asked.get(token) ?? 0) + 1);
      send(revoked.has(token) ? { active: false } : { active: true, sub: 'alice', client_id: 'app', aud: RESOURCE });
    });
  });
  await new Promise<void>((resolve) => issuing.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(issuing.address() as AddressInfo).port}`;
  const oauth: OAuthConfig = {
    resource: RESOURCE,
    issuers: [
      {
        name: 'corp',
        issuer,
        jwksUri: `${issuer}/keys`,
        audience: [],
        algorithms: DEFAULT_ALGORITHMS,
        scopes: [],
        groupsPrefix: '',
        claims: {},
        clockToleranceSeconds: 0,
        introspection: { clientId: 'gateway', clientSecret: 'x', endpoint: `${issuer}/introspect`, cacheSeconds: 0.2 },
      },
    ],
  };
  const server = await openHttpServer(createFakeGateway({ server: { oauth } }), {
    observe: () => undefined,
    serverInfo: SERVER_INFO,
  });
  onTestFinished(async () => {
    await server.close();
    issuing.closeAllConnections();
    issuing.close();
  });
  const sign = (claims: object) =>
    new SignJWT({
      iss: issuer,
      aud: RESOURCE,
      sub: 'alice',
      client_id: 'app',
      exp: Math.ceil(Date.now() / 1_000) + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
      .sign(privateKey);
  /** Resolves with the whole of a stream when it has ended. */
  const stream = async (token: string): Promise<{ status: number; ended: Promise<string> }> => {
    const authorization = `Bearer ${token}`;
    const opened = await sendHttp(server.url, { headers: { authorization }, body: initializeMessage() });
    const session = String(opened.headers['mcp-session-id']);
    const response = await fetch(server.url, { headers: { authorization, accept: ACCEPT, 'mcp-session-id': session } });
    return { status: response.status, ended: response.text() };
  };
  const listen = async (token: string): Promise<{ status: number; ended: Promise<string> }> => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        ...modernHeaders('subscriptions/listen'),
        accept: ACCEPT,
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: MODERN_META },
      }),
    });
    return { status: response.status, ended: response.text() };
  };
  return { server, sign, stream, listen, revoked, asked };
}

describe('a stream that waits for news', () => {
  it('ends with the token of its request, in both eras', async () => {
    const { sign, stream, listen } = await open();
    const token = await sign({ exp: Math.ceil(Date.now() / 1_000) + 2 });
    const streams = await Promise.all([stream(token), listen(token)]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(streams.map(({ ended }) => ended));
  });

  it('ends when the issuer says that its token is revoked, and goes on until then', async () => {
    const { stream, revoked, asked } = await open();
    const { status, ended } = await stream('an-opaque-token');
    expect(status).toBe(200);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await expect.poll(() => asked.get('an-opaque-token')).toBeGreaterThan(3);
    expect(isOver).toBe(false);
    revoked.add('an-opaque-token');
    await ended;
  });
});

it('refuses a token of one view at the addresses of the others, with where it can get one', async () => {
  const { server, sign } = await open();
  const token = await sign({ aud: `${RESOURCE}/code` });
  const headers = { authorization: `Bearer ${token}` };
  const { status, headers: said, json } = await sendHttp(server.url, { headers, body: callMessage(1) });
  expect([status, said['www-authenticate']]).toEqual([
    401,
    `Bearer error="invalid_token", error_description="it was issued for the address of another view, and opens that alone", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`,
  ]);
  expect(json.error.message).toContain('another view');
  expect((await sendHttp(`${server.url}/nosuch`, { headers, body: callMessage(1) })).status).toBe(404);
});
