import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { McpEndpoints } from './view-endpoints.js';

type StopTimes = Pick<GatewayConfig['server'], 'lameDuckMs' | 'drainMs'>;

/** What stops. */
interface Stopped {
  readonly app: FastifyInstance;
  readonly endpoint: Pick<McpEndpoints, 'endStreams' | 'interruptCalls' | 'close'>;
  readonly requests: {
    /** How many have come so far. */
    readonly taken: number;
    /** Closes the connections of the open requests after their answers. */
    closeConnections(): void;
    /** Resolves when no request is open, at the latest after `graceMs`. */
    settle(graceMs: number): Promise<void>;
  };
  readonly unread: { close(): void };
}

/** How long the answers to interrupted calls may take to be sent. */
const FLUSH_MS = 1_000;

/**
 * Stops a server: first it serves on as a lame duck, then it stops listening and calls in flight go on for `drainMs`; the rest are
 * answered that their outcome is unknown.
 */
export async function stopServer(
  { app, endpoint, requests, unread }: Stopped,
  settings: StopTimes,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  requests.closeConnections();
  const late = await serveUnaware(requests, settings, pause);
  const closed = app.close();
  await endpoint.endStreams();
  await requests.settle(settings.drainMs - late);
  endpoint.interruptCalls();
  await requests.settle(FLUSH_MS);
  endpoint.close();
  unread.close();
  // Node does not count a connection as idle that has not carried a request yet.
  app.server.closeAllConnections();
  await closed;
}

/**
 * Serves those who have not noticed yet that the gateway stops: for `lameDuckMs`, and then for as long as requests keep coming, because
 * a balancer on a busy machine notices late, and what it sends to a listener that closes is lost. That takes from the time of the
 * calls in flight, at most half of it. Returns what it took.
 */
async function serveUnaware(
  requests: Stopped['requests'],
  { lameDuckMs, drainMs }: StopTimes,
  pause: (ms: number) => Promise<void>,
): Promise<number> {
  if (lameDuckMs === 0) return readWhatIsThere(requests, drainMs / 2);
  const quietMs = lameDuckMs / 4;
  await pause(lameDuckMs - quietMs);
  for (let late = -quietMs; ; ) {
    const before = requests.taken;
    await pause(quietMs);
    late += quietMs;
    if (requests.taken === before || late + quietMs > drainMs / 2) return late;
  }
}

/** How long nothing must come before what was sent is taken for read: a busy process reads its connections in turns. */
const QUIET_MS = 20;

/**
 * Takes the requests that have been sent before now: where the process is busy, their bytes lie unread in connections that would be
 * reset. Returns what it took.
 */
async function readWhatIsThere(requests: Pick<Stopped['requests'], 'taken'>, mostMs: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const before = requests.taken;
    await delay(QUIET_MS);
    // Timers that are due run before connections are read.
    await setImmediate();
    await setImmediate();
    const took = performance.now() - began;
    if (requests.taken === before || took > mostMs) return took;
  }
}
