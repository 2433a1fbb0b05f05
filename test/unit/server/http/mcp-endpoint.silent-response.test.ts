import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import type { Reply } from '../../../../src/base/protocol/result.js';
import { openHttpServer } from '../../../../src/server/http/http-server.js';
import { createFakeGateway, toReply } from '../../../support/fake-gateway.js';
import { callMessage, MODERN_META, modernHeaders, sendHttp } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

async function open() {
  let release = (_reply: Reply): void => undefined;
  const reply = new Promise<Reply>((resolve) => {
    release = resolve;
  });
  const gateway = createFakeGateway({ server: { longCallKeepAliveMs: 100 }, handle: () => reply });
  const server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  onTestFinished(() => server.close());
  return { server, release };
}

it.each([
  ['a log level', { _meta: { ...MODERN_META, [LOG_LEVEL_META_KEY]: 'info' } }],
  ['an answer to a question', { inputResponses: {}, _meta: MODERN_META }],
  ['neither', { _meta: MODERN_META }],
])('shows signs of life on a call of 2026-07-28 with %s, and its answer as an event', async (_what, more) => {
  const { server, release } = await open();
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      ...modernHeaders('tools/call', 'mcp_aql_read'),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ ...callMessage(1), params: { name: 'mcp_aql_read', arguments: {}, ...more } }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  release(toReply('late'));
  const events = await response.text();
  expect(events).toContain(': keep-alive');
  const data = events.split('\n').filter((line) => line.startsWith('data: '));
  expect(data.length).toBe(1);
  expect(JSON.parse(String(data[0]).slice(6))).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
});

it('answers in JSON what is answered soon', async () => {
  const { server, release } = await open();
  release(toReply('at once'));
  const params = { name: 'mcp_aql_read', arguments: {}, _meta: { ...MODERN_META, [LOG_LEVEL_META_KEY]: 'info' } };
  const headers = modernHeaders('tools/call', 'mcp_aql_read');
  const answer = await sendHttp(server.url, { headers, body: { ...callMessage(1), params } });
  expect(answer.headers['content-type']).toBe('application/json');
});

it('says of a cancellation by POST of 2026-07-28 that it cancels nothing, and what does', async () => {
  const { server } = await open();
  const method = 'notifications/cancelled';
  const body = { jsonrpc: '2.0', method, params: { requestId: 1, _meta: MODERN_META } };
  const { status, json } = await sendHttp(server.url, { headers: modernHeaders(method), body });
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('by closing its response')]);
});
