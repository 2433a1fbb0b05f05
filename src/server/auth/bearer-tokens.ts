import { networkOf } from '../../base/lib/network-of.js';
import type { Observer } from '../../base/observe/observation.js';
import type { ClientKey } from '../../config/access-config.js';
import { hashToken } from '../../config/load/build-access.js';

/** An operator with bearer tokens. */
interface TokenHolder {
  readonly name: string;
  readonly keys: readonly ClientKey[];
}

/** Whose a token is, and until when. */
interface KnownHolder {
  readonly name: string;
  /** In milliseconds since the epoch; infinite where it does not end. */
  readonly until: number;
}

/** The scheme in any case, then the token (RFC 6750, section 2.1; RFC 9110, section 11.1). */
export const BEARER = /^Bearer +([^ ]+) *$/i;

/** A few spellings of each header are remembered; any more, which differ in case or spaces alone, are hashed each time. */
const MAX_KNOWN_HEADERS = 1_000;

/** Finds the holder of a bearer token. */
export class BearerTokens {
  // Keyed by digests: the time of a look-up then reveals nothing about a token's first characters.
  readonly #holders: ReadonlyMap<string, KnownHolder>;
  // Every request of a client carries the same header. Only valid headers are kept, so that wrong ones cannot fill the map.
  readonly #known = new Map<string, KnownHolder>();
  readonly #now: () => number;

  constructor(holders: readonly TokenHolder[], now: () => number = Date.now) {
    this.#now = now;
    this.#holders = new Map(
      holders.flatMap(({ name, keys }) =>
        keys.map(({ hash, expiresAt: until = Number.POSITIVE_INFINITY }) => [hash, { name, until }] as const),
      ),
    );
  }

  /** The name of the holder of the token in an `Authorization` header; undefined when the token is not valid. */
  holderOf(header: string | undefined): string | undefined {
    if (header === undefined) return undefined;
    const holder = this.#known.get(header) ?? this.#lookUp(header);
    return holder !== undefined && this.#now() < holder.until ? holder.name : undefined;
  }

  #lookUp(header: string): KnownHolder | undefined {
    const token = BEARER.exec(header)?.[1];
    const holder = token === undefined ? undefined : this.#holders.get(hashToken(token));
    if (holder !== undefined && this.#known.size < MAX_KNOWN_HEADERS) this.#known.set(header, holder);
    return holder;
  }
}

/** At most one notice in this time: a client that guesses tokens must not fill the log. */
const QUIET_MS = 60_000;

/** Logs requests without a valid token: the first at once; those that follow are counted in the next notice. */
export class RefusalNotices {
  readonly #observe: Observer;
  readonly #place: string;
  readonly #now: () => number;
  #quietUntil = 0;
  #unreported = 0;

  /** @param place the path of the requests: `/mcp`. */
  constructor(observe: Observer, place: string, now: () => number = Date.now) {
    this.#observe = observe;
    this.#place = place;
    this.#now = now;
  }

  /** @param address where the request came from. */
  refused(address: string): void {
    const now = this.#now();
    if (now < this.#quietUntil) {
      this.#unreported += 1;
      return;
    }
    const others = this.#unreported === 0 ? '' : ` (and ${this.#unreported} more since the last notice)`;
    const message = `Refused a request to ${this.#place} from '${address}' without a valid token${others}.`;
    this.#quietUntil = now + QUIET_MS;
    this.#unreported = 0;
    this.#observe({ kind: 'notice', level: 'warn', message });
  }
}

/** Wrong tokens per address and window. */
const MAX_FAILURES = 20;

const WINDOW_MS = 60_000;

/** Addresses remembered at once; the oldest is forgotten first. */
const MAX_ADDRESSES = 1_000;

interface Window {
  failures: number;
  readonly endsAt: number;
}

/** Counts the wrong tokens of each network, or what else is to be rare. Kept in memory, bounded. */
export class FailedAttempts {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** For how many whole seconds an address must wait; 0 when it may try. */
  secondsToWait(address: string): number {
    const window = this.#windows.get(networkOf(address));
    if (window === undefined || window.failures < MAX_FAILURES) return 0;
    return Math.max(0, Math.ceil((window.endsAt - this.#now()) / 1000));
  }

  note(address: string): void {
    const network = networkOf(address);
    const window = this.#windows.get(network);
    if (window !== undefined && this.#now() < window.endsAt) {
      window.failures += 1;
      return;
    }
    this.#windows.delete(network);
    if (this.#windows.size >= MAX_ADDRESSES) this.#forgetOldest();
    this.#windows.set(network, { failures: 1, endsAt: this.#now() + WINDOW_MS });
  }

  #forgetOldest(): void {
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}
