import type { ServerResponse } from 'node:http';
import { acceptsStream, KEEP_ALIVE, type SseStreams, toSseEvent } from './responder.js';

/**
 * Turns a response that has been silent for long into an event stream, where its client reads these: intermediaries close a connection
 * on which nothing comes. Whoever answers it is not aware of that; an answer in JSON becomes the event of the stream.
 * @param afterMs without a header
 */
export function streamWhenSilent(response: ServerResponse, streams: Pick<SseStreams, 'open'>, afterMs: number): void {
  if (!acceptsStream(response.req.headers.accept)) return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed) return;
    streams.open(response);
    response.write(KEEP_ALIVE);
    passEventsOn(response);
  }, afterMs).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Makes events of what is written from now on: the head has been sent already. */
function passEventsOn(response: ServerResponse): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const parts: Buffer[] = [];
  let isJson = true;
  const own = {
    writeHead(_status: number, headers: Readonly<Record<string, string>> = {}): ServerResponse {
      isJson = headers['content-type']?.startsWith('text/event-stream') !== true;
      return response;
    },
    write(chunk: Uint8Array | string): boolean {
      if (!isJson || chunk === KEEP_ALIVE) return write(chunk);
      parts.push(Buffer.from(chunk as Uint8Array));
      return true;
    },
    end(): ServerResponse {
      return parts.length === 0 ? end() : end(toSseEvent(Buffer.concat(parts).toString('utf8')));
    },
  };
  Object.assign(response, own);
}
