import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { lengthOf } from '../../base/json/pieces.js';
import { getOrMake } from '../../base/lib/collections.js';
import type {
  Caller,
  HandlerCall,
  HandlerOutcome,
  OperationHandler,
  ProgressUpdate,
} from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { LargeAnswer } from '../../base/protocol/large-answer.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { CACHED, CACHED_AGE_SECONDS, type ToolCallResult } from '../../base/protocol/result.js';
import { WireAnswer } from '../../base/protocol/wire-answer.js';
import { questionKey } from './call-key.js';

interface CacheInterceptor {
  /**
   * Answers from the cache, and runs the other calls with `inner`, with the reads that a write makes; while a write runs, no answer
   * is cached. All handlers made here share one cache.
   */
  over(inner: OperationHandler): OperationHandler;
  /** Drops an upstream's cached answers, and caches none of the reads that run now. */
  invalidate(upstream: string): void;
}

interface CacheInterceptorOptions {
  /** Bytes of JSON over all upstreams, at least 1. */
  readonly maxBytes: number;
  /** Whose state a caller sees at an upstream, as its answers are for no other; undefined where all see the same. */
  readonly ownerOf?: (upstream: string, caller: Caller) => string | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Answers READs with `cacheSeconds` from memory where it can, and sends equal ones that come at the same time once.
 *
 * An answer is never older than the last write to the same upstream that has ended in this gateway. A write invalidates
 * answers when it starts, because it may take effect at any moment from then on. Until it ends no answer is cached, and reads
 * that still run then are neither cached nor joined, because they may show the state before the write.
 */
export function createCacheInterceptor({ maxBytes, ownerOf, now }: CacheInterceptorOptions): CacheInterceptor {
  const answers = new AnswerCache({ maxBytes, now: now ?? (() => performance.now()) });
  const traffic = new Map<string, UpstreamTraffic>();

  const trafficAt = (upstream: string): UpstreamTraffic => {
    const at = traffic.get(upstream) ?? new UpstreamTraffic();
    traffic.set(upstream, at);
    return at;
  };
  const write = async (inner: OperationHandler, call: HandlerCall): Promise<HandlerOutcome> => {
    const { upstream } = call.operation;
    const end = trafficAt(upstream).enterWrite();
    answers.forget(upstream);
    try {
      return await inner(call);
    } finally {
      end();
    }
  };
  const startRead = (inner: OperationHandler, call: HandlerCall, key: string, cacheSeconds: number): SharedCall => {
    const { upstream } = call.operation;
    const read = new SharedCall(inner, call);
    const end = trafficAt(upstream).enterRead(key, read);
    read.outcome.then((outcome) => {
      const isFresh = end();
      const result = 'toolResult' in outcome ? outcome.toolResult : undefined;
      // Whether a large answer is a failure is not known here.
      if (!isFresh || result === undefined || result.isError === true || result instanceof LargeAnswer) return;
      answers.store(key, upstream, result, cacheSeconds);
    }, end);
    return read;
  };

  return {
    over: (inner) => async (call) => {
      const { classification, cacheSeconds, upstream } = call.operation;
      if (classification.category !== 'READ') return write(inner, call);
      if (cacheSeconds === undefined || call.fresh === true || call.cancellation.cancelled) return inner(call);
      const owner = ownerOf?.(upstream, call.caller);
      const key = owner === undefined ? questionKey(call) : `${owner} ${questionKey(call)}`;
      const cached = answers.find(key);
      if (cached !== undefined) return { toolResult: markCached(cached.result, cached.ageSeconds) };
      const read = trafficAt(upstream).findRead(key) ?? startRead(inner, call, key, cacheSeconds);
      return read.join(call);
    },
    invalidate(upstream) {
      trafficAt(upstream).invalidateReads();
      answers.forget(upstream);
    },
  };
}

/** Puts the marks on a copy: the cached answer is not changed. */
function markCached(result: ToolCallResult | WireAnswer, ageSeconds: number): ToolCallResult | WireAnswer {
  const marks = { [CACHED]: true, [CACHED_AGE_SECONDS]: ageSeconds };
  if (result instanceof WireAnswer) return result.withMeta(marks);
  return { ...result, _meta: { ...result._meta, ...marks } };
}

/** Bytes that a cached answer takes beside its text, so that the number of tiny answers is bounded, too. */
const OVERHEAD_BYTES = 1_000;

interface CachedAnswer {
  readonly upstream: string;
  readonly result: ToolCallResult | WireAnswer;
  /** In the milliseconds of the cache's clock. */
  readonly cachedAt: number;
}

interface AnswerCacheOptions {
  /** Bytes of JSON over all upstreams; the least recently used answers are dropped first. */
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Answers by key, each with a time to live; all of one upstream's can be dropped at once. */
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

  /** Undefined for an answer that was never stored, was dropped, or has expired. */
  find(key: string): { readonly result: ToolCallResult | WireAnswer; readonly ageSeconds: number } | undefined {
    const cached = this.#answers.get(key);
    if (cached === undefined) return undefined;
    return { result: cached.result, ageSeconds: Math.floor((this.#now() - cached.cachedAt) / 1000) };
  }

  /** Does nothing where the answer alone is beyond the bound. */
  store(key: string, upstream: string, answer: ToolCallResult | WireAnswer, seconds: number): void {
    const size = measure(answer);
    if (size === undefined) return;
    const result = answer instanceof WireAnswer ? answer.copy() : answer;
    this.#answers.set(key, { upstream, result, cachedAt: this.#now() }, { ttl: seconds * 1000, size });
  }

  forget(upstream: string): void {
    for (const key of this.#keysOf.get(upstream) ?? []) this.#answers.delete(key);
  }

  #keysFor(upstream: string): Set<string> {
    return getOrMake(this.#keysOf, upstream, () => new Set());
  }
}

function measure(result: ToolCallResult | WireAnswer): number | undefined {
  if (result instanceof WireAnswer) {
    const beside = JSON.stringify([result.members, result.meta ?? null]);
    return lengthOf(result.text) + Buffer.byteLength(beside) + OVERHEAD_BYTES;
  }
  try {
    return Buffer.byteLength(JSON.stringify(result)) + OVERHEAD_BYTES;
  } catch {
    // Nested deeper than the stack: writing the answer to the client reports the error.
    return undefined;
  }
}

/** The calls that run at one upstream, which decide which answers may be cached and which reads may be joined. */
class UpstreamTraffic {
  readonly #reads = new Map<string, SharedCall>();
  /** Counts the events that made earlier answers invalid. */
  #generation = 0;
  #writes = 0;

  /** The read that asks the same and is fresh enough to be joined. */
  findRead(key: string): SharedCall | undefined {
    const read = this.#reads.get(key);
    return read?.abandoned === true ? undefined : read;
  }

  /** Lets a read be joined until it ends. The function returned ends it and says whether its answer may be cached. */
  enterRead(key: string, read: SharedCall): () => boolean {
    const generation = this.#generation;
    this.#reads.set(key, read);
    return () => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
      return generation === this.#generation && this.#writes === 0;
    };
  }

  /** The function returned ends the write. */
  enterWrite(): () => void {
    this.#writes += 1;
    this.invalidateReads();
    return () => {
      this.#writes -= 1;
      this.invalidateReads();
    };
  }

  /** No read that runs now may be joined any more, and none of their answers may be cached. */
  invalidateReads(): void {
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
 * One upstream call that several callers wait for. A caller that cancels stops waiting; the call itself is cancelled when no
 * caller is left. All callers get its progress from when they joined, and the same outcome or the same error.
 */
class SharedCall {
  /** The outcome of the upstream's call, even when no caller waits for it any more. */
  readonly outcome: Promise<HandlerOutcome>;
  readonly #waiters = new Set<Waiter>();
  readonly #cancellation = new Cancellation();

  /** Starts the call, which no caller has joined yet. */
  constructor(inner: OperationHandler, { operation, arguments: args, caller, host }: HandlerCall) {
    this.outcome = inner({
      operation,
      arguments: args,
      caller,
      host,
      cancellation: this.#cancellation,
      onProgress: (update) => this.#reportProgress(update),
    });
    this.outcome.then(
      (outcome) => this.#settle(({ resolve }) => resolve(outcome)),
      (error: unknown) => this.#settle(({ reject }) => reject(error)),
    );
  }

  /** Whether all callers have cancelled, after which none may join. */
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

  #reportProgress(update: ProgressUpdate): void {
    for (const { onProgress } of this.#waiters) onProgress?.(update);
  }

  #settle(settleOne: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) settleOne(waiter);
  }
}
