import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.js';
import {
  callMessage,
  MODERN_META,
  modernHeaders,
  openSession,
  type RawRequest,
  sendHttp,
} from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';
import { SlowReader } from '../support/slow-reader.js';

/** More than the buffers of two sockets hold, and less than the largest answer. */
const BYTES = 9_000_000;

/** A picture that is sent after progress; one that waits until it is released; and a document, whose change is announced then. */
const SERVER = `(() => {
  const picture = { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(${BYTES}) }] };
  const waiting = [];
  const report = ({ _meta }, { send }) => _meta?.progressToken !== undefined &&
    send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
  const tools = {
    get_picture: (params, server) => { report(params, server); return picture; },
    get_late_picture: async (params, server) => { report(params, server); await new Promise((resolve) => waiting.push(resolve)); return picture; },
    get_release: (_, { send }) => {
      for (const resume of waiting.splice(0)) resume();
      send({ method: 'notifications/resources/updated', params: { uri } });
      return { content: [{ type: 'text', text: 'released' }] };
    },
  };
  const uri = 'mem://document';
  return {
    capabilities: { tools: {}, resources: { subscribe: true } },
    'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
    'tools/call': (params, server) => tools[params.name](params, server),
    'resources/list': () => ({ resources: [{ uri, name: 'document' }] }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'resources/read': () => ({ contents: [{ uri, mimeType: 'image/png', blob: 'A'.repeat(${BYTES}) }] }),
  };
})()`;

const DOCUMENT = 'mem://document';
const PICTURE = callMessage(1, { operation: 'pictures__get_picture' });
const OPERATOR = 'olga-has-a-long-token';

const CONSOLE = { approvals: { operators: { olga: { token: OPERATOR } } } };

const configure = (diaries: PrivateServer) => ({
  mcpServers: {
    pictures: { command: process.execPath, args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, SERVER] },
    diaries: { url: diaries.url, credentials: { type: 'perUser' } },
  },
  credentials: { key: 'the-key-of-what-users-have-granted' },
  metrics: { enabled: true, token: OPERATOR },
  policy: CONSOLE,
  server: { longCallKeepAliveMs: 100, publicUrl: 'http://127.0.0.1' },
});

type Headers = Readonly<Record<string, string>>;

interface Door {
  /** Opens it and begins to read. */
  readonly open: (url: string, session: Headers) => Promise<SlowReader>;
  /** What must have come when the answer is over, and how often; a whole picture unless given. */
  readonly holds?: RegExp;
  readonly times?: number;
  /** Whether it is open until somebody ends it. */
  readonly isOpen?: true;
  /** Whether another stream of its session takes its place. */
  readonly isReplaced?: true;
}

/** As often as a connection may ask before it reads. */
const TIMES = 100;

/** Asks for a page of people or machines. */
const page = (path: string, headersOf: (url: string) => Promise<Headers> = async () => ({})): Door => ({
  open: async (url) => {
    const { href } = new URL(path, url);
    const headers = await headersOf(url);
    const { status, text } = await sendHttp(href, { method: 'GET', headers });
    expect([status, text.length > 0]).toEqual([200, true]);
    return beginning(SlowReader.askOften(href, headers, TIMES), /200 OK/);
  },
  holds: /HTTP\/1\.1 200 OK/,
  times: TIMES,
});

const asOperator = async (): Promise<Headers> => ({ authorization: `Bearer ${OPERATOR}` });

const inConsole = async (url: string): Promise<Headers> => {
  const visitor = new ConsoleVisitor(url);
  await visitor.signIn(OPERATOR);
  return { cookie: visitor.cookie };
};

const UPDATED = /"method":"notifications\/resources\/updated"/;

/** Each door, and how somebody opens it who begins to read and stops. */
const DOORS: Readonly<Record<string, Door>> = {
  'a call in a session': asking((headers) => ({ headers, body: withProgress(PICTURE) })),
  'a call in a session, as plain JSON': asking((headers) => ({
    headers: { ...headers, accept: 'application/json' },
    body: PICTURE,
  })),
  'messages in one request': asking((headers) => ({
    headers,
    body: [withProgress(PICTURE), { jsonrpc: '2.0', id: 2, method: 'ping' }],
  })),
  'a call of 2026-07-28': asking(() => {
    const call = withProgress(PICTURE);
    const params = call['params'] as JsonObject;
    const _meta = { ...MODERN_META, ...(params['_meta'] as JsonObject) };
    return { headers: modernHeaders('tools/call', 'mcp_aql_read'), body: { ...call, params: { ...params, _meta } } };
  }),
  'a resource': asking((headers) => ({
    headers,
    body: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: DOCUMENT } },
  })),
  'a stream that is resumed': {
    open: async (url, headers) => {
      const body = withProgress(callMessage(1, { operation: 'pictures__get_late_picture' }));
      const before = SlowReader.ask(url, { headers, body });
      const event = /id: (\S+\.1)\n/.exec(await before.read(/id: \S+\.1\n/))?.[1] ?? '';
      const after = SlowReader.ask(url, { method: 'GET', headers: { ...headers, 'last-event-id': event } });
      // The former stream ends when the call has gone over to the new one.
      await before.read();
      await release(url, headers);
      return beginning(after);
    },
  },
  'the stream of a session': {
    open: async (url, headers) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: DOCUMENT } };
      await sendHttp(url, { headers, body });
      return beginning(SlowReader.ask(url, { method: 'GET', headers }), /keep-alive/);
    },
    holds: UPDATED,
    isOpen: true,
    isReplaced: true,
  },
  'a subscription of 2026-07-28': {
    open: async (url) => {
      const params = { _meta: MODERN_META, notifications: { resourceSubscriptions: [DOCUMENT] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
      return beginning(SlowReader.ask(url, { headers: modernHeaders('subscriptions/listen'), body }), /acknowledged/);
    },
    holds: UPDATED,
    isOpen: true,
  },
  'the events of the console': {
    open: async (url) => {
      const headers = await inConsole(url);
      const { href } = new URL('/ui/events?page=overview', url);
      return beginning(SlowReader.ask(href, { method: 'GET', headers }), /retry: /);
    },
    holds: /event: counted/,
    isOpen: true,
  },
  'pages of the console': page('/ui/catalogue', inConsole),
  'pages on which users connect accounts': page('/connect/diaries'),
  "the operators' API": page('/admin/approvals', asOperator),
  'the figures for a monitor': page('/metrics', asOperator),
};

/** Asks for a picture. */
function asking(requestOf: (session: Headers) => RawRequest): Door {
  return { open: async (url, session) => beginning(SlowReader.ask(url, requestOf(session))) };
}

async function release(url: string, headers: Headers): Promise<void> {
  const { text } = await sendHttp(url, { headers, body: callMessage(9, { operation: 'pictures__get_release' }) });
  expect(text).toMatch(/released/);
}

function withProgress(message: JsonObject): JsonObject {
  return { ...message, params: { ...(message['params'] as JsonObject), _meta: { progressToken: 'p' } } };
}

/** What is missing of what must have come: bytes of the picture, or other things. */
function countMissing({ holds, times = 1 }: Door, text: string): number {
  if (holds !== undefined) return Math.max(0, times - (text.split(holds).length - 1));
  const begin = text.indexOf('AAAA');
  return BYTES - (text.indexOf('"', begin) - begin);
}

async function beginning(reader: SlowReader, until = /AAAA/): Promise<SlowReader> {
  expect(await reader.read(until)).toMatch(until);
  return reader;
}

/** A gateway that knows whose its resources are. */
async function host(config: object): Promise<HostedGateway> {
  const gateway = await hostGateway(config);
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
  const { text } = await sendHttp(gateway.url, { headers: await openSession(gateway.url), body });
  expect(text).toContain(DOCUMENT);
  return gateway;
}

describe('a client that stops reading a large answer', () => {
  let diaries: PrivateServer;
  let gateway: HostedGateway;
  let session: Record<string, string>;
  /** A client that reads everything, and hears that the gateway keeps streams alive. */
  let calm: SlowReader;

  beforeAll(async () => {
    diaries = await startPrivateServer();
    gateway = await host(configure(diaries));
    calm = SlowReader.ask(gateway.url, { method: 'GET', headers: await openSession(gateway.url) });
  });
  beforeEach(async () => {
    session = await openSession(gateway.url);
  });
  afterAll(async () => {
    calm.reset();
    await gateway?.[Symbol.asyncDispose]();
    await diaries?.[Symbol.asyncDispose]();
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

  it.each(Object.entries(DOORS))('gets all of it later, whatever has happened meanwhile: %s', async (name, door) => {
    const reader = await door.open(gateway.url, session);
    await twoTicks();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await sendHttp(gateway.url, { headers: session, body: cancelled });
    const headers = { ...session, 'last-event-id': 'x.1' };
    const again = door.isReplaced ? undefined : SlowReader.ask(gateway.url, { method: 'GET', headers });
    const policy = { ...CONSOLE, rules: [{ match: { operation: name }, decision: 'deny' }] };
    expect((await gateway.reload({ ...configure(diaries), policy })).outcome).toBe('applied');
    await isServed();
    await release(gateway.url, session);
    // What is sent of news is no part of the call that caused it.
    if (door.isOpen) await reader.read(door.holds);
    await sendHttp(gateway.url, { method: 'DELETE', headers: session });
    await twoTicks();
    again?.reset();
    if (door.isOpen) reader.reset();
    expect(countMissing(door, await reader.read())).toBe(0);
  });

  it.each(Object.entries(DOORS))(
    'disturbs nobody when it resets or half closes its connection: %s',
    async (_name, door) => {
      const [one, other] = [session, await openSession(gateway.url)];
      const resetting = await door.open(gateway.url, one);
      const closing = await door.open(gateway.url, other);
      resetting.reset();
      closing.halfClose();
      await closing.read();
      await twoTicks();
      await isServed();
    },
  );
});

describe('a gateway that stops while clients do not read', () => {
  it('sends each of them its whole answer first', async () => {
    await using diaries = await startPrivateServer();
    const config = configure(diaries);
    const gateway = await host({ ...config, server: { ...config.server, drainMs: 60_000 } });
    // Who has asked more than is answered loses what is on its way: a connection that closes with requests unread is reset.
    const doors = Object.entries(DOORS).filter(([, { times }]) => times === undefined);
    const readers = await Promise.all(
      doors.map(async ([, door]) => door.open(gateway.url, await openSession(gateway.url))),
    );
    await release(gateway.url, await openSession(gateway.url));
    const stopping = gateway[Symbol.asyncDispose]();
    for (const [index, reader] of readers.entries()) {
      const text = await reader.read();
      const [name, door] = doors[index] as [string, Door];
      expect([name, countMissing(door, text)]).toEqual([name, 0]);
    }
    await stopping;
  });
});
