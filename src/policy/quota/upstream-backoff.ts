import type { Owner, Whose } from '../../base/lib/owned-map.js';
import type { AnnouncedLimits } from '../../base/protocol/limits.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { describeReset } from './budget.js';

/** The longest that calls are held back for one answer: a slip or a wrong clock of a server must not shut callers out. */
const MAX_BLOCK_MS = 300_000;
/** Once in this time a held call is let through, to see whether the server takes calls again. */
const PROBE_MS = 60_000;
/** How long the others wait for what becomes of such a call. */
const PROBE_ANSWER_MS = 5_000;

type Held = Pick<Operation, 'upstream' | 'tool' | 'classification'>;

/** Calls of a server, or of one of its tools, that are held back. */
interface Block extends Whose {
  /** Absent where it is the whole server. */
  readonly tool: string | undefined;
  /** The server is unavailable, which is no rate limit: its reads are held back alone. */
  readonly outage: boolean;
  readonly until: number;
  readonly probeAt: number;
}

/** Which servers have asked to wait, and until when. In this process alone: each gateway is told by itself. */
export class AnnouncedBlocks {
  readonly #now: () => number;
  readonly #blocks = new Map<string, Block>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param whose of whose account the server has said it @param tool the tool whose call was answered so */
  note(whose: Whose, limits: AnnouncedLimits, tool?: string): void {
    const now = this.#now();
    const { retryAfterSeconds = 0, remaining, resetsAt = 0, status } = limits;
    const until = Math.min(
      Math.max(now + retryAfterSeconds * 1_000, remaining === 0 ? resetsAt : 0),
      now + MAX_BLOCK_MS,
    );
    if (until <= now) return;
    const outage = status === 503;
    const ofTool = status === 429 && tool !== undefined && !this.#holdsAnotherTool(whose, tool) ? tool : undefined;
    this.#extend({ ...whose, tool: ofTool, outage, until, probeAt: now + PROBE_MS });
  }

  /** A server that refuses a second tool means all of them. */
  #holdsAnotherTool(whose: Whose, tool: string): boolean {
    return this.#current().some((block) => isOf(block, whose) && !block.outage && block.tool !== tool);
  }

  #extend(block: Block): void {
    const key = keyOf(block);
    const before = this.#blocks.get(key);
    if (before === undefined || block.until > before.until) this.#blocks.set(key, block);
  }

  /**
   * @throws OperationError (RATE_LIMIT_EXCEEDED, or INTERNAL_ERROR where the server is unavailable) while the call is held
   * back
   * @param accountOf whose account a call of an upstream uses; asked where something is held back
   */
  check(operation: Held, accountOf: (upstream: string) => Owner): void {
    // Nearly always empty, and asked for each call.
    if (this.#blocks.size === 0) return;
    const now = this.#now();
    const block = this.#current()
      .filter((each) => holds(each, operation, accountOf(operation.upstream)))
      .reduce<Block | undefined>(
        (last, each) => (last === undefined || each.until > last.until ? each : last),
        undefined,
      );
    if (block === undefined) return;
    if (block.probeAt > now) throw block.outage ? unavailable(block, now) : rateLimited(block, now);
    const until = Math.min(block.until, now + PROBE_ANSWER_MS);
    this.#blocks.set(keyOf(block), { ...block, until, probeAt: now + PROBE_MS });
  }

  /** What is held back now of a caller's calls, and until when. @param accountOf whose account they use */
  list(accountOf: (upstream: string) => Owner): readonly (readonly [name: string, until: number])[] {
    const own = this.#current().filter(({ upstream, owner }) => owner === accountOf(upstream));
    return own.map(({ upstream, tool, until }) => [tool === undefined ? upstream : `${upstream}:${tool}`, until]);
  }

  #current(): readonly Block[] {
    const now = this.#now();
    for (const [key, { until }] of this.#blocks) if (until <= now) this.#blocks.delete(key);
    return [...this.#blocks.values()];
  }
}

function keyOf({ upstream, owner, tool, outage }: Block): string {
  return JSON.stringify([upstream, owner ?? null, tool ?? null, outage]);
}

function isOf(block: Block, { upstream, owner }: Whose): boolean {
  return block.upstream === upstream && block.owner === owner;
}

function holds(block: Block, { upstream, tool, classification }: Held, owner: Owner): boolean {
  if (!isOf(block, { upstream, owner }) || (block.tool !== undefined && block.tool !== tool)) return false;
  return !block.outage || classification.category === 'READ';
}

function rateLimited({ upstream, tool, until }: Block, now: number): OperationError {
  const reset = describeReset(until, now);
  const what = tool === undefined ? `upstream '${upstream}'` : `upstream '${upstream}', for its tool '${tool}',`;
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `API rate limit exceeded: ${what} has asked callers to wait. Try again in ${reset.retry_after_seconds} seconds`,
    { upstream, ...(tool === undefined ? {} : { tool }), remaining: 0, ...reset },
  );
}

function unavailable({ upstream, until }: Block, now: number): OperationError {
  const { retry_after_seconds: seconds } = describeReset(until, now);
  return new OperationError(
    'INTERNAL_ERROR',
    `The server '${upstream}' has said that it is unavailable for a while. The call did not run: send it again in ${seconds} seconds`,
    { upstream, reason: 'unavailable', retryable: true, outcome: 'not_run', retry_after_seconds: seconds },
  );
}
