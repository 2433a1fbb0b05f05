import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { HandlerCall, HandlerOutcome, OperationHandler, ProgressUpdate } from '../protocol/call.js';
import { Cancellation } from '../protocol/cancellation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { ToolCallResult } from '../protocol/result.js';
import { questionKey } from './call-key.js';

export interface CacheInterceptor {
  readonly handle: OperationHandler;
  /** Forgets an upstream's answers, and keeps none that was asked for before. */
  invalidate(upstream: string): void;
}

interface CachedHandlerOptions {
  /** Runs a whole write, with whatever it reads for that: nothing is kept of what is read meanwhile. */
  readonly inner: OperationHandler;
  /** Bytes of JSON over all upstreams, at least 1. */
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Answers READs with `cacheSeconds` from memory where it can, and sends equal ones that come at the same time once.
 *
 * No answer is older than the last write to the same upstream that has ended here. A write makes answers
 * worthless when it starts, because it may take effect at any moment from then on; until it ends none is kept, and what is
 * still being read then is neither kept nor joined, because it may be from before that moment.
 */
export function createCacheInterceptor({ inner, maxBytes, now }: CachedHandlerOptions): CacheInterceptor {
  const answers = new AnswerCache({ maxBytes, now: now ?? (() => performance.now()) });
  const traffic = new Map<string, UpstreamTraffic>();

  const trafficAt = (upstream: string): UpstreamTraffic => {
    const at = traffic.get(upstream) ?? new UpstreamTraffic();
    traffic.set(upstream, at);
    return at;
  };
  const write: OperationHandler = async (call) => {
    const { upstream } = call.operation;
    const end = trafficAt(upstream).enterWrite();
    answers.forget(upstream);
    try {
      return await inner(call);
    } finally {
      end();
    }
  };
  const startRead = (call: HandlerCall, key: string, cacheSeconds: number): SharedCall => {
    const { upstream } = call.operation;
    const read = new SharedCall(inner, call);
    const end = trafficAt(upstream).enterRead(key, read);
    read.outcome.then((outcome) => {
      const isFresh = end();
      const result = 'toolResult' in outcome ? outcome.toolResult : undefined;
      if (!isFresh || result === undefined || result.isError === true) return;
      answers.keep(key, upstream, result, cacheSeconds);
    }, end);
    return read;
  };

  return {
    async handle(call) {
      const { classification, cacheSeconds, upstream } = call.operation;
      if (classification.category !== 'READ') return write(call);
      if (cacheSeconds === undefined || call.cancellation.cancelled) return inner(call);
      const key = questionKey(call);
      const kept = answers.find(key);
      if (kept !== undefined) return { toolResult: markCached(kept.result, kept.ageSeconds) };
      const read = trafficAt(upstream).findRead(key) ?? startRead(call, key, cacheSeconds);
      return read.join(call);
    },
    invalidate(upstream) {
      trafficAt(upstream).disturb();
      answers.forget(upstream);
    },
  };
}

/** The kept answer stays as it came: the marks are on a copy. */
function markCached(result: ToolCallResult, ageSeconds: number): ToolCallResult {
  return { ...result, _meta: { ...result._meta, cached: true, cached_age_seconds: ageSeconds } };
}

/** What a kept answer takes in memory beside its text: tiny ones must not come in millions. */
const OVERHEAD_BYTES = 1_000;

interface CachedAnswer {
  readonly upstream: string;
  readonly result: ToolCallResult;
  /** In the milliseconds of the cache's clock. */
  readonly cachedAt: number;
}

interface AnswerCacheOptions {
  /** Bytes of JSON over all upstreams; the least recently used answers go first. */
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Answers by key, each for a time, with all of one upstream's forgotten at once. */
class AnswerCache {
  readonly #answers: LRUCache<string, CachedAnswer>;
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
    return { result: kept.result, ageSeconds: Math.floor((this.#now() - kept.cachedAt) / 1000) };
  }

  /** Does nothing where the answer alone is beyond the bound. */
  keep(key: string, upstream: string, result: ToolCallResult, seconds: number): void {
    const size = measure(result);
    if (size === undefined) return;
    this.#answers.set(key, { upstream, result, cachedAt: this.#now() }, { ttl: seconds * 1000, size });
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

/** What happens at one upstream now, and so which answers may be kept and which reads may be joined. */
class UpstreamTraffic {
  readonly #reads = new Map<string, SharedCall>();
  /** Counts what made earlier answers worthless. */
  #generation = 0;
  #writes = 0;

  /** The read that asks the same and is fresh enough to be joined. */
  findRead(key: string): SharedCall | undefined {
    const read = this.#reads.get(key);
    return read?.abandoned === true ? undefined : read;
  }

  /** Lets a read be joined until it ends; what comes back ends it and says whether its answer may be kept. */
  enterRead(key: string, read: SharedCall): () => boolean {
    const generation = this.#generation;
    this.#reads.set(key, read);
    return () => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
      return generation === this.#generation && this.#writes === 0;
    };
  }

  /** What comes back ends the write. */
  enterWrite(): () => void {
    this.#writes += 1;
    this.disturb();
    return () => {
      this.#writes -= 1;
      this.disturb();
    };
  }

  /** No read that runs now may be joined any more, nor its answer kept. */
  disturb(): void {
    this.#generation += 1;
    this.#reads.clear();
  }
}

interface Waiter {
  readonly resolve: (outcome: HandlerOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: HandlerCall['onProgress'];
}

/**
 * One upstream call that several callers wait for. Whoever cancels leaves; the call itself is cancelled when nobody is left.
 * All who wait see its progress from when they came, and get the same outcome or the same error.
 */
class SharedCall {
  /** Of the upstream's call, whoever still waits for it. */
  readonly outcome: Promise<HandlerOutcome>;
  readonly #waiters = new Set<Waiter>();
  readonly #cancellation = new Cancellation();

  /** Starts the call. Nobody waits for it yet. */
  constructor(inner: OperationHandler, { operation, arguments: args, caller }: HandlerCall) {
    this.outcome = inner({
      operation,
      arguments: args,
      caller,
      cancellation: this.#cancellation,
      onProgress: (update) => this.#tell(update),
    });
    this.outcome.then(
      (outcome) => this.#dismiss(({ resolve }) => resolve(outcome)),
      (error: unknown) => this.#dismiss(({ reject }) => reject(error)),
    );
  }

  /** Whether everybody has left, so that nobody may join any more. */
  get abandoned(): boolean {
    return this.#cancellation.cancelled;
  }

  join({ operation, cancellation, onProgress }: HandlerCall): Promise<HandlerOutcome> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, onProgress };
      this.#waiters.add(waiter);
      cancellation.onCancel(() => this.#leave(waiter, operation.upstream, cancellation.reason ?? 'cancelled'));
    });
  }

  #leave(waiter: Waiter, upstream: string, reason: string): void {
    if (!this.#waiters.delete(waiter)) return;
    const details = { upstream, reason: 'cancelled', retryable: false };
    const message = "Internal error: 'the call was cancelled'";
    waiter.reject(new OperationError('INTERNAL_ERROR', message, details, { cause: reason }));
    if (this.#waiters.size === 0) this.#cancellation.cancel(reason);
  }

  #tell(update: ProgressUpdate): void {
    for (const { onProgress } of this.#waiters) onProgress?.(update);
  }

  #dismiss(tell: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) tell(waiter);
  }
}
