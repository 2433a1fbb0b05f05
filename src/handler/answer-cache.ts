import { LRUCache } from 'lru-cache';
import type { ToolCallResult } from '../protocol/result.js';

/** What a kept answer takes in memory beside its text: tiny ones must not come in millions. */
const OVERHEAD_BYTES = 1_000;

export interface KeptAnswer {
  readonly upstream: string;
  readonly result: ToolCallResult;
  /** In the milliseconds of the cache's clock. */
  readonly keptAt: number;
}

export interface AnswerCacheOptions {
  /** Bytes of JSON over all upstreams; the least recently used answers go first. */
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Answers by key, each for a time, with all of one upstream's forgotten at once. */
export class AnswerCache {
  readonly #answers: LRUCache<string, KeptAnswer>;
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #now: () => number;

  constructor({ maxBytes, now }: AnswerCacheOptions) {
    this.#now = now;
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      perf: { now },
      ttlResolution: 0,
      onInsert: ({ upstream }, key) => this.#keysFor(upstream).add(key),
      dispose: ({ upstream }, key) => this.#keysOf.get(upstream)?.delete(key),
    });
  }

  /** Undefined for what was never kept, was forgotten, or is too old. */
  find(key: string): { readonly result: ToolCallResult; readonly ageSeconds: number } | undefined {
    const kept = this.#answers.get(key);
    if (kept === undefined) return undefined;
    return { result: kept.result, ageSeconds: Math.floor((this.#now() - kept.keptAt) / 1000) };
  }

  /** Does nothing where the answer alone is beyond the bound. */
  keep(key: string, upstream: string, result: ToolCallResult, seconds: number): void {
    const size = measure(result);
    if (size === undefined) return;
    this.#answers.set(key, { upstream, result, keptAt: this.#now() }, { ttl: seconds * 1000, size });
  }

  forget(upstream: string): void {
    for (const key of this.#keysOf.get(upstream) ?? []) this.#answers.delete(key);
  }

  #keysFor(upstream: string): Set<string> {
    const keys = this.#keysOf.get(upstream) ?? new Set();
    this.#keysOf.set(upstream, keys);
    return keys;
  }
}

function measure(result: ToolCallResult): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(result)) + OVERHEAD_BYTES;
  } catch {
    // Nested deeper than the stack: whoever sends it on will say so.
    return undefined;
  }
}
