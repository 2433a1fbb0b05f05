import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawCall } from '../../../../src/base/protocol/call.js';
import type { Reply } from '../../../../src/base/protocol/result.js';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http/http-server.js';
import { KeptAnswers } from '../../../../src/server/http/kept-answers.js';
import { createFakeGateway, type FakeGateway, toReply } from '../../../support/fake-gateway.js';
import {
  beginHttp,
  callMessage,
  MODERN_META,
  modernHeaders,
  openSession,
  readAnswer,
  sendHttp,
} from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

let server: HttpGatewayServer;
let gateway: FakeGateway;
let finish: (reply: Reply) => void;

async function open(longCallKeepAliveMs = 100): Promise<string> {
  const answer = new Promise<Reply>((resolve) => {
    finish = resolve;
  });
  gateway = createFakeGateway({ handle: () => answer, server: { longCallKeepAliveMs } });
  server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  return server.url;
}

afterEach(() => server.close());

const MODERN_CALL = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META },
};

/** What the response has sent once it matches. */
async function untilSent(response: IncomingMessage, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (pattern.test(text)) return text;
  }
  return text;
}

const responseTo = (asked: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => asked.once('response', resolve).on('error', reject));

function listen(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const asked = request(url, { method: 'GET', headers: { accept: 'text/event-stream', ...headers } });
  asked.end();
  return responseTo(asked);
}

/** A call of a session whose client goes away after the first event; with the id of that event. */
async function loseCall(url: string, more: Record<string, string> = {}) {
  const headers = { ...(await openSession(url)), ...more };
  const called = gateway.nextCall();
  const asked = beginHttp(url, { headers, body: callMessage(7) });
  const response = await responseTo(asked);
  const sent = await untilSent(response, /id: .*\n/);
  const id = /id: (.*)\n/.exec(sent)?.[1] ?? '';
  asked.on('error', () => undefined).destroy();
  const call: RawCall = await called;
  await new Promise((resolve) => response.once('close', resolve));
  return { headers, id, call, sent };
}

describe('a call that takes long', () => {
  it.each(['legacy', 'modern'])(
    'becomes an event stream with comments for a client that reads those (%s)',
    async (era) => {
      const url = await open();
      const headers = era === 'legacy' ? await openSession(url) : modernHeaders('tools/call', 'mcp_aql_read');
      const body = era === 'legacy' ? callMessage(7) : MODERN_CALL;
      const response = await responseTo(beginHttp(url, { headers, body }));
      expect(response.headers['content-type']).toBe('text/event-stream');
      expect(await untilSent(response, /(: keep-alive\n\n[\s\S]*){2}/)).toContain(': keep-alive');
      finish(toReply('late'));
      expect(await untilSent(response, /"id":7/)).toContain('late');
    },
  );

  it('is answered with JSON where its client does not read events', async () => {
    const url = await open();
    const headers = { ...(await openSession(url)), accept: 'application/json' };
    const called = gateway.nextCall();
    const asked = sendHttp(url, { headers, body: callMessage(7) });
    await called;
    finish(toReply('plain'));
    expect((await asked).json.id).toBe(7);
  });
});

describe('a session whose connection is lost during a call', () => {
  it('has its answer at the id of the last event, before and after the call has ended, and no other session has', async () => {
    const url = await open();
    const { headers, id, call } = await loseCall(url);
    expect(call.cancellation.reason).toBeUndefined();
    const again = await listen(url, { ...headers, 'last-event-id': id });
    finish(toReply('found'));
    expect((await readAnswer(again)).text).toContain('found');
    const once = await readAnswer(await listen(url, { ...headers, 'last-event-id': id }));
    expect(once.text).toMatch(/data: .*"id":7/);
    const other = await listen(url, { ...(await openSession(url)), 'last-event-id': id });
    expect(await untilSent(other, /keep-alive/)).not.toContain('found');
    other.destroy();
  });

  it('is told an id before anything has happened, where its revision knows events without data', async () => {
    const url = await open();
    expect((await loseCall(url, { 'mcp-protocol-version': '2025-11-25' })).sent).toMatch(/^id: \S+\ndata: \n\n/);
  });

  it('is told it soon there, long before the response would have to be kept alive', async () => {
    const url = await open(1_000);
    const headers = await openSession(url);
    const call = (more: object) =>
      responseTo(beginHttp(url, { headers: { ...headers, ...more }, body: callMessage(7) }));
    const keptAlive = call({});
    const primed = call({ 'mcp-protocol-version': '2025-11-25' });
    expect(await Promise.race([keptAlive.then(() => 'the other'), primed.then(() => 'this one')])).toBe('this one');
    for (const response of [await primed, await keptAlive]) response.destroy();
  });

  it.each(['notifications/cancelled', 'DELETE'])('cancels it by %s', async (how) => {
    const url = await open();
    const { headers, call } = await loseCall(url);
    const cancelled = new Promise<void>((resolve) => call.cancellation.onCancel(() => resolve()));
    if (how === 'DELETE') await sendHttp(url, { method: 'DELETE', headers });
    else await sendHttp(url, { headers, body: { jsonrpc: '2.0', method: how, params: { requestId: 7 } } });
    await cancelled;
  });

  it('goes on to a call that has sent nothing yet', async () => {
    const url = await open(60_000);
    const headers = await openSession(url);
    const called = gateway.nextCall();
    const asked = beginHttp(url, { headers, body: callMessage(7) }).on('error', () => undefined);
    const { cancellation } = await called;
    asked.destroy();
    // The connection's end is read before another request is answered on the next one.
    await sendHttp(url, { headers, body: { jsonrpc: '2.0', id: 8, method: 'ping' } });
    expect(cancellation.reason).toBeUndefined();
  });
});

it('a call of 2026-07-28 is cancelled by the end of its stream', async () => {
  const url = await open();
  const called = gateway.nextCall();
  const headers = modernHeaders('tools/call', 'mcp_aql_read');
  const asked = beginHttp(url, { headers, body: MODERN_CALL }).on('error', () => undefined);
  await responseTo(asked);
  const { cancellation } = await called;
  const cancelled = new Promise<void>((resolve) => cancellation.onCancel(() => resolve()));
  asked.destroy();
  await cancelled;
});

describe('kept answers', () => {
  const owner = (sessionId: string, of?: string) => ({
    caller: { sessionId },
    holder: of === undefined ? undefined : { owner: of },
  });
  const CALL = { moveTo: () => undefined };
  const textOf = (found: unknown): string => (Array.isArray(found) ? Buffer.concat(found).toString() : 'none');

  it('are the latest eight of a session, and no more than 4 MB', () => {
    const kept = new KeptAnswers();
    const keys = Array.from({ length: 10 }, () => kept.begin(owner('s'), CALL));
    for (const [index, key] of keys.entries()) kept.end(key, owner('s'), String(index));
    expect(keys.map((key) => textOf(kept.find(`${key}.1`, owner('s'))))).toEqual(['none', 'none', ...'23456789']);
    const large = kept.begin(owner('s'), CALL);
    kept.end(large, owner('s'), 'x'.repeat(4 * 1_048_576));
    expect(textOf(kept.find(`${keys[9]}.1`, owner('s')))).toBe('none');
    expect(textOf(kept.find(`${large}.1`, owner('s')))).toHaveLength(4 * 1_048_576);
    kept.endSession('s');
    expect(textOf(kept.find(`${large}.1`, owner('s')))).toBe('none');
  });

  it('let a call go on without its client up to 32 times in a session', () => {
    const kept = new KeptAnswers();
    const lost = Array.from({ length: 33 }, () => kept.lose(owner('s')));
    expect(lost.filter(Boolean)).toHaveLength(32);
    kept.found(owner('s'));
    expect([kept.lose(owner('s')), kept.lose(owner('t'))]).toEqual([true, true]);
  });

  it('are found by another replica for the same session, also where the call has not ended yet', async () => {
    const store = new Map<string, Buffer>();
    const space = {
      put: async (name: string, bytes: Buffer) => store.set(name, bytes) !== undefined,
      get: async (name: string) => store.get(name),
    };
    const [one, other] = [new KeptAnswers(space), new KeptAnswers(space)];
    const key = one.begin(owner('s', 'ann'), CALL);
    const pending = await other.find(`${key}.1`, owner('s', 'ann'));
    expect(pending).toHaveProperty('moveTo');
    one.end(key, owner('s', 'ann'), '{"id":1}');
    expect(textOf(await other.find(`${key}.1`, owner('s', 'ann')))).toBe('{"id":1}');
    expect(await other.find(`${key}.1`, owner('t', 'ann'))).toBeUndefined();
    const sent = await new Promise<string>((resolve) => {
      const response = { destroyed: false, end: (text: Buffer) => resolve(text.toString()) };
      if (pending !== undefined && 'moveTo' in pending) pending.moveTo(response as never);
    });
    expect(sent).toBe('event: message\ndata: {"id":1}\n\n');
  });
});
