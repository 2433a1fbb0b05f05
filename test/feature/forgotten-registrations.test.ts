import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.js';

const USERS = ['annabel', 'bertram'] as const;
type User = (typeof USERS)[number];
const tokenOf = (user: User): string => `a-static-token-of-${user}`;

async function configure(server: PrivateServer, publicPort: number): Promise<object> {
  return {
    server: { port: await freePort(), publicUrl: `http://127.0.0.1:${publicPort}` },
    dataDir: mkdtempSync(join(tmpdir(), 'registrations-')),
    store: { type: 'sqlite' },
    credentials: { key: 'the-key-of-what-users-have-granted' },
    clients: Object.fromEntries(USERS.map((user) => [user, { token: tokenOf(user) }])),
    mcpServers: { diaries: { url: server.url, credentials: { type: 'perUser' } } },
  };
}

/** What a user reads in the end who connects an account. */
async function connect(origin: string, server: PrivateServer, user: User): Promise<string> {
  server.user = user;
  const browser = new ConnectingBrowser();
  const page = await browser.agree(`${origin}/connect/diaries`, 'token', { token: tokenOf(user) });
  return browser.pass(page);
}

async function diaryOf(live: LiveGateway, user: User): Promise<string> {
  const client = await live.connect('http', 'modern', tokenOf(user));
  return JSON.stringify((await live.call(client, `diaries__get_${user}_diary`)).data);
}

it.each([
  { page: 400, token: 401 },
  { page: 422, token: 400 },
  { page: 404, token: undefined },
  { page: 200, token: 401 },
  { page: 500, token: 401 },
])(
  'lets a user connect at the first try where the authorization server has forgotten the gateway and says so with $page on its page and $token for tokens, while others go on',
  async (toStrangers) => {
    await using server = await startPrivateServer();
    server.toStrangers = toStrangers;
    const port = await freePort();
    await using live = await openLiveGateway({ ...(await configure(server, port)), server: { port } });
    const origin = new URL(live.url).origin;
    expect(await connect(origin, server, 'annabel')).toContain('is connected');
    server.registered.clear();
    expect(await connect(origin, server, 'bertram')).toContain('is connected');
    expect(await diaryOf(live, 'bertram')).toContain('written by bertram');
    expect(await diaryOf(live, 'annabel')).toContain('written by annabel');
    expect([await connect(origin, server, 'annabel'), server.registered.size]).toEqual([expect.any(String), 1]);
  },
);

it('says where it is stuck if the authorization server has forgotten the gateway and registers nobody, and goes on when it does again', async () => {
  await using server = await startPrivateServer();
  const port = await freePort();
  await using live = await openLiveGateway({ ...(await configure(server, port)), server: { port } });
  const origin = new URL(live.url).origin;
  await connect(origin, server, 'annabel');
  server.registered.clear();
  server.registers = false;
  expect(await connect(origin, server, 'bertram')).toContain('does not register this gateway: it answered 404');
  server.registers = true;
  expect(await connect(origin, server, 'bertram')).toContain('is connected');
  expect(server.registered.size).toBe(1);
});

it('sends the users of two replicas with the one new registration after it was forgotten', async () => {
  await using server = await startPrivateServer();
  const port = await freePort();
  const config = await configure(server, port);
  await using first = await openLiveGateway({ ...config, server: { port } });
  await using second = await openLiveGateway(config);
  const origins = [first.url, second.url].map((url) => new URL(url).origin);
  await connect(origins[0] ?? '', server, 'annabel');
  server.registered.clear();
  expect(await connect(origins[1] ?? '', server, 'bertram')).toContain('is connected');
  expect(await connect(origins[0] ?? '', server, 'annabel')).toContain('is connected');
  expect(server.registered.size).toBe(1);
  expect(await diaryOf(first, 'bertram')).toContain('written by bertram');
});
