import { expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.mjs';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { connectAs, freePort, type OAuthClient, SignedInPerson } from '../support/oauth-client.js';
import { sendHttp } from '../support/raw-http.js';

const STATIC = 'a-static-token-of-a-client';
const DISCOVERY = 'a-key-to-read-what-there-is';
const EXCHANGER = { client_id: 'gateway', client_secret: 'the-secret-of-the-gateway' };

/** A gateway behind a real authorization server, and an upstream that demands tokens of the same one. */
interface Team extends AsyncDisposable {
  readonly issuer: AuthorizationServer;
  readonly notes: GuardedServer;
  readonly tenants: GuardedServer;
  readonly live: LiveGateway;
  readonly people: readonly { readonly person: SignedInPerson; readonly client: OAuthClient }[];
}

async function openParts(): Promise<Omit<Team, 'people' | keyof AsyncDisposable>> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const grants = ['urn:ietf:params:oauth:grant-type:token-exchange'];
  const issuer = await startAuthorizationServer({
    resource,
    clients: [{ ...EXCHANGER, grant_types: grants, redirect_uris: [], response_types: [] }],
  });
  const notes = await startGuardedServer({ issuer: issuer.issuer, discoveryKey: DISCOVERY });
  const tenants = await startGuardedServer();
  const live = await openLiveGateway({
    server: { port, oauth: { resource, issuers: [{ name: 'corp', issuer: issuer.issuer, scopes: ['mcp:call'] }] } },
    clients: { robot: { token: STATIC } },
    mcpServers: {
      notes: {
        url: notes.url,
        credentials: {
          type: 'exchange',
          tokenEndpoint: `${issuer.issuer}/token`,
          clientId: EXCHANGER.client_id,
          clientSecret: EXCHANGER.client_secret,
          resource: notes.url,
          discovery: { headers: { 'X-Discovery': DISCOVERY } },
        },
        operations: { list_notes: { cache: { ttlSeconds: 600 } } },
      },
      tenants: {
        url: tenants.url,
        credentials: { type: 'forwardHeaders', headers: ['X-Tenant'] },
        operations: { who_am_i: { cache: { ttlSeconds: 600 } } },
      },
    },
  });
  return { issuer, notes, tenants, live };
}

async function call(client: OAuthClient, operation: string): Promise<unknown> {
  const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operation, params: {} } });
  const { success, data, error } = JSON.parse(content[0]?.text ?? '{}');
  return success === true ? data : error;
}

/** A gateway with two people who came in by their own OAuth flow. */
async function openTeam(): Promise<Team> {
  const parts = await openParts();
  const signIn = async (sdk: 'v1' | 'v2', name: string) => {
    const person = new SignedInPerson();
    return { person, client: await connectAs(sdk, parts.live.url, name, person) };
  };
  const people = [await signIn('v2', 'alice'), await signIn('v1', 'bob')];
  return {
    ...parts,
    people,
    async [Symbol.asyncDispose]() {
      for (const { client } of people) await client.close();
      for (const part of [parts.live, parts.notes, parts.tenants, parts.issuer]) await part[Symbol.asyncDispose]();
    },
  };
}

it('calls a server with exchanged tokens: each user sees their own data, and the server none of the tokens that were exchanged', async () => {
  await using team = await openTeam();
  const { people, live, notes } = team;
  for (const _time of ['first', 'cached']) {
    const seen = await Promise.all(people.map(({ client }) => call(client, 'notes__list_notes')));
    expect(seen).toEqual([[{ id: 1, text: 'a note of alice' }], [{ id: 1, text: 'a note of bob' }]]);
  }
  const got = JSON.stringify(notes.received);
  expect(got).toContain('Bearer ');
  for (const { person } of people) expect(got.includes(person.accessToken)).toBe(false);
  // A client of the configuration has no token that could be exchanged.
  const robot = await live.connect('http', 'modern', STATIC);
  const { error } = await live.call(robot, 'notes__list_notes');
  expect(error).toMatchObject({ code: 'PERMISSION_DENIED', details: { reason: 'credentials_required' } });
});

it('passes the named headers of a request on and no others, and calls with other values share nothing', async () => {
  await using team = await openTeam();
  const ask = async (tenant: string): Promise<unknown> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'mcp_aql', arguments: { operation: 'tenants__who_am_i', params: {} }, _meta: meta };
    const { json } = await sendHttp(team.live.url, {
      headers: {
        authorization: `Bearer ${STATIC}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'mcp_aql',
        'x-tenant': tenant,
        'x-other': 'a value that is not passed on',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return JSON.parse(json.result.content[0].text).data?.tenant;
  };
  expect([await ask('red'), await ask('blue'), await ask('red')]).toEqual(['red', 'blue', 'red']);
  const got = JSON.stringify(team.tenants.received);
  expect([got.includes('not passed on'), got.includes(STATIC), got.includes('red')]).toEqual([false, false, true]);
});
