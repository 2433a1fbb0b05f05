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
