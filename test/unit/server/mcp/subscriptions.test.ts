import { expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Responder } from '../../../../src/server/mcp/calls-in-flight.js';
import { type McpRequest, type Received, readMessage } from '../../../../src/server/mcp/read-message.js';
import { Subscriptions } from '../../../../src/server/mcp/subscriptions.js';
import { createResultWriter } from '../../../../src/server/mcp/write-result.js';
import { NO_NATIVE_SURFACE } from '../../../support/no-gateway.js';
import { MODERN_META } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const writer = createResultWriter(SERVER_INFO, { errors: 'all', structuredContent: false });
const create = (max: number) => new Subscriptions({ native: NO_NATIVE_SURFACE, writer, max });

const message = {
  jsonrpc: '2.0',
  id: 'news',
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true, promptsListChanged: true }, _meta: MODERN_META },
};
const [request] = (readMessage(message, undefined) as Received).requests as readonly [McpRequest];

/** Opens one. What it is sent is in `told`. */
function listen(subscriptions: Subscriptions, sessionId: string, { canNotify = true } = {}) {
  const told: string[] = [];
  const cancellation = new Cancellation();
  const responder: Responder = {
    cancellation,
    canNotify,
    notify: (text) => void told.push(text),
    answer: (text, status) => void told.push(`${status ?? 200} ${String(text)}`),
    cancel: (reason) => cancellation.cancel(reason),
    interrupt: () => undefined,
    onInterrupt: () => undefined,
  };
  subscriptions.open(request, { caller: { sessionId, clientName: 'c', transport: 'http' } }, responder);
  return { told, responder };
}

it('says what it honors, tells of that alone, and ends with a result', async () => {
  const subscriptions = create(10);
  const { told } = listen(subscriptions, 'ann');
  await Promise.resolve();
  await new Promise(setImmediate);
  subscriptions.listChanged('prompts', () => true);
  subscriptions.listChanged('tools', () => true);
  subscriptions.close();
  subscriptions.listChanged('tools', () => true);
  const about = '"_meta":{"io.modelcontextprotocol/subscriptionId":"news"';
  expect(told).toEqual([
    `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${about}}}}`,
    `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${about}}}}`,
    expect.stringMatching(/^200 \{"jsonrpc":"2.0","id":"news","result":\{"resultType":"complete"/),
  ]);
});

it('refuses the seventeenth subscription of one client in words, and takes one again when another has ended', () => {
  const subscriptions = create(100);
  const opened = Array.from({ length: 17 }, () => listen(subscriptions, 'ann'));
  expect(opened[15]?.told).toEqual([]);
  expect(opened[16]?.told[0]).toMatch(/^503 .*16 open subscriptions/);
  expect(listen(subscriptions, 'bob').told).toEqual([]);
  opened[0]?.responder.cancel('the client closed the connection');
  expect(listen(subscriptions, 'ann').told).toEqual([]);
});

it('names the setting where all subscriptions are in use', () => {
  const subscriptions = create(1);
  listen(subscriptions, 'ann');
  expect(listen(subscriptions, 'bob').told[0]).toMatch(/^503 .*server\.maxSessions/);
});

it('refuses what cannot be a stream, and everything while the gateway stops', () => {
  const subscriptions = create(1);
  expect(listen(subscriptions, 'ann', { canNotify: false }).told[0]).toMatch(/^406 .*text\/event-stream/);
  subscriptions.close();
  expect(listen(subscriptions, 'ann').told[0]).toMatch(/^503 .*stopping/);
});
