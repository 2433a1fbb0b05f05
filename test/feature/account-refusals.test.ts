import { expect, it } from 'vitest';
import { type AuthorizationServer, signIn, startAuthorizationServer } from '../support/authorization-server.mjs';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';

const TOKENS = { anna: 'a-static-token-of-anna', ben: 'a-static-token-of-ben' } as const;

/** A gateway with two clients, who connect accounts of one server; access tokens last as long as a request. */
interface Team extends AsyncDisposable {
  readonly cloud: AuthorizationServer;
  readonly notes: GuardedServer;
  readonly live: LiveGateway;
  /** Sends the browser of a client to the server's authorization server, and resolves with the address that it comes back to. */
  depart(who: keyof typeof TOKENS): Promise<{ readonly browser: ConnectingBrowser; readonly back: URL }>;
}

async function openTeam(): Promise<Team> {
  const port = await freePort();
  const cloud = await startAuthorizationServer({ resource: 'http://127.0.0.1/nothing', tokenSeconds: 1 });
  const notes = await startGuardedServer({ issuer: cloud.issuer });
  const live = await openLiveGateway({
    server: { port },
    clients: Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }])),
    mcpServers: { notes: { url: notes.url, credentials: { type: 'perUser' } } },
  });
  return {
    cloud,
    notes,
    live,
    async depart(who) {
      const browser = new ConnectingBrowser();
      const page = await browser.agree(`${new URL(live.url).origin}/connect/notes`, 'token', { token: TOKENS[who] });
      const target = /content="0;url=([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
      return { browser, back: new URL((await signIn(target, `${who}-in-the-cloud`)).location) };
    },
    async [Symbol.asyncDispose]() {
      for (const part of [live, notes, cloud]) await part[Symbol.asyncDispose]();
    },
  };
}

const noticesOf = ({ live }: Team): string => JSON.stringify(live.observations.filter(({ kind }) => kind === 'notice'));

it('tells a user to send a call again while the authorization server is down, and goes on when it is back', async () => {
  await using team = await openTeam();
  const { live, cloud, notes } = team;
  for (const who of ['anna', 'ben'] as const) {
    const { browser, back } = await team.depart(who);
    expect((await browser.open(back)).html).toContain('is connected');
  }
  const [anna, ben] = [
    await live.connect('http', 'modern', TOKENS.anna),
    await live.connect('http', 'modern', TOKENS.ben),
  ];
  expect((await live.call(anna, 'notes__who_am_i')).data).toMatchObject({ who: 'anna-in-the-cloud' });
  cloud.setDown(true);
  // What anna has ends while it is down.
  await expect.poll(async () => (await live.call(anna, 'notes__who_am_i')).success).toBe(false);
  const { error } = await live.call(anna, 'notes__who_am_i');
  expect(error).toMatchObject({
    message: expect.stringMatching(
      /cannot be renewed, because its authorization server.*it answered 503\. The call did/,
    ),
    details: { reason: 'token_refresh', retryable: true, outcome: 'not_run' },
  });
  expect([error?.details?.['url'], (await live.gateway.connections?.list())?.length]).toEqual([undefined, 2]);
  expect(noticesOf(team)).toContain('notes: the access of its users cannot be renewed');
  cloud.setDown(false);
  await expect
    .poll(async () => (await live.call(anna, 'notes__who_am_i')).data)
    .toMatchObject({ who: 'anna-in-the-cloud' });
  expect((await live.call(ben, 'notes__who_am_i')).data).toMatchObject({ who: 'ben-in-the-cloud' });
  for (const { headers } of notes.received) {
    const token = headers.authorization?.replace('Bearer ', '') ?? 'none';
    expect(JSON.stringify([live.observations, error]).includes(token)).toBe(false);
  }
});

it('serves a user whose account the server takes, though it locks out the one who connected first', async () => {
  await using team = await openTeam();
  const { live, notes } = team;
  notes.refuseSubject('anna-in-the-cloud');
  for (const who of ['anna', 'ben'] as const) {
    const { browser, back } = await team.depart(who);
    expect((await browser.open(back)).html).toContain('is connected');
  }
  expect(live.gateway.status()).toMatchObject({ ready: true, upstreams: [{ state: 'dormant' }] });
  const ben = await live.connect('http', 'modern', TOKENS.ben);
  expect((await live.call(ben, 'notes__who_am_i')).data).toMatchObject({ who: 'ben-in-the-cloud' });
});

it.each([
  ['the user pressed no', { error: 'access_denied' }, 'Access was not granted'],
  ['the authorization server demands another scope', { error: 'invalid_scope' }, 'it answered &#39;invalid_scope&#39;'],
  ['the answer is of another issuer', { iss: 'https://elsewhere.example' }, 'of another authorization server'],
] as const)(
  'says on the page that nothing is connected where %s, and takes that answer once',
  async (_what, changes, said) => {
    await using team = await openTeam();
    const { browser, back } = await team.depart('anna');
    const changed = new URL(back);
    if ('error' in changes) changed.searchParams.delete('code');
    for (const [name, value] of Object.entries(changes)) changed.searchParams.set(name, value);
    expect((await new ConnectingBrowser().open(changed)).html).toContain('no request of this browser');
    expect((await browser.open(changed)).html).toContain(said);
    expect((await browser.open(back)).html).toContain('has been used');
    expect(await team.live.gateway.connections?.list()).toEqual([]);
  },
);

it('tells the user and the operator why an authorization server has given no token for an answer', async () => {
  await using team = await openTeam();
  const answers = [
    [500, 'the secret of a server', 'it answered 500'],
    [400, '{"error":"invalid_target","error_description":"the secret of a server"}', "it answered 'invalid_target'"],
    [401, '{"error":"invalid_client"}', 'registers anew'],
  ] as const;
  for (const [status, body, said] of answers) {
    const { browser, back } = await team.depart('anna');
    team.cloud.intercept((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return true;
    });
    expect((await browser.open(back)).html.replaceAll('&#39;', "'")).toContain(said);
    expect(noticesOf(team)).toContain(said);
    team.cloud.intercept();
  }
  expect(noticesOf(team)).not.toContain('the secret of');
  const { browser, back } = await team.depart('anna');
  expect((await browser.open(back)).html).toContain('is connected');
});
