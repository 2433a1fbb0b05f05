import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { serveGateway } from '../support/served-gateway.js';

it.each(['sse', 'http'] as const)(
  'SIGTERM while an attempt to connect hangs ends with exit code 0 (%s)',
  async (type) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      silent.emit('taken');
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const slow = { type, url: `http://127.0.0.1:${port}/mcp`, connectTimeoutMs: 1_500 };
    await using gateway = await serveGateway({ mcpServers: { slow } });
    // It is tried again, though it has said nothing yet.
    while (sockets.length < 2) await once(silent, 'taken');
    const ended = once(gateway.process, 'exit');
    gateway.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    silent.close();
    for (const socket of sockets) socket.destroy();
  },
);
