import type { Seat } from './http-exchange.js';

/** Values that are dropped after an idle time, and the longest idle one earlier when there are too many. */
export class IdleMap<Value extends Seat> {
  readonly #values = new Map<string, Value>();
  readonly #idleMs: number;
  readonly #max: number;
  readonly #onExpired: (value: Value) => void;

  /** @param onExpired told of each value that was dropped for being idle. */
  constructor(idleMs: number, max: number, onExpired: (value: Value) => void) {
    this.#idleMs = idleMs;
    this.#max = max;
    this.#onExpired = onExpired;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  values(): IterableIterator<Value> {
    return this.#values.values();
  }

  /** Adds a value; false when the map is full of values that are in use. */
  add(key: string, value: Value): boolean {
    if (this.#values.size >= this.#max && !this.#dropLongestIdle()) return false;
    this.#values.set(key, value);
    return true;
  }

  /** Takes a value out; false when it is not there. */
  remove(key: string): boolean {
    return this.#values.delete(key);
  }

  /** Takes everything out. */
  clear(): void {
    this.#values.clear();
  }

  /** Drops everything that has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void {
    for (const [key, value] of this.#values) {
      if (value.open === 0 && now - value.lastUsedAt >= this.#idleMs) this.#drop(key, value);
    }
  }

  #dropLongestIdle(): boolean {
    let oldest: [string, Value] | undefined;
    for (const entry of this.#values) {
      const [, value] = entry;
      if (value.open === 0 && (oldest === undefined || value.lastUsedAt < oldest[1].lastUsedAt)) oldest = entry;
    }
    if (oldest === undefined) return false;
    this.#drop(...oldest);
    return true;
  }

  #drop(key: string, value: Value): void {
    this.#values.delete(key);
    this.#onExpired(value);
  }
}
