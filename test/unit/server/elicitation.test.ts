import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { RawCall } from '../../../src/base/protocol/call.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import type { UserChannel } from '../../../src/base/protocol/consent.js';
import type { Reply } from '../../../src/base/protocol/result.js';
import { type HttpGatewayServer, openHttpServer } from '../../../src/server/http/http-server.js';
import { createFakeGateway, type FakeGateway, toReply } from '../../support/fake-gateway.js';
import {
  beginHttp,
  callMessage,
  envelopeOf,
  initializeMessage,
  MODERN_META,
  modernHeaders,
  sendHttp,
} from '../../support/raw-http.js';
import { CONNECTIONS, type GatewayClient, SERVER_INFO } from '../../support/server-clients.js';

const QUESTION = "Delete 'report.txt'?";

/** A tool that asks the client's user, in either era, and returns the answer. */
async function askUser({ user, cancellation }: RawCall): Promise<Reply> {
  if (user === undefined) return toReply('nobody to ask');
  if (user.kind === 'live') {
    const answer = await user.ask(QUESTION, cancellation).catch((cause: Error) => `failed: ${cause.message}`);
    return toReply(answer);
  }
  if (user.returned !== undefined) return toReply(user.returned.answer);
  return toReply('asked', { inputRequired: { question: QUESTION, state: 'state-1' } });
}

describe.each(CONNECTIONS)('$name', ({ open, era }) => {
  let client: GatewayClient;
  afterEach(() => client.close());

  const dataOf = async (args: JsonObject = {}): Promise<unknown> => {
    const { content } = await client.callTool('mcp_aql_read', args);
    return JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? 'null').data;
  };

  it.each([
    ['accept', { action: 'accept', content: { approve: true } }],
    ['decline', { action: 'accept', content: { approve: false } }],
    ['decline', { action: 'decline' }],
    ['cancel', { action: 'cancel' }],
  ])('returns %s for %j', async (answer, result) => {
    const asked: JsonObject[] = [];
    const gateway = createFakeGateway({ handle: askUser });
    client = await open(gateway, {
      user: (params) => {
        asked.push(params);
        return result;
      },
    });
    expect(await dataOf()).toBe(answer);
    expect(asked).toMatchObject([{ message: QUESTION, requestedSchema: { required: ['approve'] } }]);
  });

  it('asks the user again for every call', async () => {
    let asked = 0;
    client = await open(createFakeGateway({ handle: askUser }), {
      user: () => {
        asked += 1;
        return { action: 'accept', content: { approve: asked === 1 } };
      },
    });
    expect(await dataOf()).toBe('accept');
    expect(await dataOf()).toBe('decline');
    expect(asked).toBe(2);
  });

  it('returns to each of several calls its own answer', async () => {
    const gateway = createFakeGateway({
      handle: async ({ user, cancellation, arguments: args }) => {
        if (user?.kind === 'live') return toReply(await user.ask((args as { q: string }).q, cancellation));
        const { q } = args as { q: string };
        if (user?.returned !== undefined) return toReply(user.returned.answer);
        return toReply('asked', { inputRequired: { question: q, state: q } });
      },
    });
    client = await open(gateway, {
      user: ({ message }) => ({ action: 'accept', content: { approve: message === 'yes' } }),
    });
    expect(await Promise.all(['yes', 'no', 'yes'].map((q) => dataOf({ q })))).toEqual(['accept', 'decline', 'accept']);
  });

  it('asks nothing of a client that has not declared elicitation', async () => {
    const gateway = createFakeGateway({ handle: askUser });
    client = await open(gateway);
    expect(await dataOf()).toBe('nobody to ask');
    expect(gateway.calls[0]?.user).toBeUndefined();
  });

  it('returns no answer when the client fails to ask', async () => {
    client = await open(createFakeGateway({ handle: askUser }), {
      user: () => {
        throw new Error('no window');
      },
    });
    // A modern client reports it to its own caller; a legacy one to the gateway.
    if (era === 'modern') await expect(dataOf()).rejects.toThrow();
    else expect(await dataOf()).toMatch(/^failed:/);
  });
});

let gateway: FakeGateway;
let server: HttpGatewayServer | undefined;

async function openServer(handle: (call: RawCall) => Promise<Reply> = askUser): Promise<string> {
  gateway = createFakeGateway({ handle });
  server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  return server.url;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function openAskingSession(url: string, elicitation: JsonObject = {}): Promise<Record<string, string>> {
  const message = initializeMessage();
  const params = { ...(message['params'] as JsonObject), capabilities: { elicitation } };
  const { headers } = await sendHttp(url, { body: { ...message, params } });
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}

/** Calls, and reads the messages on the call's stream one by one. */
async function callStreaming(url: string, headers: Record<string, string>) {
  const request = beginHttp(url, { headers, body: callMessage(1) });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const messages = readEvents(response);
  return {
    type: response.headers['content-type'],
    next: async () => (await messages.next()).value,
    abort: () => request.destroy(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function* readEvents(response: IncomingMessage): AsyncGenerator<any> {
  let rest = '';
  for await (const chunk of response) {
    const events = `${rest}${chunk}`.split('\n\n');
    rest = events.pop() ?? '';
    const messages = events.map((event) => /^data: (.+)/m.exec(event)?.[1]);
    for (const message of messages) if (message !== undefined) yield JSON.parse(message);
  }
}

const accepted = { action: 'accept', content: { approve: true } };

describe('a live question over HTTP', () => {
  const respond = (url: string, headers: Record<string, string>, id: unknown, result: JsonObject = accepted) =>
    sendHttp(url, { headers, body: { jsonrpc: '2.0', id, result } as JsonObject });

  it("goes out on the call's own stream, and the answer follows there", async () => {
    const url = await openServer();
    const headers = await openAskingSession(url);
    const call = await callStreaming(url, headers);
    expect(call.type).toBe('text/event-stream');
    const question = await call.next();
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^consent-[0-9a-f-]{36}$/),
      method: 'elicitation/create',
      params: {
        message: QUESTION,
        requestedSchema: {
          type: 'object',
          properties: {
            approve: { type: 'boolean', title: 'Approve', description: expect.any(String), default: false },
          },
          required: ['approve'],
        },
      },
    });
    expect(await respond(url, headers, question.id)).toMatchObject({ status: 202, text: '' });
    expect(envelopeOf(await call.next())).toEqual({ success: true, data: 'accept' });
  });

  it('is answered only by its own session, and by the first response', async () => {
    const url = await openServer();
    const [asked, other] = [await openAskingSession(url), await openAskingSession(url)];
    const call = await callStreaming(url, asked);
    const { id } = await call.next();
    expect((await respond(url, other, id)).status).toBe(202);
    expect((await respond(url, asked, 'consent-unheard-of')).status).toBe(202);
    expect((await respond(url, asked, 1)).status).toBe(202);
    expect((await respond(url, asked, id, { action: 'decline' })).status).toBe(202);
    expect((await respond(url, asked, id)).status).toBe(202);
    expect(envelopeOf(await call.next())).toEqual({ success: true, data: 'decline' });
  });

  it.each([
    ['an error', { error: { code: -32601, message: 'Method not found' } }],
    ['a result that is no answer', { result: { action: 'perhaps' } }],
  ])('has no answer when the client responds with %s', async (_case, response) => {
    const url = await openServer();
    const headers = await openAskingSession(url);
    const call = await callStreaming(url, headers);
    const { id } = await call.next();
    await sendHttp(url, { headers, body: { jsonrpc: '2.0', id, ...response } });
    expect(envelopeOf(await call.next())).toMatchObject({ data: expect.stringMatching(/^failed/) });
  });

  it('is withdrawn when the call has ended', async () => {
    const patience = new Cancellation();
    const url = await openServer(({ user }) => askUser({ user, cancellation: patience } as RawCall));
    const headers = await openAskingSession(url);
    const call = await callStreaming(url, headers);
    const { id } = await call.next();
    patience.cancel('waited long enough');
    expect(await call.next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
    expect(envelopeOf(await call.next())).toMatchObject({ data: expect.stringMatching(/^failed/) });
    expect((await respond(url, headers, id)).status).toBe(202);
  });

  it.each([
    [
      'the session ends',
      async (url: string, headers: Record<string, string>) => void (await sendHttp(url, { method: 'DELETE', headers })),
    ],
    [
      'the call is cancelled',
      async (url: string, headers: Record<string, string>) => {
        const params = { requestId: 1 };
        await sendHttp(url, { headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params } });
      },
    ],
  ])('has no answer when %s', async (_case, end) => {
    let ended = (_reply: Reply): void => undefined;
    const reply = new Promise<Reply>((resolve) => {
      ended = resolve;
    });
    const url = await openServer(async (call) => {
      const answer = await askUser(call);
      ended(answer);
      return answer;
    });
    const headers = await openAskingSession(url);
    const call = await callStreaming(url, headers);
    await call.next();
    await end(url, headers);
    expect(JSON.parse((await reply).text)).toMatchObject({ data: expect.stringMatching(/^failed/) });
  });

  it.each([
    ['a client that reads no streams', { accept: 'application/json' }, {}],
    ['a client that shows links alone', {}, { url: {} }],
  ])('is impossible behind %s', async (_case, more, capability) => {
    const url = await openServer();
    const headers = { ...(await openAskingSession(url, capability)), ...more };
    const { json } = await sendHttp(url, { headers, body: callMessage(1) });
    expect(envelopeOf(json)).toMatchObject({ data: 'nobody to ask' });
  });

  it('is impossible inside a batch, whose answers are sent together', async () => {
    const url = await openServer();
    const headers = await openAskingSession(url);
    const { json } = await sendHttp(url, { headers, body: [callMessage(1)] });
    expect(envelopeOf(json[0])).toMatchObject({ data: 'nobody to ask' });
  });

  it('leaves the answer of a call without a question as plain JSON', async () => {
    const url = await openServer(async () => toReply('at once'));
    const headers = await openAskingSession(url);
    const answer = await sendHttp(url, { headers, body: callMessage(1) });
    expect(answer.headers['content-type']).toBe('application/json');
  });
});

describe('a modern question', () => {
  const call = (meta: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'mcp_aql_read',
      arguments: {},
      _meta: { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} }, ...meta },
      ...more,
    },
  });
  const headers = modernHeaders('tools/call', 'mcp_aql_read');
  const slow = { 'io.modelcontextprotocol/logLevel': 'error' };
  const post = async (url: string, body: JsonObject) => (await sendHttp(url, { headers, body })).json;

  const userOf = (index: number): UserChannel | undefined => gateway.calls[index]?.user;

  it('is the same result on the fast path as on the SDK path', async () => {
    const url = await openServer();
    const fast = await post(url, call());
    expect(fast.result).toMatchObject({
      resultType: 'input_required',
      requestState: 'state-1',
      inputRequests: { consent: { method: 'elicitation/create', params: { message: QUESTION } } },
    });
    expect(fast.result).not.toHaveProperty('content');
    expect(await post(url, call(slow))).toEqual(fast);
    expect([userOf(0), userOf(1)]).toEqual([{ kind: 'retry' }, { kind: 'retry' }]);
  });

  it('comes back with its state and the answer', async () => {
    const url = await openServer();
    const answered = { inputResponses: { consent: accepted }, requestState: 'state-1' };
    expect(envelopeOf(await post(url, call({}, answered)))).toMatchObject({ data: 'accept' });
    expect(userOf(0)).toEqual({ kind: 'retry', returned: { state: 'state-1', answer: 'accept' } });
    expect(gateway.calls[0]?.arguments).toEqual({});
  });

  it.each([
    ['an answer without state', { inputResponses: { consent: accepted } }],
    ['state without an answer', { requestState: 'state-1' }],
    ['an answer to another question', { inputResponses: { other: accepted }, requestState: 'state-1' }],
    ['an answer in a wrapper', { inputResponses: { consent: { result: accepted } }, requestState: 'state-1' }],
  ])('is asked again for %s', async (_case, more) => {
    const url = await openServer();
    const { result } = await post(url, call({}, more));
    expect(result).toMatchObject({ resultType: 'input_required' });
    expect(userOf(0)).toEqual({ kind: 'retry' });
  });

  it.each([
    ['state that is no text', { inputResponses: { consent: accepted }, requestState: 5 }],
    ['answers that are no object', { inputResponses: 'yes', requestState: 'state-1' }],
  ])('never accepts %s as consent', async (_case, more) => {
    const url = await openServer();
    const answer = await post(url, call({}, more));
    expect(JSON.stringify(answer)).not.toContain('accept"');
    for (const { user } of gateway.calls) expect(user).toEqual({ kind: 'retry' });
  });

  it.each([
    [{ inputResponses: 5 }, "'inputResponses': expected object, received number"],
    [{ inputResponses: null }, "'inputResponses': expected object, received null"],
    [{ inputResponses: [] }, "'inputResponses': expected object, received array"],
    [{ inputResponses: { consent: 'yes' } }, "'inputResponses.consent': expected object, received string"],
    [{ requestState: 5 }, "'requestState': expected string, received number"],
    [
      { inputResponses: [], requestState: null },
      "'inputResponses': expected object, received array; 'requestState': expected string, received null",
    ],
  ])('is refused as Invalid params for %j', async (more, faults) => {
    const url = await openServer();
    const { id, error } = await post(url, call({}, more));
    expect({ id, error }).toEqual({ id: 1, error: { code: -32602, message: `Invalid params: ${faults}` } });
    expect(gateway.calls).toEqual([]);
  });

  it('is impossible for a client that has not declared it, even with an answer', async () => {
    const url = await openServer();
    const none = { 'io.modelcontextprotocol/clientCapabilities': {} };
    const answered = { inputResponses: { consent: accepted }, requestState: 'state-1' };
    for (const body of [call(none), call(none, answered)]) {
      expect(envelopeOf(await post(url, body))).toMatchObject({ data: 'nobody to ask' });
    }
  });
});
