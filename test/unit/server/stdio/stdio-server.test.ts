import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { type StdioGatewayServer, serveStdio } from '../../../../src/server/stdio/stdio-server.js';
import {
  createFakeGateway,
  type FakeGateway,
  type FakeGatewayOptions,
  toReply,
} from '../../../support/fake-gateway.js';
import { callMessage, envelopeOf, initializeMessage, MODERN_META } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

let gateway: FakeGateway;
let server: StdioGatewayServer;
let input: PassThrough;
let output: PassThrough;
let lines: AsyncIterator<string>;

function open(options: FakeGatewayOptions = {}): void {
  gateway = createFakeGateway(options);
  input = new PassThrough();
  output = new PassThrough();
  lines = readLines(output);
  server = serveStdio(gateway, { input, output, observe: () => undefined, serverInfo: SERVER_INFO });
}

async function* readLines(stream: PassThrough): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

const send = (...messages: readonly (JsonObject | readonly JsonObject[])[]): void => {
  input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
const receive = async (): Promise<any> => JSON.parse((await lines.next()).value);

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

async function shakeHands(): Promise<void> {
  send(initializeMessage(0));
  await receive();
  send(INITIALIZED, { jsonrpc: '2.0', id: 'ready', method: 'ping' });
  await receive();
}

afterEach(async () => {
  await server.close();
  expect(gateway.listeners).toBe(0);
});

it('a client that asks for the tools while they are being read gets them all, and no other request waits', async () => {
  open();
  await shakeHands();
  let list: (tools: Awaited<ReturnType<FakeGateway['toolList']>>) => void = () => undefined;
  const complete = { tools: [], toolsJson: '[{"name":"read_late"}]', structuredToolsJson: '[]' };
  Object.assign(gateway, { toolList: () => new Promise((resolve) => (list = resolve)) });
  send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(await receive()).toMatchObject({ id: 2 });
  list(complete);
  expect(await receive()).toMatchObject({ id: 1, result: { tools: [{ name: 'read_late' }] } });
});

describe('the stdio server and the eras', () => {
  it('answers in order the messages that come together with the handshake', async () => {
    open();
    send(initializeMessage(1), INITIALIZED, callMessage(2), { jsonrpc: '2.0', id: 3, method: 'tools/list' });
    expect(await receive()).toMatchObject({ id: 1, result: { serverInfo: SERVER_INFO } });
    const answers = [await receive(), await receive()];
    expect(answers.map(({ id }) => id).sort()).toEqual([2, 3]);
  });

  it('gives the same answers before the handshake is over as after it', async () => {
    open({ handle: () => toReply('same', { isError: true, meta: { 'example.com/x': 1 } }) });
    send(callMessage(1));
    const before = await receive();
    await shakeHands();
    send(callMessage(1));
    expect(await receive()).toEqual(before);
  });

  it('serves a modern client without a handshake', async () => {
    open();
    send({ ...callMessage(1), params: { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META } });
    expect(await receive()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(gateway.calls[0]?.caller).toMatchObject({ clientName: 'raw', transport: 'stdio' });
  });

  it('refuses a request without an envelope once its client has sent one of 2026-07-28', async () => {
    open();
    const params = { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META };
    send(
      { ...callMessage(1), params },
      { jsonrpc: '2.0', id: 2, method: 'server/discover', params: { _meta: MODERN_META } },
    );
    await receive();
    await receive();
    send({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: { _meta: MODERN_META, cursor: 'x' } });
    expect(await receive()).toMatchObject({ id: 3, error: { code: -32602 } });
    send({ jsonrpc: '2.0', id: 4, method: 'tools/list' });
    expect(await receive()).toMatchObject({ id: 4, error: expect.anything() });
  });
});

describe('the stdio server', () => {
  it('refuses an ill-formed initialize in words', async () => {
    open();
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 5 } });
    const { id, error } = await receive();
    expect([id, error.code]).toEqual([1, -32602]);
    expect(error.message).toContain("'protocolVersion': expected string, received number");
  });

  it('refuses an id that is still unanswered without an answer of that id', async () => {
    open({ handle: () => new Promise(() => undefined) });
    await shakeHands();
    send(callMessage(7), callMessage(7));
    expect(await receive()).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining("'7'") },
    });
  });

  it('answers a batch with an array', async () => {
    open();
    await shakeHands();
    send([callMessage('a'), INITIALIZED, { jsonrpc: '2.0', id: 'b', method: 'gateway/unheard-of' }]);
    const answers: { id: string }[] = await receive();
    expect(answers.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });

  it('refuses a batch with an element that is not a message', async () => {
    open();
    send([callMessage(1), { hello: 1 }]);
    expect(await receive()).toMatchObject({ id: null, error: { code: -32600 } });
    expect(gateway.calls).toEqual([]);
  });

  it('answers a line over the limit with an error and goes on', async () => {
    open({ limits: { maxRequestSize: 1_000 } });
    const { id, ...rest } = callMessage(5, { text: 'x'.repeat(200_000), id: 4 });
    const line = JSON.stringify({ ...rest, id });
    for (let at = 0; at < line.length; at += 65_536) input.write(line.slice(at, at + 65_536));
    input.write('\n');
    const refused = await receive();
    expect(refused.id).toBe(5);
    expect(envelopeOf(refused)).toMatchObject({
      error: { code: 'VALIDATION_PAYLOAD_TOO_LARGE', details: { actual_value: line.length, limit_value: 1_000 } },
    });
    send(initializeMessage(6));
    expect(await receive()).toMatchObject({ id: 6, result: {} });
  });

  it('refuses lines that are not UTF-8 or not JSON', async () => {
    open();
    input.write(
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","x":"'), Buffer.from([0xff, 0x0a])]),
    );
    expect(envelopeOf(await receive())).toMatchObject({ error: { code: 'VALIDATION_INVALID_ENCODING' } });
    input.write('{"jsonrpc":\n\r\n\n');
    expect(await receive()).toMatchObject({ id: null, error: { code: -32700 } });
    input.write('{"hello":1}\n');
    expect(await receive()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('cancels a call by notification, without an answer', async () => {
    open({
      handle: ({ cancellation, arguments: args }) =>
        (args as { wait?: true }).wait === true
          ? new Promise((resolve) => cancellation.onCancel(() => resolve(toReply('too late'))))
          : toReply('on time'),
    });
    await shakeHands();
    const arrived = gateway.nextCall();
    send(callMessage(1, { wait: true }));
    const { cancellation } = await arrived;
    send(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
      callMessage(2),
    );
    expect(await receive()).toMatchObject({ id: 2 });
    expect(cancellation.reason).toBe('enough');
  });

  it('stops reading while its answers are not read, and loses none', async () => {
    open({ handle: ({ arguments: args }) => toReply({ ...(args as object), text: 'x'.repeat(20_000) }) });
    await shakeHands();
    const ids = Array.from({ length: 50 }, (_, index) => index + 10);
    const paused = once(input, 'pause');
    send(...ids.map((id) => callMessage(id)));
    await paused;
    const resumed = once(input, 'resume');
    const answered: number[] = [];
    while (answered.length < ids.length) answered.push((await receive()).id);
    expect(answered.sort((a, b) => a - b)).toEqual(ids);
    await resumed;
  });
});

describe('the end of a stdio connection', () => {
  it('comes with the end of the input, at once when every request is answered', async () => {
    open();
    await shakeHands();
    input.end();
    await server.done;
    expect(output.writableEnded).toBe(false);
  });

  it('waits for open requests, including a last line without a line break', async () => {
    open();
    await shakeHands();
    input.end(JSON.stringify(callMessage(9)));
    expect(await receive()).toMatchObject({ id: 9 });
    await server.done;
  });

  it('cancels calls that take longer when the server is closed', async () => {
    open({ handle: () => new Promise(() => undefined) });
    await shakeHands();
    const arrived = gateway.nextCall();
    send(callMessage(1));
    const { cancellation } = await arrived;
    await server.close();
    expect(cancellation.cancelled).toBe(true);
  });

  it('does not wait for a client that reads nothing', async () => {
    open({ handle: () => toReply('x'.repeat(200_000)) });
    await shakeHands();
    const paused = once(input, 'pause');
    send(callMessage(1));
    await paused;
    await server.close();
  });

  it('comes when the output fails', async () => {
    open();
    const broken = once(output, 'close');
    output.destroy(new Error('EPIPE'));
    await broken.catch(() => undefined);
    await server.done;
  });
});
