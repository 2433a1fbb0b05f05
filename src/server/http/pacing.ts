import type { Socket } from 'node:net';
import { type Turns, turns } from '../../base/turns/turns.js';

const LANE = 'connections';

/** Connections that are read in the first turn after a long one: a read of chunks of a byte is some 20 ms of work. */
const FEWEST_AT_ONCE = 1;

/** Milliseconds: after a turn that took less, twice as many connections are read in the next. */
const SHORT_TURN_MS = 5;

/** What is paced of a connection. */
type Connection = Pick<Socket, 'pause' | 'resume' | 'once' | 'destroyed' | 'bytesRead'>;

/**
 * The open connections, which share the turns of the event loop. In one turn Node reads every connection that has sent something, and
 * parses all of it: hundreds that send at once would be one long turn. Where a turn has become long, all connections wait, and one is
 * read again in the next turn, and twice as many after each turn that was short. Every other one is known, which has sent something before, or
 * has waited longest; the others are the newest, so that neither old nor new connections wait until a flood of new ones is over.
 */
export class PacedConnections {
  /** Leaves the turns alone: to be called when no connection comes any more. */
  readonly end: () => void;
  readonly #turns: Turns;
  readonly #now: () => number;
  /** Those that are read, with whether they have waited before. */
  readonly #read = new Map<Connection, boolean>();
  readonly #known = new Set<Connection>();
  readonly #unknown: Connection[] = [];
  #isReleasing = false;
  #isKnownNext = true;
  #atOnce = FEWEST_AT_ONCE;
  #releasedAt = Number.NEGATIVE_INFINITY;

  /** @param now the milliseconds of a monotonic clock */
  constructor(shared: Turns = turns, now: () => number = () => performance.now()) {
    this.#turns = shared;
    this.#now = now;
    this.end = shared.onLong(() => this.hold());
  }

  opened(connection: Connection): void {
    connection.once('close', () => {
      this.#read.delete(connection);
      this.#known.delete(connection);
    });
    if (this.#isReleasing) {
      connection.pause();
      this.#unknown.push(connection);
    } else {
      this.#read.set(connection, false);
    }
  }

  /** Lets all connections wait for turns of their own. */
  hold(): void {
    for (const [connection, wasResumed] of this.#read) {
      connection.pause();
      if (wasResumed || connection.bytesRead > 0) this.#known.add(connection);
      else this.#unknown.push(connection);
    }
    this.#read.clear();
    if (!this.#isReleasing) this.#releaseLater();
  }

  #releaseLater(): void {
    this.#isReleasing = true;
    void this.#turns.next(LANE).then(() => this.#release());
  }

  #release(): void {
    const now = this.#now();
    this.#atOnce = now - this.#releasedAt < SHORT_TURN_MS ? 2 * this.#atOnce : FEWEST_AT_ONCE;
    this.#releasedAt = now;
    for (let left = this.#atOnce; left > 0 && this.#areWaiting(); left -= 1) {
      const next = this.#isKnownNext
        ? (this.#takeKnown() ?? this.#unknown.shift())
        : (this.#unknown.pop() ?? this.#takeKnown());
      this.#isKnownNext = !this.#isKnownNext;
      this.#resume(next);
    }
    this.#isReleasing = false;
    if (this.#areWaiting()) this.#releaseLater();
  }

  #areWaiting(): boolean {
    return this.#known.size > 0 || this.#unknown.length > 0;
  }

  #takeKnown(): Connection | undefined {
    const [first] = this.#known;
    if (first !== undefined) this.#known.delete(first);
    return first;
  }

  #resume(connection: Connection | undefined): void {
    if (connection === undefined || connection.destroyed) return;
    this.#read.set(connection, true);
    connection.resume();
  }
}
