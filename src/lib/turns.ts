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

/** Work that stops again and again, so that its runner can let other calls run in between. */
export type Sliced<T> = Generator<void, T, void>;

/** Runs all of the work at once: where it is little, or nobody waits. */
export function runAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Milliseconds that a slice of small steps takes, where no step of it takes longer. */
const SLICE_MS = 8;

/**
 * The same work with a stop only where it has gone on for some milliseconds. So work of many items stops after each of them,
 * whatever it costs, and slices are neither long nor many.
 */
export function* inTime<T>(work: Sliced<T>, now: () => number = () => performance.now()): Sliced<T> {
  for (let end = now() + SLICE_MS; ; ) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (now() < end) continue;
    yield;
    end = now() + SLICE_MS;
  }
}

/** Does something with each item, and stops after each. */
export function* mapInSteps<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Result,
): Sliced<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(work(item, results.length));
    yield;
  }
  return results;
}

/** Items that are sorted in one step. */
const SORTED_AT_ONCE = 500;

/** Sorts into a new list; equal items keep their order. Stops after some hundred comparisons. */
export function* sortInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Sliced<Item[]> {
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += SORTED_AT_ONCE) {
    runs.push(items.slice(from, from + SORTED_AT_ONCE).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInSteps(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSteps<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Sliced<Item[]> {
  const merged: Item[] = [];
  let taken = 0;
  for (const item of right) {
    for (let next = left[taken]; next !== undefined && compare(next, item) <= 0; next = left[taken]) {
      merged.push(next);
      taken += 1;
    }
    merged.push(item);
    if (merged.length % SORTED_AT_ONCE === 0) yield;
  }
  for (const item of left.slice(taken)) merged.push(item);
  return merged;
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
