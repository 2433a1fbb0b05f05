import { describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.mjs';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { connectAs, freePort, type OAuthClient, SignedInPerson } from '../support/oauth-client.js';
import { callMessage, initializeMessage, sendHttp } from '../support/raw-http.js';

const NOTES = inlineServer(`({
  read_note: { tool: { description: 'Reads a note', annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: 'a note' }] }) },
  delete_note: { tool: { description: 'Deletes a note' }, run: () => ({ content: [{ type: 'text', text: 'deleted' }] }) },
})`);

const DOCUMENT = 'https://client.example/metadata.json';
const STATIC = 'a-static-token-of-a-client';

/** A gateway with a real authorization server. */
async function openTeam(
  more: object = {},
): Promise<{ issuer: AuthorizationServer; live: LiveGateway } & AsyncDisposable> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const issuer = await startAuthorizationServer({
    resource,
    groups: { alice: ['editors'], bob: ['readers'] },
    documents: {
      [DOCUMENT]: {
        client_name: 'described',
        redirect_uris: ['http://127.0.0.1:9/callback'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    },
    ...more,
  });
  const live = await openLiveGateway({
    server: {
      port,
      oauth: {
        resource,
        issuers: [{ name: 'corp', issuer: issuer.issuer, scopes: ['mcp:call'], groupsClaim: 'groups' }],
      },
    },
    clients: { robot: { token: STATIC } },
    policy: {
      rules: [
        { match: { operation: 'notes__delete_note', group: 'editors' }, decision: 'allow' },
        { match: { operation: 'delete_note', user: 'corp:bob' }, decision: 'deny', reason: 'bob only reads' },
        { match: { operation: 'delete_note', client: 'robot' }, decision: 'deny', reason: 'no robots' },
      ],
    },
    mcpServers: { notes: NOTES },
  });
  return {
    issuer,
    live,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function call(client: OAuthClient, operation: string): Promise<string> {
  const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operation, params: {} } });
  const { success, error } = JSON.parse(content[0]?.text ?? '{}');
  return success === true ? 'OK' : `${error.code}: ${error.message}`;
}

describe('clients of both SDKs that come in by their own OAuth flow', () => {
  it.each([
    ['v2', 'registers itself', undefined],
    ['v1', 'registers itself', undefined],
    ['v2', 'has a metadata document', DOCUMENT],
  ] as const)('%s, which %s, are let in as the person who signed in', async (sdk, _how, document) => {
    await using team = await openTeam();
    const { live } = team;
    const [alice, bob] = [new SignedInPerson(document), new SignedInPerson(document)];
    const ofAlice = await connectAs(sdk, live.url, 'alice', alice);
    const ofBob = await connectAs(sdk, live.url, 'bob', bob);
    expect([await call(ofAlice, 'read_note'), await call(ofBob, 'read_note')]).toEqual(['OK', 'OK']);
    expect(await call(ofAlice, 'delete_note')).toBe('OK');
    expect(await call(ofBob, 'delete_note')).toContain('bob only reads');
    alice.spoilAccessToken();
    expect(await call(ofAlice, 'delete_note')).toBe('OK');
    expect(alice.accessToken).not.toBe('spoiled');
    await Promise.all([ofAlice.close(), ofBob.close()]);
  });

  it('stand beside clients with static tokens, which rules tell apart', async () => {
    await using team = await openTeam();
    const { live } = team;
    const robot = await live.connect('http', 'legacy', STATIC);
    const { error } = await live.call(robot, 'delete_note');
    expect(error?.message).toContain('no robots');
    expect((await live.call(robot, 'read_note')).success).toBe(true);
  });
});

describe('a request without an acceptable token', () => {
  it('is refused with where the authorization server is', async () => {
    await using team = await openTeam();
    const { live, issuer } = team;
    const { status, headers, json } = await sendHttp(live.url, { body: initializeMessage() });
    const metadata = live.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    expect([status, headers['www-authenticate']]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}", scope="mcp:call"`,
    ]);
    expect(json.error.message).toContain(`Get an access token for ${live.url} from ${issuer.issuer}`);
    const described = await sendHttp(metadata, { method: 'GET' });
    expect(described.json).toMatchObject({
      resource: live.url,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['mcp:call'],
    });
    const ofView = await sendHttp(`${metadata}/support`, { method: 'GET' });
    expect(ofView.json.resource).toBe(`${live.url}/support`);
  });

  it('is refused although the person has signed in, where the token is for another resource', async () => {
    await using team = await openTeam();
    const { live } = team;
    const carol = new SignedInPerson();
    Object.assign(carol, { validateResourceURL: async () => new URL('https://other.example/mcp') });
    await expect(connectAs('v2', live.url, 'carol', carol)).rejects.toThrow();
    const { status, headers } = await sendHttp(live.url, {
      headers: bearer(carol.accessToken),
      body: initializeMessage(),
    });
    expect([carol.accessToken === '', status]).toEqual([false, 401]);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="it is not issued for this gateway: .*resource_metadata="/,
    );
  });

  it("cannot use another person's session", async () => {
    await using team = await openTeam();
    const { live } = team;
    const [alice, bob] = [new SignedInPerson(), new SignedInPerson()];
    const clients = [await connectAs('v1', live.url, 'alice', alice), await connectAs('v1', live.url, 'bob', bob)];
    const opened = await sendHttp(live.url, { headers: bearer(alice.accessToken), body: initializeMessage() });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const as = (person: SignedInPerson) =>
      sendHttp(live.url, { headers: { ...bearer(person.accessToken), ...session }, body: callMessage(1) });
    expect([(await as(bob)).status, (await as(alice)).status]).toEqual([404, 200]);
    await Promise.all(clients.map((client) => client.close()));
  });
});
