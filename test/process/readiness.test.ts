import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startDangerUpstream } from '../support/danger-upstream.js';
import { sendHttp } from '../support/raw-http.js';
import { findFreePort } from '../support/redis-server.js';
import { serveGateway } from '../support/served-gateway.js';

it('is not ready while a required server is down, and is while an optional one is', async () => {
  await using upstream = await startDangerUpstream();
  const target = new URL(upstream.urlOf('danger'));
  const [needed, extra] = [await findFreePort(), await findFreePort()];
  const urlAt = (port: number) => `http://127.0.0.1:${port}${target.pathname}`;
  await using gateway = await serveGateway({
    mcpServers: { needed: { url: urlAt(needed), required: true }, extra: { url: urlAt(extra) } },
  });
  const readiness = async () => {
    const { status, json } = await sendHttp(new URL('/readyz', gateway.url).href, { method: 'GET' });
    return { status, json };
  };
  const down = await readiness();
  expect([down.status, down.json.status]).toEqual([503, 'not ready']);
  expect(down.json.upstreams).toContainEqual({
    name: 'needed',
    state: expect.not.stringMatching('ready'),
    required: true,
  });

  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  }).listen(needed, '127.0.0.1');
  await once(server, 'listening');
  await expect.poll(async () => (await readiness()).status).toBe(200);
  const { json } = await readiness();
  expect(json.upstreams).toContainEqual({ name: 'needed', state: 'ready', required: true });
  expect(json.upstreams).toContainEqual({ name: 'extra', state: expect.not.stringMatching('ready') });
  server.close();
});
