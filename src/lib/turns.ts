/** Units of work (about 15 nanoseconds each, twice as long in code that runs for the first time) that one turn of the event loop takes on. */
export const TURN_WORK = 500_000;

/** Milliseconds after which a turn takes on no more, whatever was counted: units are estimates, and machines differ. */
const TURN_MS = 10;

interface TurnSettings {
  readonly perTurn?: number;
  readonly schedule?: (work: () => void) => unknown;
  /** The milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Shares the turns of the event loop. Work that is counted is bounded for each call; many calls at once, or the items of one
 * batch, would still add up in one turn, in which nothing else is answered. So what begins counted work asks for room, and
 * where this turn has none left, by what was counted or by the time it has taken, it waits for one of its own. Those that wait
 * have lanes, such as a session each, which take turns: a thousand requests in one lane do not make the one in another wait for
 * all of them.
 */
export class Turns {
  readonly #perTurn: number;
  readonly #schedule: (work: () => void) => unknown;
  readonly #now: () => number;
  #spent = 0;
  #began = 0;
  #isArmed = false;
  /** A lane moves to the end when one of its waiters has had its turn. */
  readonly #lanes = new Map<string, (() => void)[]>();

  constructor({ perTurn = TURN_WORK, schedule = setImmediate, now = () => performance.now() }: TurnSettings = {}) {
    this.#perTurn = perTurn;
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Notes work that was done in this turn. */
  spend(units: number): void {
    this.#arm();
    this.#spent += units;
  }

  /** Undefined where this turn has room left; otherwise resolves in a turn that has. */
  enter(lane: string): Promise<void> | undefined {
    this.#arm();
    const hasRoom = this.#spent < this.#perTurn && this.#now() - this.#began < TURN_MS;
    return hasRoom ? undefined : this.next(lane);
  }

  /** Resolves in a later turn, in which no other that waits is resumed. */
  next(lane: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#lanes.get(lane);
      if (waiting === undefined) this.#lanes.set(lane, [resolve]);
      else waiting.push(resolve);
      this.#arm();
    });
  }

  /** A turn lasts from here, or from the turn before it where one follows, until the loop has got round to the timers and sockets. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#began = this.#now();
    this.#schedule(() => this.#begin());
  }

  #begin(): void {
    this.#isArmed = false;
    this.#spent = 0;
    const [first] = this.#lanes;
    if (first === undefined) return;
    const [lane, waiting] = first;
    this.#lanes.delete(lane);
    const resume = waiting.shift();
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    this.#arm();
    resume?.();
  }
}

/** There is one event loop, so everything in the process shares its turns. */
export const turns = new Turns();
