import { expect, it } from 'vitest';
import { askForAll } from '../support/ask-for-all.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';
import { startPrivateServer } from '../support/private-server.js';

const TOKEN = 'a-static-token-of-bertram';

async function settings() {
  const port = await freePort();
  return {
    server: {
      port,
      publicUrl: `http://127.0.0.1:${port}`,
      // Nobody signs in there.
      oauth: { resource: `http://127.0.0.1:${port}/mcp`, issuers: [{ name: 'corp', issuer: 'http://127.0.0.1:1' }] },
    },
    clients: { bertram: { token: TOKEN } },
    credentials: { key: 'the-key-of-what-users-have-granted' },
  };
}

/** Servers that are called with the rights of their callers, or show each caller something else, as entries of `mcpServers`. */
const OWNED: Readonly<Record<string, object>> = {
  'users connect accounts': { credentials: { type: 'perUser' } },
  'headers of callers are passed on': { credentials: { type: 'forwardHeaders', headers: ['x-user'] } },
  'tokens of callers are exchanged': {
    credentials: {
      type: 'exchange',
      tokenEndpoint: 'http://127.0.0.1:1/token',
      clientId: 'gateway',
      clientSecret: 'the-secret-of-the-gateway',
    },
  },
  'each client has another account’s connection of its own': { isolation: 'client', headers: { 'x-user': 'bertram' } },
};

for (const [how, credentials] of Object.entries(OWNED)) {
  it(`nobody is shown what a server has listed to a former account, from the moment of the reload after which ${how}`, async () => {
    await using server = await startPrivateServer();
    const config = await settings();
    const shared = { url: server.url, headers: { 'x-user': 'annabel' } };
    await using live = await openLiveGateway({ ...config, mcpServers: { diaries: shared } });
    const client = await live.connect('http', 'modern', TOKEN);
    for (const own of ['get_annabel_diary', 'diary://annabel/today', 'letter_of_annabel', 'The diaries of annabel'])
      expect(await askForAll(client, 'single')).toContain(own);
    const { outcome } = await live.reload({ ...config, mcpServers: { diaries: { url: server.url, ...credentials } } });
    expect(outcome).toBe('applied');
    const later = await live.connect('http', 'modern', TOKEN);
    for (const each of [client, later]) {
      const told = await askForAll(each, 'single');
      expect(told.match(/annabel.{0,80}/)?.[0]).toBeUndefined();
    }
    const { gateway } = live;
    expect(JSON.stringify([gateway.operations(), gateway.toolSets(), await gateway.definitions()])).not.toContain(
      'annabel',
    );
    expect((await live.reload({ ...config, mcpServers: { diaries: shared } })).outcome).toBe('applied');
    await expect.poll(() => askForAll(client, 'single')).toContain('letter_of_annabel');
  });
}

it('a reload that connects the only server with resources and prompts anew hides none of them while it starts', async () => {
  await using server = await startPrivateServer();
  const config = await settings();
  const diaries = { url: server.url, headers: { 'x-user': 'annabel' } };
  await using live = await openLiveGateway({ ...config, mcpServers: { diaries } });
  const client = await live.connect('http', 'legacy', TOKEN);
  const before = [await client.listResources(), await client.listResourceTemplates(), await client.listPrompts()];
  expect(JSON.stringify(before)).toContain('letter_of_annabel');
  let release = (): void => undefined;
  server.held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reload = live.reload({ ...config, mcpServers: { diaries: { ...diaries, timeoutMs: 20_000 } } });
  await expect.poll(() => live.gateway.status().upstreams[0]?.state).toBe('starting');
  for (const era of ['legacy', 'modern'] as const) {
    const later = await live.connect('http', era, TOKEN);
    expect(later.getServerCapabilities()).toMatchObject({ resources: {}, prompts: {}, completions: {} });
    const now = [await later.listResources(), await later.listResourceTemplates(), await later.listPrompts()];
    expect(JSON.stringify(now.map(({ ttlMs: _ttl, ...each }) => each))).toContain('letter_of_annabel');
    expect((await live.call(later, 'list_resources')).data).toMatchObject([{ uri: 'diary://annabel/today' }]);
  }
  const reading = live.call(client, 'read_resource', { uri: 'diary://annabel/today' });
  const prompt = client.getPrompt({ name: 'letter_of_annabel' });
  release();
  expect((await reading).data).toBe('the day of annabel');
  expect(JSON.stringify(await prompt)).toContain('Write as annabel');
  expect((await reload).outcome).toBe('applied');
});
