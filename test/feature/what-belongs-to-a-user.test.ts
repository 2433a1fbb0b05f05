import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { askForAll } from '../support/ask-for-all.js';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.js';

const USERS = ['annabel', 'bertram', 'cordula'];
const tokenOf = (user: string): string => `a-static-token-of-${user}`;

async function connectAccount(live: LiveGateway, server: PrivateServer, user: string): Promise<void> {
  server.user = user;
  const browser = new ConnectingBrowser();
  const page = await browser.agree(`${new URL(live.url).origin}/connect/diaries`, 'token', { token: tokenOf(user) });
  expect(await browser.pass(page)).toContain('is connected');
}

async function configure(server: PrivateServer, mode: string): Promise<object> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    endpoint: { mode },
    server: { port, publicUrl },
    dataDir: mkdtempSync(join(tmpdir(), 'owners-')),
    store: { type: 'sqlite' },
    credentials: { key: 'the-key-of-what-users-have-granted' },
    clients: Object.fromEntries([...USERS, 'nobody'].map((user) => [user, { token: tokenOf(user) }])),
    mcpServers: { diaries: { url: server.url, credentials: { type: 'perUser' } } },
  };
}

/** The names of the users of which a text has a word. */
function namedIn(text: string, asked: readonly string[] = []): readonly string[] {
  return USERS.filter((user) => !asked.includes(user) && text.includes(user));
}

for (const mode of ['semantic', 'single', 'passthrough']) {
  it(`shows each user all of their own at a server, and no word of anybody else's, also after a restart (${mode})`, async () => {
    await using server = await startPrivateServer();
    const config = await configure(server, mode);
    for (const run of ['first', 'second']) {
      await using live = await openLiveGateway(config);
      if (run === 'first') for (const user of USERS) await connectAccount(live, server, user);
      for (const era of ['legacy', 'modern'] as const) {
        const clients = new Map<string, Client>();
        for (const user of [...USERS, 'nobody']) clients.set(user, await live.connect('http', era, tokenOf(user)));
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
      }
      const shared = JSON.stringify([live.gateway.operations(), live.gateway.status(), live.gateway.toolSets()]);
      expect(namedIn(JSON.stringify([shared, await live.gateway.definitions()]))).toEqual([]);
    }
  }, 120_000);
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
}, 120_000);
