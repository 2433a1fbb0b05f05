import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { guardResponses } from '../../../../src/server/http/guarded-response.js';
import { createSseStreams, sendEvent } from '../../../../src/server/http/responder.js';

/** More than the buffers of two sockets hold. */
const LARGE = 'x'.repeat(16_000_000);

describe('an event stream that has ended and is not read yet', () => {
  it('gets nothing more, and its client gets all that was sent', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const streams = createSseStreams(1_000);
    const options = { ServerResponse: guardResponses(() => undefined) };
    const server = createServer(options, (_request, response) => {
      streams.open(response);
      sendEvent(response, LARGE);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(streams.size).toBe(1);

    vi.advanceTimersByTime(5_000);
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);

    expect(Buffer.concat(pieces).toString()).toBe(`event: message\ndata: ${LARGE}\n\n`);
    vi.useRealTimers();
    streams.close();
    server.close();
  });
});
