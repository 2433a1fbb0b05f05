import type { ServerResponse } from 'node:http';

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Buffering proxies would hold events back until the stream ends.
  'x-accel-buffering': 'no',
} as const;

/** Intermediaries commonly close a connection that was silent for 30 to 60 seconds. */
const KEEP_ALIVE_MS = 15_000;

/** Server-sent event streams, all kept alive by one timer. */
export interface SseStreams {
  /** Turns a response into an event stream. It is forgotten when it closes. */
  open(response: ServerResponse): void;
  /** Ends every open stream and stops the timer. */
  close(): void;
}

export function createSseStreams(keepAliveMs = KEEP_ALIVE_MS): SseStreams {
  const streams = new Set<ServerResponse>();
  const timer = setInterval(() => {
    for (const response of streams) response.write(': keep-alive\n\n');
  }, keepAliveMs);
  timer.unref();

  return {
    open(response) {
      response.writeHead(200, SSE_HEADERS);
      response.flushHeaders();
      streams.add(response);
      response.once('close', () => streams.delete(response));
    },
    close() {
      clearInterval(timer);
      for (const response of streams) response.end();
    },
  };
}

/** One JSON-RPC message as an event. JSON text holds no line breaks, so that one data line does. */
export function toSseEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
