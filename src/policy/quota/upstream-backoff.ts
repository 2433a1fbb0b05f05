import type { AnnouncedLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import { describeReset } from './budget.js';

/** The longest window of an upstream's limit, and so the longest block: a wrong value or clock must not block for longer. */
const MAX_BLOCK_MS = 86_400_000;

/** Upstreams that asked for a pause, and until when. Per process: each gateway learns it from its own answers. */
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

  /** @throws OperationError (RATE_LIMIT_EXCEEDED) while the upstream is blocked */
  check(upstream: string): void {
    // Fast path: this runs for each call, and the map is nearly always empty.
    if (this.#until.size === 0) return;
    const until = this.untilOf(upstream);
    if (until === 0) return;
    const reset = describeReset(until, this.#now());
    throw new OperationError(
      'RATE_LIMIT_EXCEEDED',
      `API rate limit exceeded: upstream '${upstream}' has asked for a pause. Try again in ${reset.retry_after_seconds} seconds`,
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
