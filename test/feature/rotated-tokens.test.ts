import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { ConnectingBrowser } from '../support/connecting-browser.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { freePort } from '../support/oauth-client.js';

const tool = (name: string): object => ({ name, description: `${name} it`, inputSchema: { type: 'object' } });

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'shop', version: '1' },
  },
  'tools/list': { tools: [tool('get_thing'), tool('create_thing')] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

type Kind = 'http' | 'sse';

/** A server that lets one token in, and says of calls with which token they came. */
async function startServer(kind: Kind): Promise<{ url: string; token: string; calls: string[]; close: () => void }> {
  const shop = { url: '', token: 'the-first-token', calls: [] as string[], close: () => void server.close() };
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString() || '{}') as JsonObject;
    const token = String(request.headers.authorization).replace('Bearer ', '');
    if (message['method'] === 'tools/call') shop.calls.push(token);
    if (token !== shop.token) return void response.writeHead(401).end(`'${token}' is no good`);
    const result = RESULTS[String(message['method'])];
    if (kind === 'sse' && request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void stream.write('event: endpoint\ndata: /messages\n\n');
    }
    if (message['id'] === undefined) return void response.writeHead(request.method === 'GET' ? 405 : 202).end();
    const answer = result === undefined ? { error: { code: -32601, message: 'unknown' } } : { result };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...answer });
    if (kind === 'sse') {
      response.writeHead(202).end();
      return void stream?.write(`event: message\ndata: ${text}\n\n`);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shop.url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/mcp`;
  return shop;
}

describe.each<Kind>(['http', 'sse'])('a token that a file holds, of a server over %s', (kind) => {
  let folder: string;
  let file: string;
  let shop: Awaited<ReturnType<typeof startServer>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tokens-'));
    file = join(folder, 'token');
    await writeFile(file, 'Bearer the-first-token');
    shop = await startServer(kind);
  });

  afterEach(async () => {
    shop.close();
    await rm(folder, { recursive: true });
  });

  const open = () =>
    openLiveGateway({
      mcpServers: {
        shop: {
          type: kind,
          url: shop.url,
          trust: 'certified',
          protocol: '2025-11-25',
          headers: { Authorization_FILE: file },
        },
      },
    });

  it.each(['get_thing', 'create_thing'])(
    'is read anew when the server refuses it, and %s is sent once more and runs once',
    async (operation) => {
      await using live = await open();
      const client = await live.connect('http', 'legacy');
      await writeFile(file, 'Bearer the-second-token\n');
      shop.token = 'the-second-token';
      expect(await live.call(client, operation)).toMatchObject({ success: true, data: 'done' });
      expect(await live.call(client, operation)).toMatchObject({ success: true, data: 'done' });
      expect(shop.calls).toEqual(['the-first-token', 'the-second-token', 'the-second-token']);
    },
  );

  // Over SSE the ping that asks after the session is refused, too, and the connection is made anew first.
  it.runIf(kind === 'http')(
    'is not sent again where the file has not changed, nor a third time where the next is refused too',
    async () => {
      await using live = await open();
      const client = await live.connect('http', 'legacy');
      shop.token = 'nobody-has-it';
      expect(await live.call(client, 'create_thing')).toMatchObject({ success: false });
      expect(shop.calls).toEqual(['the-first-token']);
      await writeFile(file, 'Bearer the-second-token');
      const { error } = await live.call(client, 'create_thing');
      expect(shop.calls).toEqual(['the-first-token', 'the-first-token', 'the-second-token']);
      expect(JSON.stringify([error, live.observations])).not.toMatch(/the-(first|second)-token/);
    },
  );
});

/** A server that wants a key of the gateway and a token of the user, of which it is the authorization server (MCP 2025-03-26). */
async function startOwnIssuer() {
  const shop = {
    url: '',
    key: 'the-first-key',
    token: 'token-1',
    calls: [] as string[],
    close: () => void server.close(),
  };
  let tokens = 0;
  const answers: Readonly<Record<string, () => object>> = {
    '/register': () => ({ client_id: 'the-client' }),
    '/token': () => {
      tokens += 1;
      shop.token = `token-${tokens}`;
      return { access_token: shop.token, refresh_token: 'the-refreshing' };
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '/', shop.url);
    const json = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'the-code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== '/mcp') return json(answers[pathname] === undefined ? 404 : 200, answers[pathname]?.() ?? {});
    const message = JSON.parse(Buffer.concat(chunks).toString() || '{}') as JsonObject;
    const [key, token] = [request.headers['x-key'], request.headers.authorization?.replace('Bearer ', '')];
    if (message['method'] === 'tools/call') shop.calls.push(`${key} ${token}`);
    if (key !== shop.key || token !== shop.token) return void response.writeHead(401).end();
    if (message['id'] === undefined) return void response.writeHead(request.method === 'GET' ? 405 : 202).end();
    json(200, { jsonrpc: '2.0', id: message['id'], result: RESULTS[String(message['method'])] ?? {} });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shop.url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/mcp`;
  return shop;
}

it('of a server whose users connect accounts is read anew beside their tokens, and a call runs once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  const file = join(folder, 'key');
  await writeFile(file, 'the-first-key');
  const shop = await startOwnIssuer();
  const headers = { 'X-Key_FILE': file };
  await using live = await openLiveGateway({
    server: { port: await freePort() },
    clients: { anna: { token: 'a-static-token-of-anna' } },
    mcpServers: {
      shop: { url: shop.url, trust: 'certified', protocol: '2025-11-25', headers, credentials: { type: 'perUser' } },
    },
  });
  const browser = new ConnectingBrowser();
  const page = await browser.agree(`${new URL(live.url).origin}/connect/shop`, 'token', {
    token: 'a-static-token-of-anna',
  });
  const target = /content="0;url=([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const there = await fetch(target, { redirect: 'manual' });
  expect((await browser.open(there.headers.get('location') ?? '')).html).toContain('is connected');
  const client = await live.connect('http', 'legacy', 'a-static-token-of-anna');
  const create = () => live.call(client, 'create_thing');
  await expect.poll(create).toMatchObject({ success: true });
  shop.calls.length = 0;

  shop.key = 'the-second-key';
  await writeFile(file, 'the-second-key');
  expect(await create()).toMatchObject({ success: true, data: 'done' });
  expect(shop.calls).toEqual(['the-first-key token-1', 'the-second-key token-1']);
  // The token of the user is renewed as before.
  shop.calls.length = 0;
  shop.token = 'nobody-has-it';
  expect(await create()).toMatchObject({ success: true, data: 'done' });
  expect(shop.calls).toEqual(['the-second-key token-1', 'the-second-key token-2']);
  shop.close();
  await rm(folder, { recursive: true });
});
