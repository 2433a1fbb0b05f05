import type { AskChannel } from '../../base/protocol/ask.js';

/** A call as far as it matters for whose a question is. */
interface OwnedCall {
  readonly ask: AskChannel | undefined;
}

/** More calls than this that ended without an answer are not told apart. */
const MAX_ABANDONED = 1_000;

/**
 * How long a call that was cancelled or timed out may still ask. A server reads the cancellation in its turn and then ends the call; one
 * that shows that it does not is never trusted with less than the longest time of a call again.
 */
const GRACE_MS = 10_000;

interface Abandoned {
  readonly session: string | undefined;
  /** Milliseconds of the monotonic clock: until when it may ask where the server heeds cancellations, and where it does not. */
  readonly graceEnds: number;
  readonly ends: number;
}

/** When a call was given up, in milliseconds of the monotonic clock, and how long it could have taken. */
interface GivenUp {
  readonly now: number;
  readonly maxMs: number;
}

/**
 * The calls of a connection that ended here without an answer: cancelled, or timed out. Their server may still run them, and ask in
 * the middle of it.
 */
export class AbandonedCalls {
  readonly #calls = new Map<number, Abandoned>();
  /** The server has gone on with a call that it knew to be cancelled. */
  #goesOn = false;

  add(id: number, ask: AskChannel | undefined, { now, maxMs }: GivenUp): void {
    const abandoned = {
      session: ask?.caller.sessionId,
      graceEnds: now + Math.min(GRACE_MS, maxMs),
      ends: now + maxMs,
    };
    if (this.#calls.size < MAX_ABANDONED) {
      this.#calls.set(id, abandoned);
      return;
    }
    // One entry that belongs to no session stands for all that are not kept.
    const { graceEnds = 0, ends = 0 } = this.#calls.get(-1) ?? {};
    this.#calls.set(-1, {
      session: undefined,
      graceEnds: Math.max(abandoned.graceEnds, graceEnds),
      ends: Math.max(abandoned.ends, ends),
    });
  }

  /** Its answer has come after all: the server is done with it. */
  answered(id: number, now: number): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call !== undefined && call.graceEnds <= now) this.#goesOn = true;
  }

  /** The server has asked while no call was in flight: one of these goes on. */
  asked(): void {
    if (this.#calls.size > 0) this.#goesOn = true;
  }

  /** The sessions of those that may still ask. */
  sessions(now: number): readonly (string | undefined)[] {
    const found: (string | undefined)[] = [];
    for (const [id, { session, graceEnds, ends }] of this.#calls) {
      if (ends <= now) this.#calls.delete(id);
      else if (this.#goesOn || graceEnds > now) found.push(session);
    }
    return found;
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
