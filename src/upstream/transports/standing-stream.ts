import { HttpExchange, readEvents, SKIP_BODY } from './http-exchange.js';

/** A stream that lived for this long was a good one: the next may be opened at once. */
const STABLE_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 30_000;

export interface StandingStreamOptions {
  readonly dispatch: (headers: readonly string[], exchange: HttpExchange) => void;
  readonly onData: (data: string) => void;
  /** The server answered that it does not know the session. */
  readonly onForgotten: () => void;
  /** The server cannot be reached any more. */
  readonly onGone: (error: Error) => void;
}

/**
 * The GET stream on which a legacy server sends what belongs to no request, `list_changed` above all. It is also the first to
 * notice that a server went away. A server that offers none answers 405, and that is the end of it.
 */
export class StandingStream {
  readonly #options: StandingStreamOptions;
  #exchange: HttpExchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #openedAt: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #closed = false;

  constructor(options: StandingStreamOptions) {
    this.#options = options;
    this.#connect();
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
      (status) => {
        if (status !== 200) {
          refused = status;
          return SKIP_BODY;
        }
        this.#openedAt = performance.now();
        return readEvents({
          onData: this.#options.onData,
          onEventId: (id) => {
            this.#lastEventId = id;
          },
          onRetry: (ms) => {
            this.#retryMs = ms;
          },
        });
      },
      (error) => this.#afterEnd(refused, error),
    );
    this.#options.dispatch(headers, this.#exchange);
  }

  #afterEnd(refused: number | undefined, error: Error | undefined): void {
    if (this.#closed) return;
    if (refused !== undefined) {
      if (refused === 404) this.#options.onForgotten();
      return;
    }
    if (error !== undefined && this.#openedAt === undefined) {
      this.#options.onGone(error);
      return;
    }
    const stable = this.#openedAt !== undefined && performance.now() - this.#openedAt > STABLE_MS;
    this.#pauseMs = stable ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 4, MAX_PAUSE_MS);
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs ?? this.#pauseMs);
    this.#timer.unref();
  }
}
