/** Units of work (about 15 nanoseconds each) that one turn of the event loop takes on: about 15 milliseconds. */
export const TURN_WORK = 1_000_000;

/**
 * Shares the turns of the event loop. Work that is counted is bounded for each call; many calls at once, or the items of one
 * batch, would still add up in one turn, in which nothing else is answered. So what begins counted work asks for room, and
 * where this turn has none left it waits for one of its own. Those that wait have lanes, such as a session each, which take
 * turns: a thousand requests in one lane do not make the one in another wait for all of them.
 */
export class Turns {
  #spent = 0;
  #isArmed = false;
  /** A lane moves to the end when one of its waiters has had its turn. */
  readonly #lanes = new Map<string, (() => void)[]>();

  constructor(
    private readonly perTurn = TURN_WORK,
    private readonly schedule: (work: () => void) => unknown = setImmediate,
  ) {}

  /** Notes work that was done in this turn. */
  spend(units: number): void {
    this.#spent += units;
    this.#arm();
  }

  /** Undefined where this turn has room left; otherwise resolves in a turn that has. */
  enter(lane: string): Promise<void> | undefined {
    return this.#spent < this.perTurn ? undefined : this.next(lane);
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

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.schedule(() => this.#begin());
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
    if (this.#lanes.size > 0) this.#arm();
    resume?.();
  }
}

/** There is one event loop, so everything in the process shares its turns. */
export const turns = new Turns();

/** Work that stops again and again, so that its runner can let other calls run in between. */
export type Sliced<T> = Generator<void, T, void>;

/** Runs all of the work at once: where it is little, or nobody waits. */
export function runAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the work slice by slice; other calls run after each. @param pause ends when the next slice may begin */
export async function runInSlices<T>(
  work: Sliced<T>,
  pause: () => Promise<unknown> = () => turns.next('sliced'),
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/**
 * The same for work that seldom stops: a value at once where it did not, a promise of it where it did. Each slice counts as
 * the work of a whole turn.
 */
export function runInTurns<T>(work: Sliced<T>, lane: string, shared: Turns = turns): T | Promise<T> {
  const step = work.next();
  if (step.done === true) return step.value;
  shared.spend(TURN_WORK);
  const pause = (): Promise<void> => shared.next(lane).then(() => shared.spend(TURN_WORK));
  return pause().then(() => runInSlices(work, pause));
}
