import { createHash } from 'node:crypto';
import type { Observer } from '../../observe/observation.js';

/** Somebody whom the operator gave a token. */
interface TokenHolder {
  readonly name: string;
  /** Secret: never log. */
  readonly token: string;
}

/** The scheme in any case, then the token (RFC 6750, section 2.1; RFC 9110, section 11.1). */
const BEARER = /^Bearer +([^ ]+) *$/i;

/** Headers that differ in case or spaces alone are few; the rest of such a flood is looked up the long way. */
const MAX_KNOWN_HEADERS = 1_000;

/** Who holds which bearer token. */
export class BearerTokens {
  // Digests, not tokens: how long a look-up takes then says nothing about a token's first characters.
  readonly #holders: ReadonlyMap<string, string>;
  // Every request of a client carries the same header. Only valid ones are kept, so that nobody can fill the map.
  readonly #known = new Map<string, string>();

  constructor(holders: readonly TokenHolder[]) {
    this.#holders = new Map(holders.map(({ name, token }) => [digest(token), name]));
  }

  /** The name of whoever holds the token in an `Authorization` header; undefined for nobody. */
  holderOf(header: string | undefined): string | undefined {
    if (header === undefined) return undefined;
    return this.#known.get(header) ?? this.#lookUp(header);
  }

  #lookUp(header: string): string | undefined {
    const token = BEARER.exec(header)?.[1];
    const holder = token === undefined ? undefined : this.#holders.get(digest(token));
    if (holder !== undefined && this.#known.size < MAX_KNOWN_HEADERS) this.#known.set(header, holder);
    return holder;
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Whoever tries tokens must not fill the operator's log. */
const QUIET_MS = 60_000;

/** Tells the operator that requests without a valid token come in: the first at once, the others counted in the next. */
export class RefusalNotices {
  readonly #observe: Observer;
  readonly #place: string;
  readonly #now: () => number;
  #quietUntil = 0;
  #untold = 0;

  /** @param place what was asked for: `/mcp`. */
  constructor(observe: Observer, place: string, now: () => number = Date.now) {
    this.#observe = observe;
    this.#place = place;
    this.#now = now;
  }

  /** @param address where the request came from. */
  refused(address: string): void {
    const now = this.#now();
    if (now < this.#quietUntil) {
      this.#untold += 1;
      return;
    }
    const others = this.#untold === 0 ? '' : ` (and ${this.#untold} more since the last notice)`;
    const message = `Refused a request to ${this.#place} from '${address}' without a valid token${others}.`;
    this.#quietUntil = now + QUIET_MS;
    this.#untold = 0;
    this.#observe({ kind: 'notice', level: 'warn', message });
  }
}

/** Wrong tokens per address and window. */
const MAX_FAILURES = 20;

const WINDOW_MS = 60_000;

/** Addresses remembered at once; the one that has been remembered longest makes room. */
const MAX_ADDRESSES = 1_000;

interface Window {
  failures: number;
  readonly endsAt: number;
}

/** Who has tried too many wrong tokens lately. Kept in memory, bounded. */
export class FailedAttempts {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** For how many whole seconds an address must wait; 0 when it may try. */
  secondsToWait(address: string): number {
    const window = this.#windows.get(address);
    if (window === undefined || window.failures < MAX_FAILURES) return 0;
    return Math.max(0, Math.ceil((window.endsAt - this.#now()) / 1000));
  }

  note(address: string): void {
    const window = this.#windows.get(address);
    if (window !== undefined && this.#now() < window.endsAt) {
      window.failures += 1;
      return;
    }
    this.#windows.delete(address);
    if (this.#windows.size >= MAX_ADDRESSES) this.#forgetOldest();
    this.#windows.set(address, { failures: 1, endsAt: this.#now() + WINDOW_MS });
  }

  #forgetOldest(): void {
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}
