import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { callMessage, MODERN_META, modernHeaders, openSession, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';
import { SlowReader } from '../support/slow-reader.js';

/** More than the buffers of two sockets hold, and less than the largest answer. */
const BYTES = 9_000_000;

/** A picture that is sent after progress; one that waits until it is released; and a document. */
const SERVER = `(() => {
  const picture = { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(${BYTES}) }] };
  const waiting = [];
  const report = ({ _meta }, { send }) => _meta?.progressToken !== undefined &&
    send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
  const tools = {
    get_picture: (params, server) => { report(params, server); return picture; },
    get_late_picture: async (params, server) => { report(params, server); await new Promise((resolve) => waiting.push(resolve)); return picture; },
    get_release: () => { for (const resume of waiting.splice(0)) resume(); return { content: [{ type: 'text', text: 'released' }] }; },
  };
  const uri = 'mem://document';
  return {
    capabilities: { tools: {}, resources: {} },
    'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
    'tools/call': (params, server) => tools[params.name](params, server),
    'resources/list': () => ({ resources: [{ uri, name: 'document' }] }),
    'resources/read': () => ({ contents: [{ uri, mimeType: 'image/png', blob: 'A'.repeat(${BYTES}) }] }),
  };
})()`;

const CONFIG = {
  mcpServers: {
    pictures: { command: process.execPath, args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, SERVER] },
  },
  server: { longCallKeepAliveMs: 100 },
};

/** Each door, and how somebody opens it who begins to read and stops. */
const DOORS: Readonly<Record<string, (url: string, session: Record<string, string>) => Promise<SlowReader>>> = {
  'a call in a session': async (url, headers) =>
    beginning(new SlowReader(url, { headers, body: withProgress(callMessage(1, { operation: 'get_picture' })) })),
  'a call in a session, as plain JSON': async (url, headers) =>
    beginning(
      new SlowReader(url, {
        headers: { ...headers, accept: 'application/json' },
        body: callMessage(1, { operation: 'get_picture' }),
      }),
    ),
  'messages in one request': async (url, headers) =>
    beginning(
      new SlowReader(url, {
        headers,
        body: [withProgress(callMessage(1, { operation: 'get_picture' })), { jsonrpc: '2.0', id: 2, method: 'ping' }],
      }),
    ),
  'a call of 2026-07-28': async (url) => {
    const call = withProgress(callMessage(1, { operation: 'get_picture' }));
    const params = call['params'] as JsonObject;
    const _meta = { ...MODERN_META, ...(params['_meta'] as JsonObject) };
    const headers = modernHeaders('tools/call', 'mcp_aql_read');
    return beginning(new SlowReader(url, { headers, body: { ...call, params: { ...params, _meta } } }));
  },
  'a resource': async (url, headers) =>
    beginning(
      new SlowReader(url, {
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'mem://document' } },
      }),
    ),
  'a stream that is resumed': async (url, headers) => {
    const body = withProgress(callMessage(1, { operation: 'get_late_picture' }));
    const before = new SlowReader(url, { headers, body });
    const event = /id: (\S+\.1)\n/.exec(await before.read(/id: \S+\.1\n/))?.[1] ?? '';
    const after = new SlowReader(url, { method: 'GET', headers: { ...headers, 'last-event-id': event } });
    // The former stream ends when the call has gone over to the new one.
    await before.read();
    await sendHttp(url, { headers, body: callMessage(9, { operation: 'get_release' }) });
    return beginning(after);
  },
};

function withProgress(message: JsonObject): JsonObject {
  return { ...message, params: { ...(message['params'] as JsonObject), _meta: { progressToken: 'p' } } };
}

/** How much of the picture has come. */
function countPicture(text: string): number {
  const begin = text.indexOf('AAAA');
  return text.indexOf('"', begin) - begin;
}

async function beginning(reader: SlowReader): Promise<SlowReader> {
  await reader.read(/AAAA/);
  return reader;
}

describe('a client that stops reading a large answer', () => {
  let gateway: HostedGateway;
  let session: Record<string, string>;
  /** A client that reads everything, and hears that the gateway keeps streams alive. */
  let calm: SlowReader;

  beforeAll(async () => {
    gateway = await hostGateway(CONFIG);
    calm = new SlowReader(gateway.url, { method: 'GET', headers: await openSession(gateway.url) });
  }, 30_000);
  beforeEach(async () => {
    session = await openSession(gateway.url);
  });
  afterAll(async () => {
    calm.reset();
    await gateway?.[Symbol.asyncDispose]();
  });

  const twoTicks = async (): Promise<void> => {
    calm.forget();
    await calm.read(/(: keep-alive[\s\S]*){2}/);
  };
  const isServed = async (): Promise<void> => {
    const { status } = await sendHttp(gateway.url, {
      headers: session,
      body: { jsonrpc: '2.0', id: 7, method: 'ping' },
    });
    expect(status).toBe(200);
  };

  it.each(Object.keys(DOORS))('gets all of it later, whatever has happened meanwhile: %s', async (door) => {
    const reader = (await DOORS[door]?.(gateway.url, session)) as SlowReader;
    await twoTicks();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await sendHttp(gateway.url, { headers: session, body: cancelled });
    const again = new SlowReader(gateway.url, { method: 'GET', headers: { ...session, 'last-event-id': 'x.1' } });
    await gateway.reload({ ...CONFIG, clients: [] });
    await isServed();
    await sendHttp(gateway.url, { method: 'DELETE', headers: session });
    await twoTicks();
    again.reset();
    expect(countPicture(await reader.read())).toBe(BYTES);
  });

  it.each(Object.keys(DOORS))('disturbs nobody when it resets or half closes its connection: %s', async (door) => {
    const [one, other] = [session, await openSession(gateway.url)];
    const resetting = (await DOORS[door]?.(gateway.url, one)) as SlowReader;
    const closing = (await DOORS[door]?.(gateway.url, other)) as SlowReader;
    resetting.reset();
    closing.halfClose();
    await closing.read();
    await twoTicks();
    await isServed();
  });
});

describe('a gateway that stops while a client does not read', () => {
  it('sends all of it first', async () => {
    const gateway = await hostGateway({ ...CONFIG, server: { ...CONFIG.server, drainMs: 60_000 } });
    const reading = ['a call in a session', 'a resource'].map(async (door) =>
      DOORS[door]?.(gateway.url, await openSession(gateway.url)),
    );
    const readers = await Promise.all(reading);
    const stopping = gateway[Symbol.asyncDispose]();
    for (const reader of readers) expect(countPicture((await reader?.read()) ?? '')).toBe(BYTES);
    await stopping;
  }, 60_000);
});
