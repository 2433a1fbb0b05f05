import { type Turns, turns } from '../../lib/turns.js';

/** Messages that are read in one turn of the event loop, beside answers to calls: some milliseconds. */
const MESSAGES_PER_TURN = 300;

const LANE = 'messages';

/** What messages come from: a pipe, or the body of a response. */
interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Bounds how many messages of one stream are read in one turn. A pipe hands over megabytes in a turn, and a server that sends
 * notifications without end would keep calls of others waiting. The rest waits in the pipe, so that the server has to wait.
 */
export class MessagePace {
  #read = 0;

  constructor(private readonly shared: Pick<Turns, 'next'> = turns) {}

  /** Notes that a message was read. */
  note(): void {
    this.#read += 1;
  }

  /** Pauses the stream for a turn where so many messages came of it; to be asked after each chunk. */
  keep(stream: Pausable): void {
    if (this.#read < MESSAGES_PER_TURN) return;
    this.#read = 0;
    stream.pause();
    void this.shared.next(LANE).then(() => stream.resume());
  }
}
