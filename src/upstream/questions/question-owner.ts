import type { AskChannel } from '../../protocol/ask.js';

/** A call as far as it matters for whose a question is. */
export interface OwnedCall {
  readonly ask: AskChannel | undefined;
}

/** More calls than this that ended without an answer are not told apart. */
const MAX_ABANDONED = 1_000;

interface Abandoned {
  readonly session: string | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
}

/**
 * The calls of a connection that ended here without an answer: cancelled, or timed out. Their server may still run them, and ask in
 * the middle of it.
 */
export class AbandonedCalls {
  readonly #calls = new Map<number, Abandoned>();

  add(id: number, ask: AskChannel | undefined, until: number): void {
    const abandoned = { session: ask?.caller.sessionId, until };
    if (this.#calls.size < MAX_ABANDONED) this.#calls.set(id, abandoned);
    // One entry that belongs to no session stands for all that are not kept.
    else this.#calls.set(-1, { session: undefined, until: Math.max(until, this.#calls.get(-1)?.until ?? 0) });
  }

  /** Its answer has come after all: the server is done with it. */
  answered(id: number): void {
    this.#calls.delete(id);
  }

  /** The sessions of those that may still run. */
  sessions(now: number): readonly (string | undefined)[] {
    for (const [id, { until }] of this.#calls) if (until <= now) this.#calls.delete(id);
    return [...this.#calls.values()].map(({ session }) => session);
  }
}

/**
 * The call that a server's question belongs to, where the question itself does not say: the only call in flight, or one of several
 * that all belong to one session. Undefined where that is not certain, so that no question ever reaches another session.
 * @param calls those in flight
 * @param abandoned the sessions of calls that may still run though nothing waits for them
 */
export function ownerOf<Call extends OwnedCall>(
  calls: readonly Call[],
  abandoned: readonly (string | undefined)[],
): Call | undefined {
  const [only] = calls;
  if (calls.length === 1 && abandoned.length === 0) return only;
  const session = only?.ask?.caller.sessionId;
  if (session === undefined || !abandoned.every((each) => each === session)) return undefined;
  return calls.every(({ ask }) => ask?.caller.sessionId === session) ? calls.at(-1) : undefined;
}
