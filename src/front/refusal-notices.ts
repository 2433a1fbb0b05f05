import type { Observer } from '../observe/observation.js';

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
