import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Turns } from '../../../../src/base/turns/turns.js';
import { paceRequests } from '../../../../src/server/http/http-server.js';

const REQUEST = 'GET / HTTP/1.1\r\nhost: test\r\n\r\n';

/** A server whose turns come when `next` is called, and have room for one request; and a connection to it. */
async function openServer() {
  let scheduled: (() => void) | undefined;
  const served: string[] = [];
  const shared = new Turns({
    perTurn: 1,
    now: () => 0,
    schedule: (work) => {
      scheduled = work;
    },
  });
  const server = createServer(
    paceRequests(
      (request, response) => {
        served.push(request.url ?? '');
        response.end('x');
      },
      { hold: () => undefined },
      shared,
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  return {
    served,
    client,
    next: async () => {
      scheduled?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answersIn(client: Socket): () => number {
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  return () => text.split('HTTP/1.1 200').length - 1;
}

it('requests that one connection brings in a row are answered one a turn from the seventeenth on, and in their order', async () => {
  await using open = await openServer();
  const { client, served, next } = open;
  const answers = answersIn(client);
  const urls = Array.from({ length: 100 }, (_, index) => `/${index}`);
  client.write(urls.map((url) => REQUEST.replace('/', url)).join(''));
  while (served.length < 17) await new Promise((resolve) => setImmediate(resolve));
  expect(served).toHaveLength(17);
  while (served.length < urls.length) {
    const before = served.length;
    await next();
    expect(served.length - before).toBeLessThanOrEqual(1);
  }
  expect(served).toEqual(urls);
  while (answers() < urls.length) await new Promise((resolve) => setImmediate(resolve));
});

it('a connection on which more than a thousand requests wait is closed', async () => {
  await using open = await openServer();
  open.client.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => open.client.once('close', resolve));
  open.client.write(REQUEST.repeat(1_100));
  await closed;
  expect(open.served).toHaveLength(17);
});
