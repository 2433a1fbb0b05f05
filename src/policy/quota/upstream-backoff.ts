import type { AnnouncedLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import { describeReset } from './budget.js';

/** The longest window of an upstream's limit: nobody is shut out for longer by a slip or a clock that is wrong. */
const MAX_BLOCK_MS = 86_400_000;

/** Which upstreams have asked to be left alone, and until when. In this process alone: each gateway hears it by itself. */
export class AnnouncedBlocks {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(upstream: string, { retryAfterSeconds = 0, remaining, resetsAt = 0 }: AnnouncedLimits): void {
    const now = this.#now();
    const until = Math.max(now + retryAfterSeconds * 1_000, remaining === 0 ? resetsAt : 0);
    if (until > this.untilOf(upstream)) this.#until.set(upstream, Math.min(until, now + MAX_BLOCK_MS));
  }

  /** @throws OperationError (RATE_LIMIT_EXCEEDED) while the upstream wants to be left alone */
  check(upstream: string): void {
    // Nearly always empty, and asked for each call.
    if (this.#until.size === 0) return;
    const until = this.untilOf(upstream);
    if (until === 0) return;
    const reset = describeReset(until, this.#now());
    throw new OperationError(
      'RATE_LIMIT_EXCEEDED',
      `API rate limit exceeded: upstream '${upstream}' has asked to be left alone. Try again in ${reset.retry_after_seconds} seconds`,
      { upstream, remaining: 0, ...reset },
    );
  }

  /** Every upstream that is blocked now, and until when. */
  list(): readonly (readonly [upstream: string, until: number])[] {
    return [...this.#until.keys()].map((name) => [name, this.untilOf(name)] as const).filter(([, until]) => until > 0);
  }

  /** When the upstream may be called again, in milliseconds since the epoch; 0 where it may be now. */
  untilOf(upstream: string): number {
    const until = this.#until.get(upstream);
    if (until === undefined || until > this.#now()) return until ?? 0;
    this.#until.delete(upstream);
    return 0;
  }
}
