import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { JsonObject } from '../../base/json/json.js';
import { refuseOnFailure } from '../../store/fail-closed.js';
import type { StateStore, StoredRecord } from '../../store/state-store.js';
import { type DetailsSealer, type Execution, isEnded, readExecution, writeExecution } from './execution.js';

interface SharedDeps {
  readonly store: StateStore;
  /** For how long the store has worked without a fault, in milliseconds. */
  readonly storeWorksForMs: () => number;
  /** How long one is kept after its end. */
  readonly keptMs: number;
  /** Of the configuration's key; what errors come with is kept as it is where absent. */
  readonly sealer?: DetailsSealer | undefined;
  /** Called when the store did not take something; the execution itself is not concerned. */
  readonly onStoreFault: (cause: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What other gateways ask of the executions of this one. */
interface ExecutionRequests {
  cancel(id: string, reason: string): void;
  endSession(sessionId: string): void;
  /** One whose gateway is gone was given an end. */
  lost(execution: Execution): void;
}

/** How often progress is written and others' requests are read, while something runs. */
const LOOK_MS = 1_000;

/** The record of one that runs outlives its gateway for so long at most. */
const RUNNING_KEPT_MS = 30 * 86_400_000;

/** How long a request to cancel waits for the gateway that runs the execution. */
const REQUEST_KEPT_MS = 60_000;

/** Between the key of a request and what it is about. */
const SESSION = 'session ';

/**
 * The executions of all gateways of one store. Each writes its own: what runs with its newest progress, what has ended for good. The others
 * read them, ask for their end, and give one whose gateway is gone its end.
 */
export class SharedExecutions {
  readonly #deps: SharedDeps;
  readonly #holder: Holder;
  /** The newest state of each that is to be written. */
  readonly #unwritten = new Map<string, Execution>();
  readonly #writing = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Execution>();
  #requests: ExecutionRequests | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastBeat = Number.NEGATIVE_INFINITY;
  #looking = Promise.resolve();

  constructor(deps: SharedDeps) {
    this.#deps = deps;
    this.#holder = new Holder(deps);
  }

  /** Takes what other gateways ask from now on, and gives those an end that a killed gateway has left. */
  async open(requests: ExecutionRequests): Promise<void> {
    this.#requests = requests;
    await this.#attempt(() => this.#all());
  }

  /** Notes a state of one that this gateway runs. Changes of its status are written at once, its progress once in a while. */
  note(execution: Execution, before: Execution | undefined): void {
    const { id, status } = execution;
    if (isEnded(status)) this.#running.delete(id);
    else this.#running.set(id, execution);
    this.#unwritten.set(id, execution);
    if (status !== before?.status) this.#write(id);
    this.#setTimer();
  }

  /** Resolves when others find the newest state. */
  async written(id: string): Promise<void> {
    await this.#writing.get(id);
  }

  forget(id: string): void {
    this.#queue(id, async () => void (await this.#deps.store.remove('execution', id)));
  }

  /** Undefined where no gateway knows it. What callers wait for is refused whole while the store cannot be reached. */
  find(id: string): Promise<Execution | undefined> {
    return refuseOnFailure(this.#find(id));
  }

  async #find(id: string): Promise<Execution | undefined> {
    const { store } = this.#deps;
    // What ends between the two has its end by then.
    const running = await store.get('running_execution', id);
    const ended = await store.get('execution', id);
    if (ended !== undefined) return this.#read(id, ended.value);
    return running === undefined ? undefined : this.#settle(running);
  }

  all(): Promise<readonly Execution[]> {
    return refuseOnFailure(this.#all());
  }

  async #all(): Promise<readonly Execution[]> {
    const { store } = this.#deps;
    const running = await store.list('running_execution');
    const ended = await store.list('execution');
    const known = new Map(ended.map(({ key, value }) => [key, this.#read(key, value)]));
    for (const record of running) {
      if (!known.has(record.key)) known.set(record.key, await this.#settle(record));
    }
    return [...known.values()].flatMap((execution) => execution ?? []);
  }

  /** Those of other gateways that run. */
  runningElsewhere(): Promise<readonly Execution[]> {
    return refuseOnFailure(this.#runningElsewhere());
  }

  async #runningElsewhere(): Promise<readonly Execution[]> {
    const records = await this.#deps.store.list('running_execution');
    const others = records.filter(({ value }) => value['holder'] !== this.#holder.id);
    const found = await Promise.all(others.map((record) => this.#settle(record)));
    return found.flatMap((execution) => execution ?? []).filter(({ status }) => !isEnded(status));
  }

  /** Asks the gateway that runs it to cancel it. */
  async askToCancel(id: string, reason: string): Promise<void> {
    const expiresAt = this.#deps.now() + REQUEST_KEPT_MS;
    await refuseOnFailure(this.#deps.store.insert('execution_request', id, { reason }, { expiresAt }));
  }

  /** Asks all other gateways to cancel what a session has begun there. */
  askToEndSession(sessionId: string): void {
    const expiresAt = this.#deps.now() + REQUEST_KEPT_MS;
    const key = `${SESSION}${sessionId}`;
    void this.#attempt(() => this.#deps.store.insert('execution_request', key, {}, { expiresAt }));
  }

  /** Resolves when all states are written. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#looking, ...this.#writing.values()]);
  }

  /** One that runs as its gateway left it; with an end where that gateway is gone. */
  async #settle({ key, value }: StoredRecord): Promise<Execution | undefined> {
    const { store, now } = this.#deps;
    const execution = this.#read(key, value);
    const { holder } = value;
    if (execution === undefined || (typeof holder === 'string' && (await this.#holder.isAlive(holder))))
      return execution;
    const lost = loseExecution(execution, now());
    const isFirst = await this.#insertEnd(lost);
    await store.remove('running_execution', key);
    if (isFirst) {
      this.#requests?.lost(lost);
      return lost;
    }
    const ended = await store.get('execution', key);
    return ended === undefined ? lost : this.#read(key, ended.value);
  }

  #read(id: string, value: JsonObject): Execution | undefined {
    return readExecution(id, value, this.#deps.sealer);
  }

  #insertEnd(execution: Execution): Promise<boolean> {
    const { store, keptMs, now } = this.#deps;
    const options = { expiresAt: now() + keptMs, tag: execution.owner };
    return store.insert('execution', execution.id, writeExecution(execution, this.#deps.sealer), options);
  }

  #write(id: string): void {
    this.#queue(id, async () => {
      const execution = this.#unwritten.get(id);
      if (execution === undefined) return;
      this.#unwritten.delete(id);
      try {
        await this.#writeState(execution);
      } catch (fault) {
        // It is written at a later look, unless there is a newer state by then.
        if (!this.#unwritten.has(id)) this.#unwritten.set(id, execution);
        throw fault;
      }
    });
  }

  async #writeState(execution: Execution): Promise<void> {
    if (!isEnded(execution.status)) return this.#writeRunning(execution);
    await this.#insertEnd(execution);
    await this.#deps.store.remove('running_execution', execution.id);
  }

  async #writeRunning(execution: Execution): Promise<void> {
    const { store, now } = this.#deps;
    const { id } = execution;
    const value = { ...writeExecution(execution, this.#deps.sealer), holder: this.#holder.id };
    // Others take one for lost whose gateway has not said that it lives.
    await this.#beat();
    const record = await store.get('running_execution', id);
    if (record !== undefined) {
      await store.replace('running_execution', id, record.version, value);
      return;
    }
    await store.insert('running_execution', id, value, { expiresAt: now() + RUNNING_KEPT_MS, tag: execution.owner });
    // One that has failed, and runs again.
    await store.remove('execution', id);
  }

  /** One piece of work about an execution after the other; those that begin in the same turn see the newest state. */
  #queue(id: string, work: () => Promise<void>): void {
    const written = (this.#writing.get(id) ?? Promise.resolve())
      .then(() => this.#attempt(work))
      .then(() => {
        if (this.#writing.get(id) === written) this.#writing.delete(id);
      });
    this.#writing.set(id, written);
  }

  #setTimer(): void {
    if (this.#running.size + this.#unwritten.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setInterval(() => {
      this.#looking = this.#looking.then(() => this.#attempt(() => this.#look()));
    }, LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    this.#setTimer();
    await this.#beat();
    for (const id of this.#unwritten.keys()) this.#write(id);
    for (const { key, value } of await this.#deps.store.list('execution_request')) {
      if (key.startsWith(SESSION)) this.#requests?.endSession(key.slice(SESSION.length));
      else if (this.#running.has(key)) {
        this.#requests?.cancel(key, String(value['reason']));
        await this.#deps.store.remove('execution_request', key);
      }
    }
  }

  async #beat(): Promise<void> {
    const moment = this.#deps.now();
    if (moment - this.#lastBeat < BEAT_MS && moment >= this.#lastBeat) return;
    await this.#holder.beat();
    this.#lastBeat = moment;
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#deps.onStoreFault(cause);
    }
  }
}

/** What had begun may have happened or not. What was pending has not. */
function loseExecution(execution: Execution, finishedAt: number): Execution {
  const ended = { ...execution, finishedAt, supportsRetry: false };
  if (execution.status === 'pending') return { ...ended, status: 'cancelled' };
  const message =
    'Its gateway ended before it. Whether the server has done it is not known. Look before you call it again';
  return {
    ...ended,
    status: 'failed',
    error: { code: 'INTERNAL_ERROR', message, details: { reason: 'gateway_ended' } },
  };
}

/** How often a gateway says that it lives, while it runs something. */
const BEAT_MS = 5_000;

/** Beats that may be missing before a gateway counts as gone: a busy one is late, and clocks differ. */
const MISSED = 2;

/** With the present one, and the next one of a clock that is ahead. */
const KEPT_SLOTS = MISSED + 2;

/** What stands between the parts of a holder's name. */
const SEPARATOR = ' ';

/** This process, which a later one with its number is not. */
const PROCESS = randomBytes(9).toString('base64url');

interface HolderDeps {
  readonly store: Pick<StateStore, 'increment' | 'count'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For how long the store has worked without a fault, in milliseconds. */
  readonly storeWorksForMs: () => number;
}

/** The gateway that runs executions, as the others of its store know it. */
class Holder {
  readonly id: string;
  readonly #store: Pick<StateStore, 'increment' | 'count'>;
  readonly #machine = nameMachine();
  readonly #now: () => number;
  readonly #storeWorksForMs: () => number;

  constructor({ store, now, storeWorksForMs }: HolderDeps) {
    this.#store = store;
    this.#now = now;
    this.#storeWorksForMs = storeWorksForMs;
    this.id = [this.#machine, process.pid, PROCESS, randomBytes(9).toString('base64url')].join(SEPARATOR);
  }

  /** Says that this gateway lives. */
  async beat(): Promise<void> {
    const slot = this.#slot();
    const expiresAt = (slot + KEPT_SLOTS) * BEAT_MS;
    await this.#store.increment([{ counter: counterOf(this.id, slot), by: 1, expiresAt }]);
  }

  /** Whether the gateway of this name still runs. Of a process of this machine that is seen at once, of others by what they say of themselves. */
  async isAlive(id: string): Promise<boolean> {
    if (id === this.id) return true;
    const [machine, pid, run] = id.split(SEPARATOR);
    if (machine === this.#machine && run !== PROCESS && !isRunning(Number(pid))) return false;
    const slot = this.#slot();
    const slots = Array.from({ length: KEPT_SLOTS }, (_, index) => slot + 1 - index);
    const beats = await Promise.all(slots.map((each) => this.#store.count(counterOf(id, each))));
    // While the store was away, nobody could say anything.
    return beats.some((count) => count > 0) || this.#storeWorksForMs() < slots.length * BEAT_MS;
  }

  #slot(): number {
    return Math.floor(this.#now() / BEAT_MS);
  }
}

function counterOf(id: string, slot: number): string {
  return `holder/${id}/${slot}`;
}

/** The machine, with its space of process ids: containers of one machine may share its name, and not its processes. */
function nameMachine(): string {
  try {
    return `${hostname()}:${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether another process has this number. This process's own was that of one before it. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
