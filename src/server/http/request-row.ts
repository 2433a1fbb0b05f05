import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PacedQueue, type Turns } from '../../lib/turns.js';

/** Requests of one connection that may wait for a turn: a client that sends more does not wait for an answer at all. */
const MOST_WAITING = 1_000;
/** Units of work that a request costs before its body is read. */
const REQUEST_UNITS = 2_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const NO_SOURCE = { pause: () => undefined, resume: () => undefined };

/**
 * Requests that one connection brings in a row: they share the turns of the event loop with all others. Node passes on what a
 * client sent without waiting for an answer at once: thousands of requests. The connection is not paused, because Node's HTTP
 * server resumes it with every request and response.
 */
export class RequestRow {
  readonly #socket: Socket;
  readonly #queue: PacedQueue<Exchange>;
  #waiting = 0;

  constructor(socket: Socket, listener: RequestListener, shared: Turns) {
    this.#socket = socket;
    this.#queue = new PacedQueue({
      handle: ({ request, response }) => {
        this.#waiting -= 1;
        if (!request.destroyed) listener(request, response);
      },
      costOf: () => REQUEST_UNITS,
      lane: socket.remoteAddress ?? '',
      source: NO_SOURCE,
      onFault: (fault) => {
        throw fault;
      },
      shared,
    });
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting >= MOST_WAITING) {
      this.#socket.destroy();
      return;
    }
    this.#waiting += 1;
    this.#queue.push({ request, response });
  }
}
