import { expect, it } from 'vitest';
import { startAuthorizationServer } from '../support/authorization-server.mjs';
import { initializeMessage, sendHttp } from '../support/raw-http.js';
import { serveGateway } from '../support/served-gateway.js';

const RESOURCE = 'https://mcp.example/mcp';
const ROBOT = {
  client_id: 'robot',
  client_secret: 'the-secret-of-the-robot',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

it('the shipped binary lets the token of an authorization server in, and logs no token', async () => {
  await using issuer = await startAuthorizationServer({ resource: RESOURCE, clients: [ROBOT] });
  const oauth = { resource: RESOURCE, issuers: [{ name: 'corp', issuer: issuer.issuer }] };
  await using gateway = await serveGateway({ server: { oauth }, mcpServers: {} });
  const response = await fetch(`${issuer.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: RESOURCE,
      client_id: ROBOT.client_id,
      client_secret: ROBOT.client_secret,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const send = (value: string) =>
    sendHttp(gateway.url, { headers: { authorization: `Bearer ${value}` }, body: initializeMessage() });
  expect([(await send(token)).status, (await send(`${token}x`)).status]).toEqual([200, 401]);
  await gateway.logged('without a valid token');
  expect(gateway.stderr()).not.toContain(token.slice(0, 40));
});
