import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { askForAll } from '../support/ask-for-all.js';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.mjs';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { eachNth } from '../support/nightly.js';
import { connectAs, freePort, SignedInPerson } from '../support/oauth-client.js';
import { minutes } from '../support/patience.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.js';
import { REPOSITORY } from '../support/served-gateway.js';

const USERS = ['annabel', 'bertram', 'cordula'];
const tokenOf = (user: string): string => `a-static-token-of-${user}`;

async function connectAccount(live: LiveGateway, server: PrivateServer, user: string): Promise<void> {
  server.user = user;
  const browser = new ConnectingBrowser();
  const page = await browser.agree(`${new URL(live.url).origin}/connect/diaries`, 'token', { token: tokenOf(user) });
  expect(await browser.pass(page)).toContain('is connected');
}

const EXCHANGER = { client_id: 'gateway', client_secret: 'the-secret-of-the-gateway' };

/** Whose rights the server is called with. */
const RIGHTS = {
  'an account of each user': { type: 'perUser' },
  'a header of each request': { type: 'forwardHeaders', headers: ['x-user'] },
  "the exchanged token of each user's": {
    type: 'exchange',
    clientId: EXCHANGER.client_id,
    clientSecret: EXCHANGER.client_secret,
  },
} as const;

/** Knows each user, and gives the gateway tokens of theirs for its servers. */
function startIssuer({ server }: Pick<Awaited<ReturnType<typeof configure>>, 'server'>): Promise<AuthorizationServer> {
  const grants = ['urn:ietf:params:oauth:grant-type:token-exchange'];
  const exchanger = { ...EXCHANGER, grant_types: grants, redirect_uris: [], response_types: [] };
  return startAuthorizationServer({ resource: `${server.publicUrl}/mcp`, clients: [exchanger] });
}

/** The same where users sign in at the issuer, whose tokens are exchanged. */
function behind(issuer: AuthorizationServer, config: Awaited<ReturnType<typeof configure>>) {
  const { diaries } = config.mcpServers;
  const exchange = { ...diaries.credentials, tokenEndpoint: `${issuer.issuer}/token`, resource: diaries.url };
  const oauth = {
    resource: `${config.server.publicUrl}/mcp`,
    issuers: [{ name: 'corp', issuer: issuer.issuer, scopes: ['mcp:call'] }],
  };
  return {
    ...config,
    server: { ...config.server, oauth },
    mcpServers: { diaries: { ...diaries, credentials: exchange } },
  };
}

async function signIn(live: LiveGateway, user: string): Promise<string> {
  const person = new SignedInPerson();
  await (await connectAs('v2', live.url, user, person)).close();
  return person.accessToken;
}

async function configure(server: PrivateServer, mode: string, credentials: object = RIGHTS['an account of each user']) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    endpoint: { mode },
    server: { port, publicUrl },
    dataDir: mkdtempSync(join(tmpdir(), 'owners-')),
    store: { type: 'sqlite' },
    credentials: { key: 'the-key-of-what-users-have-granted' },
    clients: Object.fromEntries([...USERS, 'nobody'].map((user) => [user, { token: tokenOf(user) }])),
    mcpServers: { diaries: { url: server.url, credentials } },
  };
}

/** The names of the users of which a text has a word. */
function namedIn(text: string, asked: readonly string[] = []): readonly string[] {
  return USERS.filter((user) => !asked.includes(user) && text.includes(user));
}

const CASES = ['semantic', 'single', 'passthrough'].flatMap((mode) =>
  Object.entries(RIGHTS).map(([how, rights]) => [mode, how, rights] as const),
);

it.each(eachNth(4, CASES))(
  'shows each user all of their own at a server, and no word of anybody else’s, in the mode %s and by %s, also after a restart and at a second gateway',
  async (mode, _how, rights) => {
    await using server = await startPrivateServer();
    const plain = await configure(server, mode, rights);
    await using issuer = rights.type === 'exchange' ? await startIssuer(plain) : undefined;
    const config = issuer === undefined ? plain : behind(issuer, plain);
    const tokens = new Map([...USERS, 'nobody'].map((user) => [user, tokenOf(user)]));
    const look = async (live: LiveGateway, era: 'legacy' | 'modern'): Promise<void> => {
      const clients = new Map<string, Client>();
      for (const user of [...USERS, 'nobody']) {
        const headers = rights.type === 'forwardHeaders' && user !== 'nobody' ? { 'x-user': user } : {};
        clients.set(user, await live.connect('http', era, tokens.get(user), undefined, headers));
      }
      await Promise.all(
        [...clients].map(async ([user, client]) => {
          const told = (await askForAll(client, mode)).replaceAll(tokenOf(user), '');
          expect([user, era, namedIn(told)]).toEqual([user, era, user === 'nobody' ? [] : [user]]);
          if (user === 'nobody') return;
          const own = [`get_${user}_diary`, `diary://${user}/today`, `diary://${user}/{day}`, `letter_of_${user}`];
          for (const each of own) expect([user, told.includes(each) || `no ${each}`]).toEqual([user, true]);
          const { contents } = await client.readResource({ uri: `diary://${user}/today` });
          expect(JSON.stringify(contents)).toContain(`the day of ${user}`);
        }),
      );
      for (const client of clients.values()) await client.close();
    };
    const lookAtAll = async (live: LiveGateway): Promise<void> => {
      for (const era of ['legacy', 'modern'] as const) await look(live, era);
      const shared = JSON.stringify([live.gateway.operations(), live.gateway.status(), live.gateway.toolSets()]);
      expect(namedIn(JSON.stringify([shared, await live.gateway.definitions()]))).toEqual([]);
    };
    {
      await using live = await openLiveGateway(config);
      if (rights.type === 'perUser') for (const user of USERS) await connectAccount(live, server, user);
      if (issuer !== undefined) for (const user of USERS) tokens.set(user, await signIn(live, user));
      await lookAtAll(live);
    }
    await using again = await openLiveGateway(config);
    await using second = await openLiveGateway({ ...config, server: { ...config.server, port: await freePort() } });
    for (const live of [second, again]) await lookAtAll(live);
  },
  minutes(4),
);

it.each(['client', 'session'])(
  'lists to the owner of a %s’s own process what it has there, and to nobody else',
  async (isolation) => {
    const notes = `{
      capabilities: { tools: {}, resources: { listChanged: true }, prompts: { listChanged: true } },
      'tools/list': () => ({ tools: [{ name: 'add_note', inputSchema: { type: 'object', properties: { of: { type: 'string' } } } }] }),
      'tools/call': ({ arguments: { of } }, server) => {
        server.of = of;
        for (const kind of ['resources', 'prompts']) server.send({ method: 'notifications/' + kind + '/list_changed' });
        return { content: [{ type: 'text', text: 'added' }] };
      },
      'resources/list': (_, { of }) => ({ resources: of ? [{ uri: 'note://' + of, name: of }] : [] }),
      'resources/templates/list': (_, { of }) => ({ resourceTemplates: of ? [{ uriTemplate: 'note://' + of + '/{n}', name: of }] : [] }),
      'resources/read': ({ uri }, { of }) => ({ contents: [{ uri, text: 'of ' + of }] }),
      'prompts/list': (_, { of }) => ({ prompts: of ? [{ name: 'letter_of_' + of }] : [] }),
    }`;
    const server = {
      command: process.execPath,
      args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, notes],
      isolation,
      operations: { add_note: { category: 'READ' } },
    };
    await using live = await openLiveGateway({
      clients: Object.fromEntries([...USERS, 'nobody'].map((user) => [user, { token: tokenOf(user) }])),
      mcpServers: { notes: server },
    });
    for (const era of ['legacy', 'modern'] as const) {
      const clients = new Map<string, Client>();
      for (const user of [...USERS, 'nobody']) clients.set(user, await live.connect('http', era, tokenOf(user)));
      for (const user of USERS) {
        const client = clients.get(user) as Client;
        const { data, error } = await live.call(client, 'add_note', { of: user });
        expect([data, error?.message]).toEqual(['added', undefined]);
        await expect.poll(() => listAll(client)).toContain(`letter_of_${user}`);
        await expect.poll(() => listAll(client)).toContain(`note://${user}/{n}`);
      }
      for (const [user, client] of clients) {
        const told = await askForAll(client, 'single');
        expect([user, era, namedIn(told)]).toEqual([user, era, user === 'nobody' ? [] : [user]]);
        if (user === 'nobody') continue;
        const { contents } = await client.readResource({ uri: `note://${user}` });
        expect(JSON.stringify(contents)).toContain(`of ${user}`);
      }
      for (const client of clients.values()) await client.close();
    }
  },
);

async function listAll(client: Client): Promise<string> {
  const lists = [await client.listResources(), await client.listResourceTemplates(), await client.listPrompts()];
  return JSON.stringify(lists);
}

it("holds back nobody's calls but those of the user whom a server has told to wait, and shows that to this user alone", async () => {
  await using server = await startPrivateServer();
  await using live = await openLiveGateway(await configure(server, 'single'));
  const [ann = '', bert = ''] = USERS;
  for (const user of [ann, bert]) await connectAccount(live, server, user);
  const [annabel, bertram] = [
    await live.connect('http', 'modern', tokenOf(ann)),
    await live.connect('http', 'modern', tokenOf(bert)),
  ];
  server.limited.add(ann);
  for (const tool of ['diary', 'letters', 'diary'])
    expect((await live.call(annabel, `diaries__get_${ann}_${tool}`)).error?.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(JSON.stringify((await live.call(bertram, `diaries__get_${bert}_diary`)).data)).toContain(`written by ${bert}`);
  const limitsOf = async (client: Client) => (await live.call(client, 'introspect', { query: 'quota_status' })).data;
  expect(JSON.stringify(await limitsOf(annabel))).toContain('diaries:announced');
  expect(JSON.stringify(await limitsOf(bertram))).not.toContain('diaries');
});
