import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { createHttpExchanges } from '../../../../src/server/http/responder.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const STREAMS = { open: () => undefined, close: () => undefined };

/** A server that answers every request over an exchange, after something has been done to the response. */
async function aServer(spoil: (response: ServerResponse) => void, answer: string) {
  const seen: Observation[] = [];
  const exchanges = createHttpExchanges(STREAMS, (observation) => seen.push(observation));
  const server = createServer((_request, response) => {
    const exchange = exchanges.open(response, { open: 0, lastUsedAt: 0 }, 'application/json');
    if (_request.url === '/spoilt') spoil(response);
    exchange.answer(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}` };
}

const throwOnce = (response: ServerResponse): void => {
  const write = response.writeHead.bind(response);
  response.writeHead = (() => {
    response.writeHead = write;
    throw new Error('cannot be written');
  }) as typeof response.writeHead;
};

describe('an answer that cannot be written', () => {
  it.each([
    ['short', '{"short":true}'],
    ['long', `"${'x'.repeat(100_000)}"`],
  ])('fails its own request alone where it is %s, and is reported', async (_length, answer) => {
    const { url, seen } = await aServer(throwOnce, answer);
    const [spoilt, other] = await Promise.all([fetch(`${url}/spoilt`), fetch(url)]);
    expect(spoilt.status).toBe(500);
    expect(await spoilt.json()).toMatchObject({ error: { code: -32603 } });
    expect(await other.text()).toBe(answer);
    expect(seen).toEqual([{ kind: 'defect', where: 'writing an answer', cause: new Error('cannot be written') }]);
  });

  it('closes the connection where a part has been sent, so that no client takes it for the whole', async () => {
    const { url, seen } = await aServer((response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('a part');
    }, '{"short":true}');
    await expect(fetch(`${url}/spoilt`).then((response) => response.text())).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });
});
