import { performance } from 'node:perf_hooks';
import type { HandlerCall, OperationHandler } from '../protocol/handler.js';
import type { ToolCallResult } from '../protocol/result.js';
import { AnswerCache } from './answer-cache.js';
import { questionKey } from './question-key.js';
import { SharedCall } from './shared-call.js';
import { UpstreamTraffic } from './upstream-traffic.js';

export interface CachedHandler {
  readonly handle: OperationHandler;
  /** Forgets an upstream's answers, and keeps none that was asked for before. */
  invalidate(upstream: string): void;
}

export interface CachedHandlerOptions {
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
export function createCachedHandler({ inner, maxBytes, now }: CachedHandlerOptions): CachedHandler {
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
