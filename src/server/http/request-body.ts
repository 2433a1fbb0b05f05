import type { IncomingMessage, ServerResponse } from 'node:http';
import { MessageExcerpt } from '../mcp/message-excerpt.js';

/**
 * How much of a body over the limit is read and discarded, so that the client can finish writing before it reads the
 * refusal. The connection of a client that sends more is closed.
 */
const DRAIN_BYTES = 16 * 1024 * 1024;

export type Body =
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'too-large'; readonly excerpt: MessageExcerpt; readonly size: number; readonly cutOff: boolean };

/**
 * Reads a request's body. Never keeps more than the limit; of a larger body, only an excerpt is kept.
 *
 * @param limit in bytes.
 * @param done called once with the body; never when the client disconnects before its end.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Body) => void): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) {
    drainBody(request, [], declared, done);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= limit) return;
    request.off('data', onData).off('end', onEnd);
    drainBody(request, chunks, declared, done);
  };
  const onEnd = (): void => {
    const [only] = chunks;
    done({ kind: 'complete', bytes: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size) });
  };
  request.on('data', onData).on('end', onEnd);
}

/** Closes the connection after the answer, because the rest of the body is not read. */
export function cutOffAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close');
  response.once('finish', () => request.destroy());
}

function drainBody(
  request: IncomingMessage,
  seen: readonly Buffer[],
  declared: number,
  done: (body: Body) => void,
): void {
  const excerpt = new MessageExcerpt();
  for (const chunk of seen) excerpt.add(chunk);
  const finish = (cutOff: boolean): void => {
    request.off('data', onData).off('end', onEnd);
    if (cutOff) request.pause();
    done({ kind: 'too-large', excerpt, size: Math.max(declared, excerpt.size), cutOff });
  };
  const onData = (chunk: Buffer): void => {
    excerpt.add(chunk);
    if (excerpt.size > DRAIN_BYTES) finish(true);
  };
  const onEnd = (): void => finish(false);
  request.on('data', onData).on('end', onEnd);
}
