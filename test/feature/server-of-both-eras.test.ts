import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { startErasServer } from '../support/eras-server.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { waitFor } from '../support/patience.js';

const passThrough = (server: object): Promise<LiveGateway> =>
  openLiveGateway({ endpoint: { mode: 'passthrough' }, mcpServers: { one: server } });

const textOf = (result: unknown): unknown => (result as { content: readonly { text?: string }[] }).content[0]?.text;

describe('a server that takes whatever has `_meta` for 2026-07-28', () => {
  it.each(['auto', '2025-11-25', '2026-07-28'])('connects with the protocol %s', async (protocol) => {
    await using server = await startErasServer();
    await using gateway = await hostGateway({ mcpServers: { one: { url: server.url, protocol } } });
    expect(gateway.gateway.status().upstreams).toMatchObject([{ state: 'ready' }]);
    expect(server.sessionsOpened).toBe(protocol === '2026-07-28' ? 0 : 1);
  });
});

describe.each([
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const)('a client over %s that is %s, of a server of both eras', (front, era) => {
  it('finds what either era offers', async () => {
    await using server = await startErasServer();
    await using gateway = await passThrough({ url: server.url });
    const client = await gateway.connect(front, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'get_ask',
      'get_in_both',
      'get_in_request',
      'get_in_session',
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri).sort()).toEqual(['test://both', 'test://in_request', 'test://in_session']);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name).sort()).toEqual(['prompt_in_request', 'prompt_in_session']);
  });

  it('calls, reads and gets in its own era, and in the other what that has alone', async () => {
    await using server = await startErasServer();
    await using gateway = await passThrough({ url: server.url });
    const client = await gateway.connect(front, era);
    for (const [what, where] of [
      ['in_both', era],
      ['in_session', 'legacy'],
      ['in_request', 'modern'],
    ]) {
      expect(textOf(await client.callTool({ name: `get_${what}` }))).toBe(`get_${what} of ${where}`);
      const uri = `test://${what?.replace('in_both', 'both')}`;
      expect((await client.readResource({ uri })) as ReadResourceResult).toMatchObject({
        contents: [{ text: `${uri} of ${where}` }],
      });
    }
    for (const [what, where] of [
      ['in_session', 'legacy'],
      ['in_request', 'modern'],
    ]) {
      const { messages } = await client.getPrompt({ name: `prompt_${what}` });
      expect(messages[0]?.content).toMatchObject({ text: `prompt_${what} of ${where}` });
    }
  });

  it('is served on when the server has forgotten its sessions', async () => {
    await using server = await startErasServer();
    await using gateway = await passThrough({ url: server.url });
    const client = await gateway.connect(front, era);
    server.forgetSessions();
    for (const [what, where] of [
      ['in_both', era],
      ['in_session', 'legacy'],
      ['in_request', 'modern'],
    ])
      expect(textOf(await client.callTool({ name: `get_${what}` }))).toBe(`get_${what} of ${where}`);
  });
});

describe('a server of both eras', () => {
  it.each([
    ['legacy', 'legacy'],
    ['auto', 'modern'],
  ] as const)('asks a client that is %s in its own era', async (mode, era) => {
    await using server = await startErasServer();
    await using gateway = await hostGateway({
      endpoint: { mode: 'passthrough' },
      mcpServers: { one: { url: server.url } },
    });
    const answer = () => ({ action: 'accept', content: { size: 'M' } }) as const;
    await using connected = await connectClient(gateway.url, mode, { answer });
    expect(textOf(await connected.client.callTool({ name: 'get_ask' }))).toBe(`{"size":"M"} of ${era}`);
  });

  it('is called as a tool is shown where the eras describe it otherwise', async () => {
    await using server = await startErasServer({ differs: true });
    await using gateway = await passThrough({ url: server.url });
    const client = await gateway.connect('http', 'legacy');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'get_in_both')?.inputSchema.properties).toHaveProperty('modern');
    const called = await client.callTool({ name: 'get_in_both', arguments: { modern: 'x' } });
    expect(textOf(called)).toBe('get_in_both of modern');
  });

  it('is served on in 2026-07-28 where it can open no session, and the log says why', async () => {
    await using server = await startErasServer({ refuses: () => 503 });
    await using gateway = await passThrough({ url: server.url });
    const said = gateway.observations.flatMap((each) => (each.kind === 'diagnostic' ? [each.message] : []));
    expect(said).toEqual([expect.stringContaining('no session (2025-11-25) could be opened beside: HTTP 503')]);
    const client = await gateway.connect('http', 'legacy');
    expect(textOf(await client.callTool({ name: 'get_in_both' }))).toBe('get_in_both of modern');
  });

  it('is held in both also where its users have credentials of their own', async () => {
    await using server = await startErasServer();
    await using gateway = await passThrough({
      url: server.url,
      credentials: { type: 'forwardHeaders', headers: ['x-key'] },
    });
    const client = await gateway.connect('http', 'legacy');
    expect(textOf(await client.callTool({ name: 'get_in_both' }))).toBe('get_in_both of legacy');
  });

  it('is spoken to in one era where the configuration says which', async () => {
    await using server = await startErasServer();
    await using gateway = await passThrough({ url: server.url, protocol: '2026-07-28' });
    const client = await gateway.connect('http', 'legacy');
    expect(textOf(await client.callTool({ name: 'get_in_both' }))).toBe('get_in_both of modern');
    expect(server.sessionsOpened).toBe(0);
  });

  it.each(['modern', 'legacy'] as const)(
    'tells of a changed resource whichever era it tells it in: %s',
    async (era) => {
      await using server = await startErasServer();
      await using gateway = await passThrough({ url: server.url });
      const client = await gateway.connect('http', 'legacy');
      const told = vi.fn();
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => told(params.uri));
      await client.subscribeResource({ uri: 'test://both' });
      server.update(era, 'test://both');
      await waitFor(() => expect(told).toHaveBeenCalledWith('test://both'));
    },
  );
});
