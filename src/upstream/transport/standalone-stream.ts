import type { Pieces } from '../../base/json/pieces.js';
import type { LargeMessage } from '../../base/protocol/large-answer.js';
import type { BodyReader, ResponseFlow } from './decode-body.js';
import { HttpExchange, isEventStream, readEvents, SKIP_BODY } from './http-exchange.js';

/** A stream that lived for this long was a good one: the next may be opened at once. */
const STABLE_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 30_000;
/** Statuses that pass: the stream is asked for again. The official SDK answers 409 until it has seen the end of the one before. */
const PASSING: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

interface StandaloneStreamOptions {
  readonly dispatch: (headers: readonly string[], exchange: HttpExchange) => void;
  readonly onData: (data: Pieces | LargeMessage) => void;
  /** It is open again: what the server said meanwhile may be lost. */
  readonly onReopened: () => void;
  readonly maxBytes: number;
  /** The server refuses a stream that it offered before. Resolves with whether it still knows the session. */
  readonly onRefused: (status: number) => Promise<boolean>;
  /** The server cannot be reached any more. */
  readonly onGone: (error: Error) => void;
  /** Whether a network error says that nobody listens at the address. */
  readonly isUnreachable: (error: Error) => boolean;
}

/**
 * The GET stream on which a legacy server sends what belongs to no request, `list_changed` above all. It is also the first to
 * notice that a server went away. It is optional: a server that answers the first GET with anything but a stream offers none,
 * and the connection goes on without it. The specification names 405 for that; 404 and others are as common.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export class StandaloneStream {
  readonly #options: StandaloneStreamOptions;
  #exchange: HttpExchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #openedAt: number | undefined;
  /** Whether the server has ever opened it, on this connection. */
  #offered = false;
  #pauseMs = FIRST_PAUSE_MS;
  #closed = false;
  #refused = false;

  constructor(options: StandaloneStreamOptions) {
    this.#options = options;
    this.#connect();
  }

  /** Whether the server has said that it offers none. */
  get refused(): boolean {
    return this.#refused;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort(new Error('closed'));
  }

  #connect(): void {
    const headers = this.#lastEventId === undefined ? [] : ['last-event-id', this.#lastEventId];
    let refused: number | undefined;
    this.#openedAt = undefined;
    this.#exchange = new HttpExchange(
      (status, head, flow) => {
        if (status === 200 && isEventStream(head)) return this.#open(flow);
        refused = status;
        return SKIP_BODY;
      },
      (error) => (refused === undefined ? this.#afterEnd(error) : void this.#afterRefusal(refused)),
    );
    this.#options.dispatch(headers, this.#exchange);
  }

  #open(flow: ResponseFlow): BodyReader {
    this.#openedAt = performance.now();
    if (this.#offered) this.#options.onReopened();
    this.#offered = true;
    return readEvents(
      {
        onData: this.#options.onData,
        onEventId: (id) => {
          this.#lastEventId = id;
        },
        onRetry: (ms) => {
          this.#retryMs = ms;
        },
      },
      this.#options.maxBytes,
      flow,
    );
  }

  async #afterRefusal(status: number): Promise<void> {
    this.#refused = !this.#offered;
    if (this.#closed || !this.#offered) return;
    if ((await this.#options.onRefused(status)) && PASSING.has(status) && !this.#closed) this.#connectLater();
  }

  #afterEnd(error: Error | undefined): void {
    if (this.#closed) return;
    if (error === undefined || this.#openedAt !== undefined) {
      this.#connectLater();
    } else if (this.#offered || this.#options.isUnreachable(error)) {
      // A server that only hangs up on the first GET may still answer every POST.
      this.#options.onGone(error);
    }
  }

  #connectLater(): void {
    const stable = this.#openedAt !== undefined && performance.now() - this.#openedAt > STABLE_MS;
    this.#pauseMs = stable ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 4, MAX_PAUSE_MS);
    this.#timer = setTimeout(() => this.#connect(), Math.max(this.#retryMs ?? 0, this.#pauseMs));
    this.#timer.unref();
  }
}
