import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { escapeInvisible } from '../../base/lib/text.js';
import { RequestNotes } from '../../base/protocol/call.js';
import { addressOf } from './responder.js';

/** A response whose request is logged. */
export class LoggedResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  readonly notes = new RequestNotes();
}

/** Longer paths are cut: no path of the gateway's own is so long. */
const MOST_PATH_CHARACTERS = 200;

/** Writes a line for each request, of a batch each of its own, when the response closes: never a query, a header or a part of a body. */
export function logRequests(listener: RequestListener, write: (entry: object) => void): RequestListener {
  return (request, response) => {
    const started = performance.now();
    const { socket } = response;
    const sentBefore = socket?.bytesWritten ?? 0;
    response.once('close', () => {
      const { method, url = '' } = request;
      const requests = response instanceof LoggedResponse ? response.notes.facts : [{}];
      const ofAll = {
        peer: addressOf(request),
        method,
        path: escapeInvisible((url.split('?', 1)[0] ?? '').slice(0, MOST_PATH_CHARACTERS)),
        status: response.statusCode,
        bytes: (socket?.bytesWritten ?? 0) - sentBefore,
        durationMs: Math.round((performance.now() - started) * 100) / 100,
        ...(requests.length === 1 ? {} : { batched: requests.length }),
        // The client has closed the connection before it had everything.
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      for (const facts of requests) write({ ...ofAll, ...facts });
    });
    listener(request, response);
  };
}
