import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BriefSet } from '../../base/lib/collections.js';
import type { Observer } from '../../base/observe/observation.js';
import { type Turns, turns } from '../../base/turns/turns.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { createHostGuard, type HostGuard } from './host-guard.js';
import { failing } from './responder.js';
import type { McpEndpoints } from './view-endpoints.js';

export const MCP_PATH = '/mcp';

/** What every request passes before the part that answers it. */
interface Front extends Omit<Listeners, 'serveOthers'> {
  readonly admits: HostGuard;
}

/** Whether the server has been asked to stop. */
export interface Stopping {
  stopping: boolean;
}

export function createFront(
  settings: GatewayConfig['server'],
  endpoint: McpEndpoints,
  requests: OpenRequests,
  state: Stopping,
): Front {
  const guard = createHostGuard(settings);
  return {
    admits(request, response) {
      // The client opens its next connection elsewhere.
      if (state.stopping) response.setHeader('connection', 'close');
      return guard(request, response);
    },
    serveMcp(request, response) {
      requests.enter(response);
      endpoint.plain.current.handle(request, response);
    },
    serveView(view, request, response) {
      requests.enter(response);
      endpoint.handleView(view, request, response);
    },
  };
}

/** A view's address, spelled as its name is. */
const VIEW_PATH = /^\/mcp\/([a-z][a-z0-9_-]{0,39})$/;

interface Listeners {
  readonly serveMcp: RequestListener;
  readonly serveView: (view: string, request: IncomingMessage, response: ServerResponse) => void;
  readonly serveOthers: RequestListener;
}

/**
 * Answers requests to MCP's own path without fastify's router, hooks and objects, which cost a short call a twentieth of its
 * time, and those to a view's path. Every other spelling of the paths takes fastify's way to the same listeners.
 */
export function withFastMcp(
  { serveMcp, serveView, serveOthers }: Listeners,
  admits: HostGuard,
  observe: Observer,
): RequestListener {
  const fail = failing(observe, MCP_PATH);
  return (request, response) => {
    const view = request.url === MCP_PATH ? undefined : VIEW_PATH.exec(request.url ?? '')?.[1];
    try {
      if (request.url !== MCP_PATH && view === undefined) serveOthers(request, response);
      else if (!admits(request, response)) return;
      else if (view === undefined) serveMcp(request, response);
      else serveView(view, request, response);
    } catch (cause) {
      fail(response, cause);
    }
  };
}

/** The HTTP requests that are not completely answered, so that closing can wait for exactly these. */
export class OpenRequests {
  /** How many have come so far. */
  taken = 0;
  readonly #open = new BriefSet<ServerResponse>();
  #whenNone: (() => void) | undefined;

  get size(): number {
    return this.#open.size;
  }

  values(): readonly ServerResponse[] {
    return this.#open.values();
  }

  enter(response: ServerResponse): void {
    this.taken += 1;
    const number = this.#open.enter(response);
    response.on('close', () => {
      this.#open.take(number);
      if (this.#open.size === 0) this.#whenNone?.();
    });
  }

  /** Closes the connections of the open requests after their answers. */
  closeConnections(): void {
    for (const response of this.#open.values()) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Resolves when no request is open, at the latest after `graceMs`. */
  async settle(graceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const LANE = 'connections';

/** Connections that are read in the first turn after a long one: a read of chunks of a byte is some 20 ms of work. */
const FEWEST_AT_ONCE = 1;

/** Milliseconds: after a turn that took less, twice as many connections are read in the next. */
const SHORT_TURN_MS = 5;

/** What is paced of a connection. */
type Connection = Pick<Socket, 'pause' | 'resume' | 'once' | 'destroyed' | 'bytesRead'>;

/**
 * The open connections, which share the turns of the event loop. In one turn Node reads every connection that has sent something, and
 * parses all of it: hundreds that send at once would be one long turn. Where a turn has become long, all connections wait, and one is
 * read again in the next turn, and twice as many after each turn that was short. Every other one is known, which has sent something before, or
 * has waited longest; the others are the newest, so that neither old nor new connections wait until a flood of new ones is over.
 */
export class PacedConnections {
  /** Leaves the turns alone: to be called when no connection comes any more. */
  readonly end: () => void;
  readonly #turns: Turns;
  readonly #now: () => number;
  /** Those that are read, with whether they have waited before. */
  readonly #read = new Map<Connection, boolean>();
  readonly #known = new Set<Connection>();
  readonly #unknown: Connection[] = [];
  #isReleasing = false;
  #isKnownNext = true;
  #atOnce = FEWEST_AT_ONCE;
  #releasedAt = Number.NEGATIVE_INFINITY;

  /** @param now the milliseconds of a monotonic clock */
  constructor(shared: Turns = turns, now: () => number = () => performance.now()) {
    this.#turns = shared;
    this.#now = now;
    this.end = shared.onLong(() => this.hold());
  }

  opened(connection: Connection): void {
    connection.once('close', () => {
      this.#read.delete(connection);
      this.#known.delete(connection);
    });
    if (this.#isReleasing) {
      connection.pause();
      this.#unknown.push(connection);
    } else {
      this.#read.set(connection, false);
    }
  }

  /** Lets all connections wait for turns of their own. */
  hold(): void {
    for (const [connection, wasResumed] of this.#read) {
      connection.pause();
      if (wasResumed || connection.bytesRead > 0) this.#known.add(connection);
      else this.#unknown.push(connection);
    }
    this.#read.clear();
    if (!this.#isReleasing) this.#releaseLater();
  }

  #releaseLater(): void {
    this.#isReleasing = true;
    void this.#turns.next(LANE).then(() => this.#release());
  }

  #release(): void {
    const now = this.#now();
    this.#atOnce = now - this.#releasedAt < SHORT_TURN_MS ? 2 * this.#atOnce : FEWEST_AT_ONCE;
    this.#releasedAt = now;
    for (let left = this.#atOnce; left > 0 && this.#areWaiting(); left -= 1) {
      const next = this.#isKnownNext
        ? (this.#takeKnown() ?? this.#unknown.shift())
        : (this.#unknown.pop() ?? this.#takeKnown());
      this.#isKnownNext = !this.#isKnownNext;
      this.#resume(next);
    }
    this.#isReleasing = false;
    if (this.#areWaiting()) this.#releaseLater();
  }

  #areWaiting(): boolean {
    return this.#known.size > 0 || this.#unknown.length > 0;
  }

  #takeKnown(): Connection | undefined {
    const [first] = this.#known;
    if (first !== undefined) this.#known.delete(first);
    return first;
  }

  #resume(connection: Connection | undefined): void {
    if (connection === undefined || connection.destroyed) return;
    this.#read.set(connection, true);
    connection.resume();
  }
}

/** Requests that one connection may bring before the first is answered: clients of MCP wait for each, and what a socket brings at once is one turn. */
const MOST_UNANSWERED = 100;

/** Ends a connection that brings more requests than it waits for answers to; and holds all connections where a turn becomes long. */
export function paceRequests(
  listener: RequestListener,
  connections: Pick<PacedConnections, 'hold'>,
  shared: Turns = turns,
): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number): number => {
    const now = (unanswered.get(socket) ?? 0) + change;
    unanswered.set(socket, now);
    return now;
  };
  return (request, response) => {
    if (shared.isLong()) connections.hold();
    const { socket } = request;
    if (count(socket, 1) > MOST_UNANSWERED) {
      socket.destroy();
      return;
    }
    response.once('close', () => count(socket, -1));
    listener(request, response);
  };
}
