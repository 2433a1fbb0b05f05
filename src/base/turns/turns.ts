/** Units of work (about 15 nanoseconds each, twice as long in code that runs for the first time) that one turn of the event loop takes on. */
export const TURN_WORK = 500_000;

/** Milliseconds after which a turn takes on no more, whatever was counted: units are estimates, and machines differ. */
const TURN_MS = 10;

/**
 * For so long the start of a turn is taken from an earlier one: learning of each turn from the event loop costs a call that comes alone as
 * much as several of its stages. A turn may so take up to this much longer.
 */
const UNWATCHED_MS = 5;

/** Milliseconds after which nothing that can wait should be added to a turn. */
const LONG_TURN_MS = 20;

/** The same in units of work. */
const LONG_TURN_WORK = 1_300_000;

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
  #began = Number.NEGATIVE_INFINITY;
  #isArmed = false;
  readonly #waiting = new Lanes();
  readonly #onLong = new Set<() => void>();

  constructor({ perTurn = TURN_WORK, schedule = setImmediate, now = () => performance.now() }: TurnSettings = {}) {
    this.#perTurn = perTurn;
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Notes work that was done in this turn. */
  spend(units: number): void {
    this.#watch();
    this.#spent += units;
    if (this.#spent >= LONG_TURN_WORK) for (const listener of this.#onLong) listener();
  }

  /**
   * Calls the listener where the work that is noted makes a turn long, as often as more is noted: what brings work can wait before it brings
   * more in this turn. Returns a function that removes the listener.
   */
  onLong(listener: () => void): () => void {
    this.#onLong.add(listener);
    return () => this.#onLong.delete(listener);
  }

  /** Whether this turn has taken so long that what has not come yet should not come in it. */
  isLong(): boolean {
    return this.#watch() - this.#began >= LONG_TURN_MS;
  }

  /** Undefined where this turn has room left; otherwise resolves in a turn that has. */
  enter(lane: string): Promise<void> | undefined {
    return this.#hasRoom() ? undefined : this.#wait(lane, false);
  }

  /**
   * The same for what begins beside others of its kind: it resolves when those before it have done what they do at once, as what that takes
   * is not known before.
   */
  enterAfterOthers(lane: string): Promise<void> {
    return this.#wait(lane, false);
  }

  /** Resolves in a later turn, in which no other that waits is resumed. */
  next(lane: string): Promise<void> {
    return this.#wait(lane, true);
  }

  #wait(lane: string, takesTurn: boolean): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.add(lane, { resume, takesTurn });
      this.#arm();
    });
  }

  #hasRoom(): boolean {
    const now = this.#watch();
    return this.#spent < this.#perTurn && now - this.#began < TURN_MS;
  }

  /** Begins to count anew where the turn that was counted last is long over, and learns when this one ends. */
  #watch(): number {
    const now = this.#now();
    if (!this.#isArmed && now - this.#began >= UNWATCHED_MS) {
      this.#began = now;
      this.#spent = 0;
      this.#arm();
    }
    return now;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#schedule(() => this.#begin());
  }

  #begin(): void {
    this.#isArmed = false;
    this.#spent = 0;
    this.#began = this.#now();
    const first = this.#waiting.take();
    if (first === undefined) return;
    this.#arm();
    this.#resume(first);
  }

  /** Resumes one, and when all that it does at once is done and the turn has room left, the next: a turn of its own costs more than a short call. */
  #resume({ resume, takesTurn }: Waiter): void {
    resume();
    if (!takesTurn) afterJobs(() => this.#resumeNext());
  }

  #resumeNext(): void {
    if (!this.#hasRoom() || this.#waiting.takesTurnNext()) return;
    const next = this.#waiting.take();
    if (next !== undefined) this.#resume(next);
  }
}

interface Waiter {
  readonly resume: () => void;
  /** Whether the rest of the turn is its own. */
  readonly takesTurn: boolean;
}

/** Those that wait, by lane: a lane moves to the end when one of its waiters is taken. */
class Lanes {
  readonly #lanes = new Map<string, Waiter[]>();

  add(lane: string, waiter: Waiter): void {
    const waiting = this.#lanes.get(lane);
    if (waiting === undefined) this.#lanes.set(lane, [waiter]);
    else waiting.push(waiter);
  }

  /** Whether the one that is to be taken next wants a turn of its own. */
  takesTurnNext(): boolean {
    const [waiting] = this.#lanes.values();
    return waiting?.[0]?.takesTurn === true;
  }

  take(): Waiter | undefined {
    const [first] = this.#lanes;
    if (first === undefined) return undefined;
    const [lane, waiting] = first;
    this.#lanes.delete(lane);
    const waiter = waiting.shift();
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    return waiter;
  }
}

/** Does something when the jobs that promises have queued, and those that they queue, are done. */
function afterJobs(work: () => void): void {
  // A tick that is asked for in a job comes when no job is left; one that is asked for elsewhere comes before the jobs.
  queueMicrotask(() => process.nextTick(work));
}

/** There is one event loop, so everything in the process shares its turns. */
export const turns = new Turns();

/**
 * Does things at the end of the turn, in the order in which they came. What writes to sockets waits for it: a write wakes the
 * process at the other end, which costs more than the rest of a short call, and of many writes in a row only the first does.
 */
export class TurnEnd {
  readonly #schedule: (work: () => void) => unknown;
  #waiting: (() => void)[] = [];
  #onFaults: ((fault: unknown) => void)[] = [];

  constructor(schedule: (work: () => void) => unknown = setImmediate) {
    this.#schedule = schedule;
  }

  /** @param onFault is given what the work throws, which is the affair of no other work. It does not throw itself. */
  add(work: () => void, onFault: (fault: unknown) => void): void {
    this.#onFaults.push(onFault);
    if (this.#waiting.push(work) === 1) this.#schedule(() => this.#run());
  }

  #run(): void {
    const works = this.#waiting;
    const onFaults = this.#onFaults;
    this.#waiting = [];
    this.#onFaults = [];
    for (const [index, work] of works.entries()) {
      try {
        work();
      } catch (fault) {
        onFaults[index]?.(fault);
      }
    }
  }
}

/** The end of the event loop's present turn. */
const turnEnd = new TurnEnd();

/** Characters up to which a message costs less than waking whom it is for. */
const SHORT_MESSAGE = 16 * 1024;

/**
 * Sends a message: a short one at the end of the turn, a long one at once, so that its reader works on it while the turn goes on; and at
 * once where nothing else is under way that it could be written together with.
 * @param onFault is given what `send` throws, and ends the exchange that the message belongs to
 */
export function sendInTurn(
  { length, isAlone }: { readonly length: number; readonly isAlone: boolean },
  send: () => void,
  onFault: (fault: unknown) => void,
): void {
  if (length <= SHORT_MESSAGE && !isAlone) {
    turnEnd.add(send, onFault);
    return;
  }
  try {
    send();
  } catch (fault) {
    onFault(fault);
  }
}

/** What things come from: it may be asked to wait. */
interface Source {
  pause(): void;
  resume(): void;
}

interface PacedQueueOptions<T> {
  /** Handles one thing; the next one waits for what is a promise. */
  readonly handle: (item: T) => unknown;
  /** Units of work that handling it takes, as far as they can be told before. */
  readonly costOf: (item: T) => number;
  readonly lane: string;
  /** Paused while things wait. */
  readonly source: Source;
  /** Called with what `handle` throws; the next one is handled all the same. */
  readonly onFault: (fault: unknown) => void;
  readonly shared?: Turns;
}

/**
 * Handles things, such as the lines of a stream, in the order in which they come, for as long as the turn has room. The rest
 * waits for turns of its own, and its source with it: a flood of messages that cost little each would hold the event loop
 * for as long as it lasts.
 */
export class PacedQueue<T> {
  readonly #options: PacedQueueOptions<T>;
  readonly #turns: Turns;
  /** What gives the things that wait. */
  #waiting: Iterator<T>[] = [];
  /** How many of those have given all. */
  #given = 0;
  #isBusy = false;
  #whenEmpty: (() => void)[] = [];

  constructor(options: PacedQueueOptions<T>) {
    this.#options = options;
    this.#turns = options.shared ?? turns;
  }

  push(item: T): void {
    this.pushAll([item]);
  }

  /**
   * Each is taken when its turn has come, so that finding it, such as cutting bytes into lines, is done in that turn, too.
   * @param units of work for all of them together, beside what each of them costs
   */
  pushAll(items: Iterable<T>, units = 0): void {
    if (units > 0) this.#turns.spend(units);
    this.#waiting.push(items[Symbol.iterator]());
    if (!this.#isBusy) this.#goOn();
  }

  /** Counts work that was done beside the queue, such as cutting bytes into what was pushed: the source waits for it too. */
  spend(units: number): void {
    this.#turns.spend(units);
    if (!this.#isBusy) this.#goOn();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#given = 0;
  }

  /** Undefined where nothing waits; otherwise resolves when all has been handled. */
  empty(): Promise<void> | undefined {
    return this.#isBusy ? new Promise((resolve) => this.#whenEmpty.push(resolve)) : undefined;
  }

  #goOn(): void {
    const until = this.#handleSome();
    if (until !== undefined) {
      this.#wait(until);
      return;
    }
    this.clear();
    if (!this.#isBusy) return;
    this.#isBusy = false;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
    this.#options.source.resume();
  }

  /** Handles what waits; gives what the rest has to wait for. */
  #handleSome(): Promise<unknown> | undefined {
    const { handle, costOf, lane, onFault } = this.#options;
    for (;;) {
      const room = this.#turns.enter(lane);
      if (room !== undefined) return room;
      try {
        const next = this.#take();
        if (next === undefined) return undefined;
        this.#turns.spend(costOf(next.value));
        const handling = handle(next.value);
        if (handling instanceof Promise) return handling;
      } catch (fault) {
        onFault(fault);
      }
    }
  }

  #take(): IteratorYieldResult<T> | undefined {
    for (;;) {
      const next = this.#waiting[this.#given]?.next();
      if (next?.done !== true) return next;
      this.#given += 1;
    }
  }

  #wait(until: Promise<unknown>): void {
    if (!this.#isBusy) this.#options.source.pause();
    this.#isBusy = true;
    until.catch(this.#options.onFault).finally(() => this.#goOn());
  }
}
