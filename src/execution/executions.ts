import { randomBytes } from 'node:crypto';
import type { Caller } from '../protocol/caller.js';
import type { Cancellation } from '../protocol/cancellation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { StateStore } from '../store/state-store.js';
import {
  type Execution,
  type ExecutionError,
  type ExecutionKind,
  type ExecutionProgress,
  type KeptResult,
  readExecution,
  writeExecution,
} from './execution.js';
import { type ExecutionStatus, isEnded, requireTransition } from './status.js';

interface ExecutionBounds {
  /** Executions of one owner, those that are kept after their end included. */
  readonly perOwner: number;
  readonly all: number;
  /** How long one is kept after its end. */
  readonly keptMs: number;
}

interface ExecutionsDeps {
  readonly bounds: ExecutionBounds;
  readonly store: Pick<StateStore, 'insert' | 'get' | 'remove' | 'list'>;
  /** Whose a caller's executions are. */
  readonly ownerOf: (caller: Caller) => string;
  /** Called when an end could not be kept; the execution itself is not concerned. */
  readonly onStoreFault: (cause: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What begins. */
interface Beginning {
  readonly kind: ExecutionKind;
  /** The operation's qualified name, or the agent's name. */
  readonly subject: string;
  readonly work?: ExecutionWork;
}

/** What runs, as far as the registry reaches it. */
interface ExecutionWork {
  /** Ends it; called when the execution is cancelled. */
  readonly cancel?: (reason: string) => void;
  /** Runs it again after it has failed; absent where that is not safe. */
  readonly retry?: () => void;
}

/** What a change says beside the new state. */
interface ChangeDetails {
  readonly progress?: ExecutionProgress;
  readonly error?: ExecutionError;
  readonly result?: KeptResult;
  /** Where it has run before it became an execution. */
  readonly startedAt?: number;
}

export type ExecutionListener = (execution: Execution, before: Execution | undefined) => void;

/**
 * The executions of all callers. A caller sees its own alone; another's is not found. Those that run belong to a session and end with
 * it. What has ended is kept for a while, also over a restart where the store is.
 */
export class Executions {
  readonly #deps: ExecutionsDeps;
  readonly #now: () => number;
  readonly #known = new Map<string, Execution>();
  readonly #work = new Map<string, ExecutionWork>();
  readonly #listeners = new Set<ExecutionListener>();
  /** What is written to the store for each execution, one after the other. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(deps: ExecutionsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Reads what an earlier process has kept. */
  async restore(): Promise<void> {
    for (const { key, value } of await this.#deps.store.list('execution')) {
      const execution = readExecution(key, value);
      if (execution !== undefined) this.#known.set(key, execution);
    }
  }

  /** A new execution, which is pending. Throws where its caller, or all together, have too many that have not ended. */
  begin(caller: Caller, { kind, subject, work }: Beginning): Execution {
    const owner = this.#deps.ownerOf(caller);
    this.#makeRoom(owner);
    const execution: Execution = {
      id: `exec_${randomBytes(18).toString('base64url')}`,
      kind,
      owner,
      session: caller.sessionId,
      subject,
      status: 'pending',
      supportsRetry: work?.retry !== undefined,
      createdAt: this.#now(),
    };
    if (work !== undefined) this.#work.set(execution.id, work);
    this.#set(execution);
    return execution;
  }

  /** Brings an execution into another state. Throws where the present state does not allow it. */
  advance(id: string, to: ExecutionStatus, { progress, error, result, startedAt }: ChangeDetails = {}): Execution {
    const before = this.#require(id);
    requireTransition(before, to);
    const { finishedAt: _ended, error: _error, ...rest } = before;
    const moment = this.#now();
    const after: Execution = {
      ...rest,
      status: to,
      ...(to === 'running' ? { startedAt: startedAt ?? moment } : {}),
      ...(isEnded(to) ? { finishedAt: moment } : {}),
      ...(progress === undefined ? {} : { progress }),
      ...(error === undefined ? {} : { error }),
      ...(result === undefined ? {} : { result }),
    };
    const cancel = to === 'cancelled' ? this.#work.get(id)?.cancel : undefined;
    this.#set(after);
    if (isEnded(to)) this.#keep(after);
    else if (before.status === 'failed') this.#forget(id);
    cancel?.(after.progress?.message ?? 'the execution was cancelled');
    return after;
  }

  /** Ends an execution and its work. Throws where it has ended. */
  cancel(id: string, reason: string): Execution {
    const { progress } = this.#require(id);
    return this.advance(id, 'cancelled', { progress: { ...progress, message: `Cancelled: ${reason}` } });
  }

  /** Runs a failed execution again. Throws where it has not failed, or cannot be run again. */
  retry(id: string): Execution {
    const running = this.advance(id, 'running');
    this.#work.get(id)?.retry?.();
    return running;
  }

  /** Notes how far an execution is; of one that does not run there is nothing to note. */
  report(id: string, progress: ExecutionProgress): void {
    const execution = this.#known.get(id);
    if (execution?.status === 'running') this.#set({ ...execution, progress });
  }

  /** Of this process, whoever's it is; undefined where it is not known. */
  find(id: string): Execution | undefined {
    return this.#known.get(id);
  }

  /** Rejects where the caller has no such execution. */
  async get(id: string, caller: Caller): Promise<Execution> {
    this.#dropExpired();
    const owner = this.#deps.ownerOf(caller);
    const execution = this.#known.get(id) ?? (await this.#readKept(id));
    if (execution?.owner !== owner) throw unknownExecution(id);
    return execution;
  }

  /** The caller's, the newest first. */
  list(caller: Caller): readonly Execution[] {
    const owner = this.#deps.ownerOf(caller);
    return this.all().filter((execution) => execution.owner === owner);
  }

  /** Everybody's, the newest first: for operators. */
  all(): readonly Execution[] {
    this.#dropExpired();
    return [...this.#known.values()].sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Those of a session that have not ended. */
  active(sessionId: string): readonly Execution[] {
    return this.all().filter(({ session, status }) => session === sessionId && !isEnded(status));
  }

  /** Resolves when the execution has ended, or when so many milliseconds have passed, or when the call that waits is cancelled. */
  waitForEnd(id: string, ms: number, cancellation: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        stop();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      const stop = this.onChanged((execution) => {
        if (execution.id === id && isEnded(execution.status)) finish();
      });
      const { status } = this.#known.get(id) ?? { status: 'completed' };
      if (isEnded(status)) finish();
      else cancellation.onCancel(finish);
    });
  }

  /** Calls the listener after each change; returns a function that removes it. */
  onChanged(listener: ExecutionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Cancels what a session has begun: it may not outlive the session (specification, section 2.3.3). */
  endSession(sessionId: string): void {
    for (const { id } of this.active(sessionId)) this.cancel(id, 'the session has ended');
  }

  /** Cancels what runs, and resolves when all ends are kept. */
  async close(): Promise<void> {
    for (const { id, status } of this.all()) if (!isEnded(status)) this.cancel(id, 'the gateway is stopping');
    await Promise.all(this.#writing.values());
  }

  #require(id: string): Execution {
    const execution = this.#known.get(id);
    if (execution === undefined) throw unknownExecution(id);
    return execution;
  }

  #set(execution: Execution): void {
    const before = this.#known.get(execution.id);
    this.#known.set(execution.id, execution);
    for (const listener of [...this.#listeners]) listener(execution, before);
  }

  async #readKept(id: string): Promise<Execution | undefined> {
    const kept = await this.#deps.store.get('execution', id);
    return kept === undefined ? undefined : readExecution(id, kept.value);
  }

  #keep(execution: Execution): void {
    const { id, owner } = execution;
    const expiresAt = this.#now() + this.#deps.bounds.keptMs;
    const { store } = this.#deps;
    if (!execution.supportsRetry || execution.status !== 'failed') this.#work.delete(id);
    this.#write(id, () => store.insert('execution', id, writeExecution(execution), { expiresAt, tag: owner }));
  }

  #forget(id: string): void {
    this.#write(id, () => this.#deps.store.remove('execution', id));
  }

  #write(id: string, work: () => Promise<unknown>): void {
    const written = (this.#writing.get(id) ?? Promise.resolve())
      .then(work)
      .catch((cause: unknown) => this.#deps.onStoreFault(cause))
      .then(() => {
        if (this.#writing.get(id) === written) this.#writing.delete(id);
      });
    this.#writing.set(id, written);
  }

  #dropExpired(): void {
    const oldest = this.#now() - this.#deps.bounds.keptMs;
    // The store drops them by itself.
    for (const { id, finishedAt } of this.#known.values()) {
      if (finishedAt !== undefined && finishedAt <= oldest) this.#drop(id);
    }
  }

  /** What has ended makes room for what begins, the oldest first. */
  #makeRoom(owner: string): void {
    const { perOwner, all } = this.#deps.bounds;
    const others = this.all();
    const own = others.filter((execution) => execution.owner === owner);
    for (const [kept, most] of [
      [own, perOwner],
      [others, all],
    ] as const) {
      if (kept.length < most) continue;
      const oldest = kept.findLast(({ status }) => isEnded(status));
      if (oldest === undefined) throw tooMany(kept.length);
      this.#drop(oldest.id);
      this.#forget(oldest.id);
    }
  }

  #drop(id: string): void {
    this.#known.delete(id);
    this.#work.delete(id);
  }
}

function unknownExecution(id: string): OperationError {
  const message = `Resource not found: execution '${id.slice(0, LONGEST_ID)}'. 'list_executions' gives yours`;
  return new OperationError('NOT_FOUND_RESOURCE', message, {
    resource_type: 'execution',
    resource_id: id.slice(0, LONGEST_ID),
  });
}

const LONGEST_ID = 100;

function tooMany(running: number): OperationError {
  const message = `Too many executions: ${running} are pending or running. Wait for one, or cancel one with 'cancel_execution'`;
  return new OperationError('RATE_LIMIT_EXCEEDED', message, { limit: running, remaining: 0, reason: 'executions' });
}
