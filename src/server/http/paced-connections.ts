import type { Socket } from 'node:net';
import { type Turns, turns } from '../../lib/turns.js';

const LANE = 'connections';

/** What is paced of a connection. */
type Connection = Pick<Socket, 'pause' | 'resume' | 'once' | 'destroyed'>;

/**
 * The open connections, which share the turns of the event loop. In one turn Node reads every connection that has sent something, and
 * parses all of it: hundreds that send at once would be one long turn. Where a turn has become long, all connections wait, and two are
 * read again in each turn. One of them is known, which has been read before, or has waited longest; the other is the newest, so
 * that neither old nor new connections wait until a flood of new ones is over.
 */
export class PacedConnections {
  readonly #turns: Turns;
  readonly #read = new Set<Connection>();
  readonly #known = new Set<Connection>();
  readonly #unknown: Connection[] = [];
  #isReleasing = false;

  constructor(shared: Turns = turns) {
    this.#turns = shared;
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
      this.#read.add(connection);
    }
  }

  /** Lets all connections wait for turns of their own. */
  hold(): void {
    for (const connection of this.#read) {
      connection.pause();
      this.#known.add(connection);
    }
    this.#read.clear();
    if (!this.#isReleasing) this.#releaseLater();
  }

  #releaseLater(): void {
    this.#isReleasing = true;
    void this.#turns.next(LANE).then(() => this.#release());
  }

  #release(): void {
    this.#resume(this.#takeKnown() ?? this.#unknown.shift());
    this.#resume(this.#unknown.pop() ?? this.#takeKnown());
    this.#isReleasing = false;
    if (this.#known.size > 0 || this.#unknown.length > 0) this.#releaseLater();
  }

  #takeKnown(): Connection | undefined {
    const [first] = this.#known;
    if (first !== undefined) this.#known.delete(first);
    return first;
  }

  #resume(connection: Connection | undefined): void {
    if (connection === undefined || connection.destroyed) return;
    this.#read.add(connection);
    connection.resume();
  }
}
