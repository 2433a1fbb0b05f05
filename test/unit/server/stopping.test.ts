import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawCall } from '../../../src/base/protocol/call.js';
import type { Reply } from '../../../src/base/protocol/result.js';
import { type HttpGatewayServer, openHttpServer } from '../../../src/server/http/http-server.js';
import { serveStdio } from '../../../src/server/stdio/stdio-server.js';
import { createFakeGateway, type FakeGatewayOptions, toReply } from '../../support/fake-gateway.js';
import {
  callMessage,
  envelopeOf,
  MODERN_META,
  modernHeaders,
  openSession,
  type RawRequest,
  sendHttp,
} from '../../support/raw-http.js';
import { SERVER_INFO } from '../../support/server-clients.js';

const observe = (): void => undefined;
const never = (): Promise<Reply> => new Promise(() => undefined);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(given: FakeGatewayOptions & { readonly pause?: (ms: number) => Promise<void> }) {
  let endLameDuck = (): void => undefined;
  const ended = new Promise<void>((resolve) => (endLameDuck = resolve));
  const { pause = () => ended, ...options } = given;
  const gateway = createFakeGateway(options);
  const server: HttpGatewayServer = await openHttpServer(gateway, { observe, serverInfo: SERVER_INFO, pause });
  closers.push(() => {
    const closed = server.close();
    endLameDuck();
    return closed;
  });
  return { gateway, server, url: server.url, endLameDuck };
}

const UNKNOWN = { reason: 'interrupted', retryable: false, outcome: 'unknown' };
const MODERN_CALL: RawRequest = {
  headers: modernHeaders('tools/call', 'mcp_aql_read'),
  body: { ...callMessage(1), params: { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META } },
};

describe('stopping over HTTP', () => {
  it.each(['legacy', 'modern'])(
    'answers a %s call that does not end in time that its outcome is unknown',
    async (era) => {
      const { gateway, server, url } = await open({ handle: never });
      const raw = era === 'modern' ? MODERN_CALL : { headers: await openSession(url), body: callMessage(1) };
      const arrived = gateway.nextCall();
      const answered = sendHttp(url, raw);
      const { cancellation } = await arrived;
      await server.close();
      const { status, json } = await answered;
      expect([status, json.id, json.result.isError]).toEqual([200, 1, true]);
      expect(envelopeOf(json)).toMatchObject({ success: false, error: { details: UNKNOWN } });
      expect(cancellation.cancelled).toBe(true);
    },
  );

  it('answers every call of a batch that does not end in time', async () => {
    const { gateway, server, url } = await open({ handle: never });
    const headers = await openSession(url);
    const arrived = gateway.nextCall();
    const answered = sendHttp(url, { headers, body: [callMessage('a'), callMessage('b')] });
    await arrived;
    await server.close();
    const { json } = await answered;
    expect(json.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
    expect(envelopeOf(json[0])).toMatchObject({ error: { details: UNKNOWN } });
  });

  it('answers the calls of a session that its client ends', async () => {
    const { gateway, url } = await open({ handle: never });
    const headers = await openSession(url);
    const arrived = gateway.nextCall();
    const answered = sendHttp(url, { headers, body: callMessage(1) });
    await arrived;
    await sendHttp(url, { method: 'DELETE', headers });
    expect(envelopeOf((await answered).json)).toMatchObject({ error: { details: UNKNOWN } });
  });

  it('waits for calls that end in time', async () => {
    let release = (_reply: Reply): void => undefined;
    const reply = new Promise<Reply>((resolve) => {
      release = resolve;
    });
    const { gateway, server, url } = await open({ server: { drainMs: 60_000 }, handle: () => reply });
    const arrived = gateway.nextCall();
    const answered = sendHttp(url, MODERN_CALL);
    await arrived;
    const closed = server.close();
    release(toReply('late'));
    expect(envelopeOf((await answered).json)).toMatchObject({ data: 'late' });
    await closed;
  });

  it('answers calls whose bytes have come and were not read yet', async () => {
    const { server, url } = await open({ server: { lameDuckMs: 0, drainMs: 10_000 } });
    const { port } = new URL(url);
    const body = JSON.stringify(MODERN_CALL.body);
    const head = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', 'content-length': body.length };
    const headers = { ...head, accept: 'application/json, text/event-stream', ...MODERN_CALL.headers };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const raw = `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
    );
    // An earlier request on each, so that its connection is idle for the server.
    for (const socket of sockets) {
      socket.write(raw);
      await once(socket, 'data');
    }
    const answers = sockets.map(async (socket) => {
      socket.write(raw);
      return text(socket);
    });
    await server.close();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*success/);
  });

  it('serves on while it is a lame duck, says so at /readyz, and closes each connection after its answer', async () => {
    const { server, url, endLameDuck } = await open({ server: { lameDuckMs: 1 } });
    const closed = server.close();
    const ready = await sendHttp(url.replace('/mcp', '/readyz'), { method: 'GET' });
    expect([ready.status, ready.json.status]).toEqual([503, 'stopping']);
    const { status, headers } = await sendHttp(url, MODERN_CALL);
    expect([status, headers.connection]).toEqual([200, 'close']);
    endLameDuck();
    await closed;
    await expect(sendHttp(url, MODERN_CALL)).rejects.toThrow('ECONNREFUSED');
  });
});

it.each([
  { requests: 0, pauses: [30, 10], what: 'no longer than it is told to where nothing comes' },
  { requests: 4, pauses: [30, 10, 10, 10, 10], what: 'on while requests come' },
  {
    requests: 99,
    pauses: [30, ...Array(6).fill(10)],
    what: 'on for half of the time that calls in flight have, at most',
  },
])('a lame duck serves $what', async ({ requests, pauses }) => {
  const paused: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    paused.push(ms);
    if (paused.length <= requests) await sendHttp(url, MODERN_CALL);
  };
  const { server, url } = await open({ server: { lameDuckMs: 40, drainMs: 100 }, pause });
  await server.close();
  expect(paused).toEqual(pauses);
});

describe('stopping over stdio', () => {
  it('answers a call that does not end in time that its outcome is unknown', async () => {
    const gateway = createFakeGateway({ handle: never });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveStdio(gateway, { input, output, observe, serverInfo: SERVER_INFO });
    const arrived = gateway.nextCall();
    input.write(`${JSON.stringify(MODERN_CALL.body)}\n`);
    await arrived;
    await server.close();
    output.end();
    const answer = JSON.parse(await text(output));
    expect(answer.id).toBe(1);
    expect(envelopeOf(answer)).toMatchObject({ error: { details: UNKNOWN } });
  });
});

/** A balancer over several servers: it asks `/readyz` before each request and tries the next server where none listens. */
async function openBalancer(targets: readonly string[]): Promise<{ readonly url: string; readonly server: Server }> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    for (const target of targets) {
      const ready = await sendHttp(target.replace('/mcp', '/readyz'), { method: 'GET' }).catch(() => undefined);
      if (ready?.status !== 200) continue;
      const sent = request(target, { method: 'POST', headers: incoming.headers, agent });
      sent.once('error', (cause) => outgoing.writeHead(502).end(String(cause)));
      sent.once('response', (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers)));
      sent.end(body);
      return;
    }
    outgoing.writeHead(502).end('no server is ready');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  closers.push(async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, server };
}

it('loses no call in a rolling restart behind a balancer that asks /readyz', async () => {
  const served = { first: 0, second: 0 };
  const count = (name: 'first' | 'second') => async (_call: RawCall) => {
    served[name] += 1;
    await new Promise(setImmediate);
    return toReply(name);
  };
  const options = { server: { lameDuckMs: 1, drainMs: 10_000 } };
  const first = await open({ ...options, handle: count('first') });
  const second = await open({ ...options, handle: count('second') });
  const { url } = await openBalancer([first.url, second.url]);
  const statuses = new Map<number, number>();
  let stopped: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (served.second < 20) {
      const { status } = await sendHttp(url, MODERN_CALL);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (served.first >= 20) stopped ??= first.server.close();
      // The balancer has noticed; what follows goes on beside a server that closes.
      if (served.second >= 10) first.endLameDuck();
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  await stopped;
  expect([...statuses.keys()]).toEqual([200]);
});
