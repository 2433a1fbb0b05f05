import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { LargeMessage } from '../../../../src/base/protocol/large-answer.js';
import { SseTransport } from '../../../../src/upstream/transport/sse.js';

/** A transport that is connected to a server which sends these events after the one that tells where messages go. */
async function connect(events: readonly string[]): Promise<SseTransport> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\r\ndata: /messages\r\n\r\n');
    for (const event of events) response.write(event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new SseTransport(
    { type: 'sse', url: `http://127.0.0.1:${port}/sse`, headers: {} },
    { timeout: 10_000 },
    50_000_000,
  );
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
