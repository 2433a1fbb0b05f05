import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  /** Resolves when so many posts have arrived. */
  received(count: number): Promise<void>;
}

/** Says what to answer to the post of this number, from 1. */
export type Answer = (response: ServerResponse, count: number) => void;

export const withStatus =
  (...statuses: readonly number[]): Answer =>
  (response, count) => {
    response.writeHead(statuses[count - 1] ?? statuses.at(-1) ?? 204, { location: '/elsewhere' }).end('an answer');
  };

/** An HTTP server that stores what it receives. */
export async function startReceiver(answer: Answer = withStatus(204)): Promise<WebhookReceiver> {
  const posts: ReceivedPost[] = [];
  let watcher = (): void => undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      posts.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      answer(response, posts.length);
      watcher();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    received: (count) =>
      new Promise((resolve) => {
        watcher = () => {
          if (posts.length >= count) resolve();
        };
        watcher();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
