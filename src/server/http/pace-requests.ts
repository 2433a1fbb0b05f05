import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PacedQueue, type Turns, turns } from '../../lib/turns.js';

/** Requests that one connection may bring in a row before they take turns. */
const MOST_IN_A_ROW = 16;
/** Requests of one connection that may wait for a turn: a client that sends more does not wait for an answer at all. */
const MOST_WAITING = 1_000;
/** Units of work that a request costs before its body is read. */
const REQUEST_UNITS = 2_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Requests of one connection that came in a row. */
interface Row {
  readonly queue: PacedQueue<Exchange>;
  waiting: number;
}

/**
 * Answers requests; those that one connection brings in a row share the turns of the event loop with all others. Node passes on
 * what a client sent without waiting for an answer at once: thousands of requests. The connection is not paused, because Node's
 * HTTP server resumes it with every request and response.
 */
export function paceRequests(listener: RequestListener, shared: Turns = turns): RequestListener {
  const rows = new WeakMap<Socket, Row>();
  let last: Socket | undefined;
  let inARow = 0;
  const openRow = (socket: Socket): Row => {
    const row: Row = {
      waiting: 0,
      queue: new PacedQueue({
        handle: ({ request, response }) => {
          row.waiting -= 1;
          if (!request.destroyed) listener(request, response);
        },
        costOf: () => REQUEST_UNITS,
        lane: socket.remoteAddress ?? '',
        source: NO_SOURCE,
        onFault: (fault) => {
          throw fault;
        },
        shared,
      }),
    };
    rows.set(socket, row);
    return row;
  };
  return (request, response) => {
    const { socket } = request;
    inARow = socket === last ? inARow + 1 : 1;
    last = socket;
    const row = rows.get(socket) ?? (inARow > MOST_IN_A_ROW ? openRow(socket) : undefined);
    if (row === undefined) listener(request, response);
    else if (row.waiting >= MOST_WAITING) socket.destroy();
    else {
      row.waiting += 1;
      row.queue.push({ request, response });
    }
  };
}

const NO_SOURCE = { pause: () => undefined, resume: () => undefined };
