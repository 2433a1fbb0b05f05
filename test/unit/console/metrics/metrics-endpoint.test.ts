import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createMetricsEndpoint } from '../../../../src/console/metrics/metrics-endpoint.js';
import { sendHttp } from '../../../support/raw-http.js';

it.each([
  ['a program of this machine', {}, 200],
  ['a page whose name leads here', { host: 'evil.example' }, 403],
  ['a page that says where it comes from', { origin: 'http://evil.example' }, 403],
])('without a token answers %s with its due', async (_, headers, status) => {
  const source = { contentType: 'text/plain', text: async () => 'figures' };
  const listen = { host: '127.0.0.1', port: 0 };
  const server = createServer(createMetricsEndpoint(source, { listen }, () => undefined)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  expect((await sendHttp(`http://127.0.0.1:${port}/metrics`, { method: 'GET', headers })).status).toBe(status);
});
