import type { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, it } from 'vitest';
import { type AskedClient, type AskedUser, type ClientKind, connectAsked } from '../support/asked-client.js';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.mjs';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { connectAs, freePort, SignedInPerson } from '../support/oauth-client.js';
import { initializeMessage, sendHttp } from '../support/raw-http.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';

const STATIC = 'a-static-token-of-a-client';

/** A gateway behind one authorization server, and two upstreams that demand tokens of another. */
interface Team extends AsyncDisposable {
  readonly notes: GuardedServer;
  readonly other: GuardedServer;
  readonly live: LiveGateway;
  /** The configuration that it is opened with, with these changes. */
  configuration(changes: object): object;
  /** Signs in at the gateway's authorization server, and connects a client. */
  enter(name: string, kind: ClientKind, user?: AskedUser, view?: string): Promise<AskedClient>;
  /** The tokens with which people have entered the gateway. */
  readonly entered: readonly SignedInPerson[];
}

async function openTeam(more: object = {}, server: object = {}): Promise<Team> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const corp = await startAuthorizationServer({ resource, groups: { alice: ['editors'], bob: ['readers'] } });
  const cloud: AuthorizationServer = await startAuthorizationServer({ resource: 'http://127.0.0.1/nothing' });
  const notes = await startGuardedServer({ issuer: cloud.issuer });
  const other = await startGuardedServer({ issuer: cloud.issuer });
  const credentials = { type: 'perUser' };
  const configuration = (changes: object): object => ({
    server: {
      port,
      oauth: {
        resource,
        issuers: [{ name: 'corp', issuer: corp.issuer, scopes: ['mcp:call'], groupsClaim: 'groups' }],
      },
      ...server,
    },
    clients: { robot: { token: STATIC } },
    mcpServers: { notes: { url: notes.url, credentials }, other: { url: other.url, credentials } },
    ...changes,
  });
  const live = await openLiveGateway(configuration(more));
  const entered: SignedInPerson[] = [];
  const clients: AskedClient[] = [];
  return {
    notes,
    other,
    live,
    configuration,
    entered,
    async enter(name, kind, user, view = '') {
      const person = new SignedInPerson();
      const url = `${live.url}${view}`;
      await (await connectAs('v2', url, name, person)).close();
      entered.push(person);
      const client = await connectAsked(kind, { url, token: person.accessToken }, user);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      for (const part of [live, notes, other, corp, cloud]) await part[Symbol.asyncDispose]();
    },
  };
}

function connectFirst({ live }: Team, server: string, here: string, there: string): Promise<string> {
  return new ConnectingBrowser().connect(`${new URL(live.url).origin}/connect/${server}`, here, there);
}

/** Tokens in what a server received. */
function tokensIn({ received }: GuardedServer): ReadonlySet<string> {
  return new Set(received.flatMap(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? []));
}

it('calls a server with the account that each user has connected, and lets no token go where it does not belong', async () => {
  await using team = await openTeam();
  const { live, notes, other, entered } = team;
  expect(await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud')).toContain('is connected');
  await connectFirst(team, 'other', 'alice', 'alice-elsewhere');
  const alice = await team.enter('alice', 'SDK v2 modern');
  const bob = await team.enter('bob', 'SDK v1');
  expect((await alice.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);
  expect((await alice.call('other__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-elsewhere' }]);

  const refused = (await bob.call('notes__list_notes')).error;
  expect(refused).toMatchObject({ code: 'PERMISSION_DENIED', details: { reason: 'credentials_required' } });
  const link = String(refused?.details?.['url']);
  expect(refused?.message).toContain(link);
  // Somebody else opens it.
  const mallory = await new ConnectingBrowser().connect(link, 'mallory', 'mallory-in-the-cloud');
  expect(mallory).toContain('This link is for the user &#39;corp:bob&#39;');
  expect(await new ConnectingBrowser().connect(link, 'bob', 'bob-in-the-cloud')).toContain('is connected');
  expect((await bob.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of bob-in-the-cloud' }]);
  expect((await alice.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);
  expect((await new ConnectingBrowser().open(link)).html).toContain('This link has expired');

  const third = await sendHttp(live.url, { headers: { authorization: 'Bearer x' }, body: initializeMessage() });
  expect([third.status, third.headers['www-authenticate']]).toEqual([
    401,
    expect.stringContaining('resource_metadata='),
  ]);

  const [ofNotes, ofOther] = [tokensIn(notes), tokensIn(other)];
  expect([ofNotes.size, ofOther.size]).toEqual([2, 1]);
  const told = JSON.stringify([live.observations, live.gateway.status(), live.gateway.config.upstreams, refused]);
  for (const token of ofNotes)
    expect([JSON.stringify(other.received).includes(token), told.includes(token)]).toEqual([false, false]);
  for (const token of ofOther) expect(JSON.stringify(notes.received).includes(token)).toBe(false);
  for (const { accessToken } of entered)
    expect(JSON.stringify([notes.received, other.received]).includes(accessToken)).toBe(false);
});

it.each(['SDK v2 modern', 'SDK v2 legacy'] as const)(
  'asks the user of a client (%s) to open the page, and the call goes on',
  async (kind) => {
    await using team = await openTeam();
    await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
    const asked: unknown[] = [];
    const bob = await team.enter('bob', kind, {
      modes: { url: {} },
      elicit: async (params) => {
        asked.push(params);
        void new ConnectingBrowser().connect(String(params['url']), 'bob', 'bob-in-the-cloud');
        return { action: 'accept' };
      },
    });
    expect((await bob.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of bob-in-the-cloud' }]);
    expect(asked).toMatchObject([{ mode: 'url', message: expect.stringContaining("The server 'notes'") }]);
  },
);

it.each(['semantic', 'single', 'passthrough'] as const)(
  'answers with the page where no user can be asked, as a result that a model can read (%s)',
  async (mode) => {
    await using team = await openTeam({ endpoint: { mode } });
    await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
    const unable = await team.enter('bob', 'SDK v1');
    const failing = await team.enter('bob', 'SDK v2 legacy', {
      modes: { url: {} },
      elicit: () => Promise.reject(new Error('no browser here')),
    });
    const asked: unknown[] = [];
    const able = await team.enter('bob', 'SDK v1', {
      modes: { url: {} },
      elicit: (params) => {
        asked.push(params);
        return { action: 'decline' };
      },
    });
    for (const { client } of [unable, failing, able]) {
      const { tools } = await client.listTools();
      const own = tools.find((tool) => /^(?:mcp_aql_read|mcp_aql)$/.test(tool.name))?.name;
      // What a server lists to those who have connected an account is nothing that others are shown.
      expect(tools.map((tool) => tool.name).filter((each) => each.includes('notes'))).toEqual([]);
      const name = own ?? 'notes__list_notes';
      const args = mode === 'passthrough' ? {} : { operation: 'notes__list_notes' };
      const result = await (client as OldClient).callTool({ name, arguments: args });
      expect(result).toMatchObject({ isError: true });
      const said = JSON.stringify(result.content);
      expect(said).toContain('credentials_required');
      expect(said).toMatch(/Ask the user to open http:[^ ]+\/connect\/notes\?code=/);
    }
    expect(asked).toMatchObject([{ mode: 'url' }]);
  },
);

it('refreshes a token that the server refuses, asks the user where that one is refused too, and forgets what a person disconnects', async () => {
  await using team = await openTeam();
  const { live, notes } = team;
  const page = `${new URL(live.url).origin}/connect/notes`;
  const browser = new ConnectingBrowser();
  const departed = await browser.agree(page, 'token', { token: STATIC });
  expect(await browser.signIn(departed, 'robot-in-the-cloud')).toContain('is connected');
  const robot = await live.connect('http', 'modern', STATIC);
  expect((await live.call(robot, 'notes__who_am_i')).data).toMatchObject({ who: 'robot-in-the-cloud' });
  for (const token of tokensIn(notes)) notes.refused.add(token);
  expect((await live.call(robot, 'notes__who_am_i')).data).toMatchObject({ who: 'robot-in-the-cloud' });
  expect(tokensIn(notes).size).toBe(2);
  notes.refuseAll();
  expect((await live.call(robot, 'notes__who_am_i')).error?.details).toMatchObject({ reason: 'credentials_required' });
  const received = notes.received.length;
  await live.call(robot, 'notes__who_am_i');
  expect(notes.received.length).toBe(received);
  expect(await new ConnectingBrowser().agree(page, 'token', { token: 'a-wrong-token-of-a-client' })).toContain(
    'no token',
  );
  const ended = await new ConnectingBrowser().agree(page, 'token', { token: STATIC, intent: 'disconnect' });
  expect(ended).toContain('Disconnected');
  expect((await live.call(robot, 'notes__who_am_i')).error?.details).toMatchObject({ reason: 'credentials_required' });
});

it('asks for more where a call needs it, lets other calls go on meanwhile, and asks for nothing twice', async () => {
  await using team = await openTeam();
  const { notes } = team;
  await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
  const alice = await team.enter('alice', 'SDK v2 modern');
  notes.demands.set('who_am_i', 'mcp:admin');
  const refused = (await alice.call('notes__who_am_i')).error;
  expect(refused).toMatchObject({
    code: 'PERMISSION_DENIED',
    message: expect.stringContaining("the server demands 'mcp:admin'"),
    details: { reason: 'credentials_required', scopes: ['mcp:admin'], outcome: 'not_run' },
  });
  expect((await alice.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);
  const link = String(refused?.details?.['url']);
  expect(await new ConnectingBrowser().connect(link, 'alice', 'alice-in-the-cloud')).toContain('is connected');
  expect((await alice.call('notes__who_am_i')).data).toMatchObject({ who: 'alice-in-the-cloud' });
  // What was granted first is asked for again.
  notes.demands.set('list_notes', 'mcp:call');
  expect((await alice.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);

  // A scope that the authorization server does not give.
  notes.demands.set('who_am_i', 'mcp:everything');
  const again = String((await alice.call('notes__who_am_i')).error?.details?.['url']);
  await new ConnectingBrowser().connect(again, 'alice', 'alice-in-the-cloud');
  const final = (await alice.call('notes__who_am_i')).error;
  expect([final?.code, final?.details?.['http_status'], final?.details?.['url']]).toEqual([
    'PERMISSION_DENIED',
    403,
    undefined,
  ]);
});

it('lets a user connect again where the server names another authorization server, which gets nothing of the former', async () => {
  await using team = await openTeam();
  const { notes, live } = team;
  await using next = await startAuthorizationServer({ resource: 'http://127.0.0.1/nothing' });
  await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
  const alice = await team.enter('alice', 'SDK v2 modern');
  expect((await alice.call('notes__who_am_i')).data).toMatchObject({ who: 'alice-in-the-cloud' });
  notes.moveTo(next.issuer);
  const refused = (await alice.call('notes__who_am_i')).error;
  expect(refused?.details).toMatchObject({ reason: 'credentials_required' });
  expect(await live.gateway.connections?.list()).toEqual([]);
  const link = String(refused?.details?.['url']);
  expect(await new ConnectingBrowser().connect(link, 'alice', 'alice-at-the-next')).toContain('is connected');
  expect((await alice.call('notes__who_am_i')).data).toMatchObject({ who: 'alice-at-the-next' });
});

it('lets a user of a view connect what the view has, and hides from everyone what theirs have not', async () => {
  const views = {
    editing: { groups: 'editors', upstreams: ['notes', 'other'] },
    reading: { groups: 'readers', upstreams: 'notes' },
  };
  await using team = await openTeam({ views }, { defaultView: 'reading' });
  const { live } = team;
  const pageOf = (server: string): string => `${new URL(live.url).origin}/connect/${server}`;
  await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
  await connectFirst(team, 'other', 'alice', 'alice-elsewhere');
  expect(await new ConnectingBrowser().connect(pageOf('notes'), 'bob', 'bob-in-the-cloud')).toContain('is connected');

  // What bob must not see is answered at each step as what is not there.
  const unseen = await Promise.all(
    ['other', 'never'].map(async (server) => {
      const browser = new ConnectingBrowser();
      const { status, html } = await browser.open(pageOf(server));
      const after = await browser.signIn(await browser.agree(pageOf(server), 'issuer:corp'), 'bob');
      const plain = html.replaceAll(server, 'NAME').replaceAll(/value="[\w-]{43}"/g, '');
      return { status, plain, after };
    }),
  );
  expect(unseen[0]).toEqual(unseen[1]);
  expect(unseen[0]?.after).toContain('There is no server of this name');

  const alice = await team.enter('alice', 'SDK v2 modern', undefined, '/editing');
  const bob = await team.enter('bob', 'SDK v1');
  const serversOf = async (client: AskedClient) => {
    const { data } = await client.call('introspect', { query: 'upstreams' });
    return JSON.stringify(data).match(/\b(?:notes|other)\b/g) ?? [];
  };
  expect(new Set(await serversOf(alice))).toEqual(new Set(['notes', 'other']));
  expect(new Set(await serversOf(bob))).toEqual(new Set(['notes']));
  expect((await alice.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);
  expect((await bob.call('notes__list_notes')).data).toEqual([{ id: 1, text: 'a note of bob-in-the-cloud' }]);
  expect((await bob.call('other__list_notes')).error?.code).toBe('NOT_FOUND_OPERATION');
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const answer = await sendHttp(`${live.url}/editing`, { headers, body: initializeMessage() });
    return [answer.status, String(answer.headers['www-authenticate'])];
  };
  expect(await ask({})).toEqual([401, expect.stringContaining('/.well-known/oauth-protected-resource/mcp/editing"')]);
  expect(await ask({ authorization: `Bearer ${team.entered[1]?.accessToken}` })).toEqual([403, 'undefined']);
  expect(await ask({ authorization: `Bearer ${STATIC}` })).toEqual([404, 'undefined']);
});

/** Lets somebody try to connect or disconnect their account at a server's page; resolves with what the page says then. */
function openPageOf({ url }: { readonly url: string }, server: string) {
  return async (intent: 'connect' | 'disconnect', who: string): Promise<string> => {
    const browser = new ConnectingBrowser();
    const page = `${new URL(url).origin}/connect/${server}`;
    return browser.signIn(await browser.agree(page, 'issuer:corp', { intent }), who);
  };
}

it('lets a user disconnect an account of a server that their view has lost, and says nothing of it to who had none', async () => {
  const view = (upstreams: readonly string[]) => ({ views: { reading: { groups: 'readers', upstreams } } });
  await using team = await openTeam(view(['notes', 'other']), { defaultView: 'reading' });
  const { live } = team;
  await connectFirst(team, 'other', 'bob', 'bob-elsewhere');
  const { outcome } = await live.reload(team.configuration(view(['notes'])));
  expect(outcome).toBe('applied');

  const tryTo = openPageOf(live, 'other');
  expect(await tryTo('connect', 'bob')).toContain('There is no server of this name');
  expect(await tryTo('disconnect', 'alice')).toContain('There is no server of this name');
  expect(await live.gateway.connections?.list()).toHaveLength(1);
  expect(await tryTo('disconnect', 'bob')).toContain('Disconnected');
  expect(await live.gateway.connections?.list()).toEqual([]);
  expect(await tryTo('disconnect', 'bob')).toContain('There is no server of this name');
});

it('lets a user disconnect an account of a server that was removed from the configuration', async () => {
  await using team = await openTeam();
  const { live } = team;
  await connectFirst(team, 'other', 'bob', 'bob-elsewhere');
  const { notes } = team;
  const mcpServers = { notes: { url: notes.url, credentials: { type: 'perUser' } } };
  expect((await live.reload(team.configuration({ mcpServers }))).outcome).toBe('applied');
  const tryTo = openPageOf(live, 'other');
  expect(await tryTo('connect', 'bob')).toContain('There is no server of this name');
  expect(await tryTo('disconnect', 'alice')).toContain('There is no server of this name');
  expect(await tryTo('disconnect', 'bob')).toContain('Disconnected');
  expect(await live.gateway.connections?.list()).toEqual([]);
});

it.skipIf(REDIS_BINARY === undefined)(
  `says what to do while the store of what users grant is away, and goes on when it is back (${NO_REDIS})`,
  async () => {
    await using redis = await startRedisServer();
    const store = { type: 'redis', url: redis.url };
    await using team = await openTeam({ store, credentials: { key: 'the-key-of-what-users-grant-in-the-store' } });
    await connectFirst(team, 'notes', 'alice', 'alice-in-the-cloud');
    const alice = await team.enter('alice', 'SDK v2 modern');
    const bob = await team.enter('bob', 'SDK v1');
    const link = String((await bob.call('notes__list_notes')).error?.details?.['url']);
    redis.suspend();
    for (const { call } of [alice, bob])
      expect((await call('notes__list_notes')).error).toMatchObject({
        message: expect.stringContaining('the state store cannot be reached'),
        details: { reason: 'unavailable', retryable: true, outcome: 'not_run' },
      });
    expect(await new ConnectingBrowser().open(link)).toMatchObject({
      status: 503,
      html: expect.stringContaining('Try again in a moment'),
    });
    redis.resume();
    // The store is tried again once a second.
    let answer = await alice.call('notes__list_notes');
    for (let tries = 0; tries < 100 && answer.error !== undefined; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      answer = await alice.call('notes__list_notes');
    }
    expect(answer.data).toEqual([{ id: 1, text: 'a note of alice-in-the-cloud' }]);
    expect(await new ConnectingBrowser().connect(link, 'bob', 'bob-in-the-cloud')).toContain('is connected');
  },
);

it('begins twenty sign-ins a minute for one network and no more, whatever the way, and lets a right token in after wrong ones', async () => {
  await using team = await openTeam();
  const page = `${new URL(team.live.url).origin}/connect/notes`;
  const browser = new ConnectingBrowser();
  const guess = () => browser.agree(page, 'token', { token: 'a-wrong-token-of-a-client' });
  for (let count = 0; count < 20; count += 1) expect(await guess()).toContain('no token of a client');
  expect(await guess()).toContain('Too many attempts');
  expect(await browser.agree(page, 'token', { token: STATIC })).toContain('http-equiv="refresh"');
  for (let count = 1; count < 20; count += 1)
    expect(await browser.agree(page, 'issuer:corp')).toContain('http-equiv="refresh"');
  expect(await browser.agree(page, 'issuer:corp')).toContain('Too many attempts');
  expect(await browser.agree(page, 'token', { token: STATIC })).toContain('Too many attempts');
});
