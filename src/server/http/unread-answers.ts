import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayConfig } from '../../config/gateway-config.js';

type UnreadBounds = Pick<GatewayConfig['server'], 'unreadTimeoutMs' | 'maxUnreadBytes'>;

interface OpenResponse extends Pick<ServerResponse, 'headersSent' | 'writableLength'> {
  readonly socket: Socket | null;
  once(event: 'close', listener: () => void): unknown;
}

/** How often the answers are looked at: as often as memory may grow beyond its bound for. */
const LOOK_MS = 1_000;

/**
 * Ends the connections of clients that do not read their answers, or what is sent on their streams: those that read nothing for a while,
 * and where all together hold more memory than they may, those that hold most. Looks only now and then, so that an answer that is read costs nothing.
 */
export class UnreadAnswers {
  readonly #bounds: UnreadBounds;
  readonly #open: () => Iterable<OpenResponse>;
  readonly #watched = new WeakSet<OpenResponse>();
  readonly #looking: NodeJS.Timeout;

  /** @param open the responses that have not been sent completely */
  constructor(bounds: UnreadBounds, open: () => Iterable<OpenResponse>) {
    this.#bounds = bounds;
    this.#open = open;
    this.#looking = setInterval(() => this.look(), Math.min(LOOK_MS, bounds.unreadTimeoutMs)).unref();
  }

  look(): void {
    const unread = [...this.#open()].filter((each) => each.headersSent && each.writableLength > 0);
    for (const response of unread) this.#watch(response);
    let bytes = unread.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (bytes <= this.#bounds.maxUnreadBytes) return;
    for (const response of unread.sort((one, other) => other.writableLength - one.writableLength)) {
      if (bytes <= this.#bounds.maxUnreadBytes) return;
      bytes -= response.writableLength;
      response.socket?.destroy();
    }
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** From now on Node watches whether the client reads, until the response has ended. */
  #watch(response: OpenResponse): void {
    const { socket } = response;
    if (socket === null || this.#watched.has(response)) return;
    this.#watched.add(response);
    const end = (): void => {
      // A stream is silent for long where its client has read everything.
      if (response.writableLength > 0) socket.destroy();
      else this.#watched.delete(response);
    };
    socket.setTimeout(this.#bounds.unreadTimeoutMs, end);
    response.once('close', () => socket.setTimeout(0).off('timeout', end));
  }
}
