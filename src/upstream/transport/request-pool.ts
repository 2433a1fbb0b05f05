import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Pieces } from '../../base/json/pieces.js';
import { headerOf, type ResponseHeaders } from './http-exchange.js';
import type { SocketOpener } from './outbound.js';
import type { RequestCredentials } from './user-rights.js';

// The package's entry loads fetch, WebSocket, caches and mocks too, most of its code.

/** A body in pieces goes out piece by piece, as the socket takes them; the type that undici gives its options lacks it. */
interface PoolRequest extends Omit<Dispatcher.DispatchOptions, 'body'> {
  body?: Dispatcher.DispatchOptions['body'] | Pieces;
}

/** What a transport needs of undici's pool. */
export interface RequestPool {
  dispatch(options: PoolRequest, handler: Dispatcher.DispatchHandler): boolean;
  destroy(reason: Error): Promise<void>;
}

interface PoolSettings {
  readonly connect: SocketOpener;
  /** What its requests carry beside the configured headers. */
  readonly credentials: RequestCredentials | undefined;
}

/** The connections to one server. */
export function openPool(origin: string, { connect, credentials }: PoolSettings): RequestPool {
  // Silence is timed by the calls themselves: a stream may rest for hours.
  const pool: RequestPool = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0, connect });
  return credentials === undefined ? pool : withCredentials(pool, credentials);
}

/** A pool whose requests carry credentials that change. A request that is refused for them is sent once more with others. */
function withCredentials(pool: RequestPool, credentials: RequestCredentials): RequestPool {
  return {
    dispatch(options, handler) {
      void send({ pool, credentials, options, handler }, true);
      return true;
    },
    destroy: (reason) => pool.destroy(reason),
  };
}

interface AuthorizedRequest {
  readonly pool: RequestPool;
  readonly credentials: RequestCredentials;
  readonly options: PoolRequest;
  readonly handler: Dispatcher.DispatchHandler;
}

async function send(request: AuthorizedRequest, mayRepeat: boolean): Promise<void> {
  const { pool, credentials, options, handler } = request;
  try {
    const sent = await credentials.headers();
    const repeat = mayRepeat ? (): Promise<void> => send(request, false) : undefined;
    const watch = new RefusalWatch(
      handler,
      (status, challenge) => credentials.refused({ status, challenge, sent, isLast: !mayRepeat }),
      repeat,
    );
    pool.dispatch({ ...options, headers: mergeHeaders(options.headers, sent) }, watch);
  } catch (cause) {
    handler.onResponseError?.(NO_REQUEST, cause instanceof Error ? cause : new Error(String(cause)));
  }
}

/** In undici's flat form; those that are added replace others of the same name. */
function mergeHeaders(given: unknown, added: Readonly<Record<string, string>>): string[] {
  const flat: readonly string[] = Array.isArray(given) ? given.map(String) : [];
  if (Object.keys(added).length === 0) return [...flat];
  const kept = flat.flatMap((name, at) => (at % 2 === 0 && !(name in added) ? [name, flat[at + 1] ?? ''] : []));
  return [...kept, ...Object.entries(added).flat()];
}

/** More of a refusal's body is not read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

interface HeldRefusal {
  readonly status: 401 | 403;
  readonly headers: ResponseHeaders;
  readonly chunks: Buffer[];
  bytes: number;
}

type Refuse = (status: 401 | 403, challenge: string | undefined) => Promise<boolean>;

/** Passes a response on, but holds a refusal back until it is known whether the request is sent again. */
class RefusalWatch implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #refuse: Refuse;
  readonly #repeat: (() => Promise<void>) | undefined;
  #held: HeldRefusal | undefined;

  constructor(handler: Dispatcher.DispatchHandler, refuse: Refuse, repeat: (() => Promise<void>) | undefined) {
    this.#handler = handler;
    this.#refuse = refuse;
    this.#repeat = repeat;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status === 401 || status === 403) this.#held = { status, headers, chunks: [], bytes: 0 };
    else this.#handler.onResponseStart?.(controller, status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const held = this.#held;
    if (held === undefined) {
      this.#handler.onResponseData?.(controller, chunk);
    } else if (held.bytes < MAX_REFUSAL_BYTES) {
      held.bytes += chunk.length;
      held.chunks.push(chunk);
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: ResponseHeaders): void {
    const held = this.#held;
    if (held === undefined) {
      this.#handler.onResponseEnd?.(controller, trailers);
      return;
    }
    this.#refuse(held.status, headerOf(held.headers, 'www-authenticate')).then(
      (again) => (again && this.#repeat !== undefined ? void this.#repeat() : this.#pass(controller, held)),
      () => this.#pass(controller, held),
    );
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(controller, error);
  }

  #pass(controller: Dispatcher.DispatchController, { status, headers, chunks }: HeldRefusal): void {
    this.#handler.onResponseStart?.(controller, status, headers);
    for (const chunk of chunks) this.#handler.onResponseData?.(controller, chunk);
    this.#handler.onResponseEnd?.(controller, {});
  }
}

/** Of a request that was never begun. */
const NO_REQUEST: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
