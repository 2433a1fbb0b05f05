import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { LargeMessage } from '../../../../src/base/protocol/large-answer.js';
import type { UpstreamEndpoint } from '../../../../src/config/gateway-config.js';
import { boundEvents, SseTransport } from '../../../../src/upstream/transport/sse.js';
import { HttpDoor, type LostForm } from '../../../support/world/http-door.js';
import { ServerMind } from '../../../support/world/server-mind.js';
import { anUpstream, openPool } from '../opened-pool.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server of the old transport behind a proxy that keeps its streams open when the server is replaced. */
async function proxiedServer(lostForm: LostForm) {
  const offer = { extra: false, resources: false, templates: false, prompts: false, completions: false, edition: 1 };
  const mind = new ServerMind('cedar', '2025-11-25', offer);
  const door = new HttpDoor('sse', mind);
  door.lostForm = lostForm;
  await door.open();
  const opened = openPool(anUpstream({ headers: {}, ...(door.entry as JsonObject) } as unknown as UpstreamEndpoint));
  closers.push(async () => {
    await opened.pool.close();
    await door.shut();
  });
  await opened.settled;
  return {
    opened,
    mind,
    door,
    redeploy: () => {
      door.forget();
      mind.restart();
    },
  };
}

const CERTAIN: readonly LostForm[] = [
  { status: 400, text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No transport found"},"id":null}' },
  { status: 400, text: 'no valid id' },
  { status: 404, text: 'Could not find session' },
  { status: 410, text: 'Gone' },
  { code: -32_000, text: 'unknown caller' },
];

describe('a server of HTTP+SSE whose stream stays open when it is redeployed', () => {
  it.each(CERTAIN)('gets a new session, and each call once: %o', async (form) => {
    const { opened, mind, redeploy } = await proxiedServer(form);
    await opened.call('create_cedar', { id: 'before' });
    redeploy();
    await Promise.all(['one', 'two'].map((id) => opened.call('create_cedar', { id })));
    expect([...mind.runs].map(([id, { times }]) => [id, times])).toEqual([
      ['before', 1],
      ['one', 1],
      ['two', 1],
    ]);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 1 });
  });

  it('gets a new session where it fails instead, and only what may run twice is sent again', async () => {
    const { opened, mind, redeploy } = await proxiedServer({ status: 500, text: 'no such key' });
    await opened.call('create_cedar', { id: 'before' });
    redeploy();
    const [read, write] = await Promise.allSettled([
      opened.call('read_cedar', { id: 'read' }, { retryable: true }),
      opened.call('create_cedar', { id: 'write' }),
    ]);
    expect(read.status).toBe('fulfilled');
    expect(write).toMatchObject({ reason: { details: { outcome: 'unknown', retryable: false } } });
    expect(mind.runs.has('write')).toBe(false);
    await opened.call('create_cedar', { id: 'after' });
  });
});

it('tells what a server of HTTP+SSE refuses in a session that it knows as what it is', async () => {
  const { opened, mind, door } = await proxiedServer({ status: 404, text: 'unknown' });
  door.refusesCall = { status: 404, text: 'no such record' };
  await expect(opened.call('create_cedar', { id: 'one' })).rejects.toMatchObject({ code: /./ });
  await opened.call('create_cedar', { id: 'two' });
  expect([...mind.runs.keys()]).toEqual(['two']);
  expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  expect(JSON.stringify(opened.observations)).not.toContain('never sent');
});

/** What passes of a stream that arrives in pieces, and the ids of what was dropped. */
async function pass(stream: string, pieces: number) {
  const dropped: unknown[] = [];
  const bytes = Buffer.from(stream);
  const size = Math.ceil(bytes.length / pieces);
  const chunks = Array.from({ length: pieces }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  const bounded = ReadableStream.from(chunks).pipeThrough(boundEvents(100, (id) => void dropped.push(id)));
  let text = '';
  for await (const part of bounded) text += Buffer.from(part).toString();
  return { text, dropped };
}

const event = (data: string): string => `event: message\ndata: ${data}\n\n`;
const answer = (id: number, size: number): string => `{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(size)}"}`;

it.each([1, 2, 7, 200])(
  'drops the event that is too long, names its request, and passes the others (%i pieces)',
  async (pieces) => {
    const stream = `: hello\n\n${event(answer(1, 10))}${event(answer(2, 5_000))}${event(answer(3, 10))}`;
    const { text, dropped } = await pass(stream, pieces);
    expect(dropped).toEqual([2]);
    expect(text).toBe(`: hello\n\n${event(answer(1, 10))}${event(answer(3, 10))}`);
  },
);

it('adds up the lines of one event', async () => {
  const lines = ['{"jsonrpc":"2.0","id":7,', '"result":[', ...Array.from({ length: 20 }, () => '"0123456789",'), '1]}'];
  const { text, dropped } = await pass(event(lines.join('\ndata: ')) + event(answer(8, 1)), 3);
  expect(dropped).toEqual([7]);
  expect(text).toBe(event(answer(8, 1)));
});

it('finds the id behind the result, and line ends of both kinds', async () => {
  const late = `data: {"result":"${'x'.repeat(500)}","id":9,"jsonrpc":"2.0"}\r\n\r\n`;
  const { text, dropped } = await pass(`${late}data: ok\r\n\r\n`, 4);
  expect(dropped).toEqual([9]);
  expect(text).toContain('data: ok');
});

/** A transport that is connected to a server which sends these events after the one that tells where messages go. */
async function connect(events: readonly string[]): Promise<SseTransport> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\r\ndata: /messages\r\n\r\n');
    for (const event of events) response.write(event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new SseTransport({
    endpoint: { type: 'sse', url: `http://127.0.0.1:${port}/sse`, headers: {} },
    connect: { timeout: 10_000 },
    maxAnswerBytes: 50_000_000,
    credentials: undefined,
  });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return transport;
}

it('hands messages over as they came: short ones parsed, and long ones in bytes, also of lines of a few bytes', async () => {
  const items = `${'1,'.repeat(400_000)}1`;
  const lines = `data: {"jsonrpc":"2.0","id":7,"result":[\n${items.replaceAll(',', ',\n').replace(/^/gm, 'data:')}\ndata: ]}\n\n`;
  const transport = await connect([
    'event: message\ndata: {"jsonrpc":"2.0","method":"first"}\n\n',
    'data: no JSON\n\n',
    lines,
    'data: {"jsonrpc":"2.0","method":"last"}\n\n',
  ]);
  const seen: unknown[] = [];
  const faults: unknown[] = [];
  transport.onerror = (error) => faults.push(error);
  transport.onlarge = (message: LargeMessage, id) =>
    seen.push([id, JSON.parse(message.join().toString('utf8')).result.length]);
  const last = new Promise<void>((resolve) => {
    transport.onmessage = (message) => {
      seen.push('method' in message && message.method);
      if (seen.length === 3) resolve();
    };
  });
  await transport.start();
  await last;
  expect(seen).toEqual(['first', [7, 400_001], 'last']);
  expect(faults).toEqual([expect.any(SyntaxError)]);
});
