import { randomBytes } from 'node:crypto';
import { groupBy } from '../../base/lib/collections.js';
import { type Caller, shareOf } from '../../base/protocol/caller.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import {
  type Execution,
  type ExecutionError,
  type ExecutionKind,
  type ExecutionProgress,
  type ExecutionStatus,
  isEnded,
  type KeptResult,
  requireTransition,
} from './execution.js';
import type { SharedExecutions } from './shared-executions.js';

export interface ExecutionBounds {
  /** Executions of one client, those that are kept after their end included; of all who are not authenticated at one address together. */
  readonly perOwner: number;
  readonly all: number;
  /** How long one is kept after its end. */
  readonly keptMs: number;
}

interface ExecutionsDeps {
  readonly bounds: ExecutionBounds;
  /** Those of all gateways of the store; absent where the store is in the memory of this process. */
  readonly shared?: SharedExecutions | undefined;
  /** Whose a caller's executions are. */
  readonly ownerOf: (caller: Caller) => string;
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
  readonly origin?: string;
  /** Where it has run before it became an execution. */
  readonly startedAt?: number;
}

type ExecutionListener = (execution: Execution, before: Execution | undefined) => void;

/**
 * The executions of all callers. A caller sees its own alone; another's is not found. Those that run belong to a session and end with
 * it. What has ended is kept for a while. Where the store is shared, other gateways' are seen too, and ends survive a restart.
 */
export class Executions {
  readonly #deps: ExecutionsDeps;
  readonly #now: () => number;
  readonly #known = new Map<string, Execution>();
  readonly #work = new Map<string, ExecutionWork>();
  /** Whose share of the bounds each takes; of those of an earlier process the owner's. */
  readonly #shares = new Map<string, string>();
  readonly #listeners = new Set<ExecutionListener>();

  constructor(deps: ExecutionsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Begins to hear of other gateways, and gives those an end that an earlier process has left without one. */
  async open(): Promise<void> {
    await this.#deps.shared?.open({
      cancel: (id, reason) => this.#tryCancel(id, reason),
      endSession: (sessionId) => this.endSession(sessionId),
      lost: (execution) => this.#announce(execution, undefined),
    });
  }

  /** A new execution, which is pending. Throws where its caller, or all together, have too many that have not ended. */
  begin(caller: Caller, { kind, subject, work }: Beginning): Execution {
    const owner = this.#deps.ownerOf(caller);
    const share = shareOf(caller);
    this.#makeRoom(share);
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
    this.#shares.set(execution.id, share);
    this.#set(execution);
    return execution;
  }

  /** Brings an execution into another state. Throws where the present state does not allow it. */
  advance(id: string, to: ExecutionStatus, { startedAt, ...details }: ChangeDetails = {}): Execution {
    const before = this.#require(id);
    requireTransition(before, to);
    const { finishedAt: _ended, error: _error, ...rest } = before;
    const moment = this.#now();
    const after: Execution = {
      ...rest,
      status: to,
      ...(to === 'running' ? { startedAt: startedAt ?? moment } : {}),
      ...(isEnded(to) ? { finishedAt: moment } : {}),
      ...details,
    };
    const cancel = to === 'cancelled' ? this.#work.get(id)?.cancel : undefined;
    this.#set(after);
    if (isEnded(to) && !(after.supportsRetry && to === 'failed')) this.#work.delete(id);
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

  /** Ends an execution and its work in whichever gateway it runs; resolves when it has ended. Rejects where it had ended already. */
  async cancelAnywhere(id: string, reason: string): Promise<Execution> {
    const { shared } = this.#deps;
    if (shared === undefined || this.#known.has(id)) return this.cancel(id, reason);
    const find = async (): Promise<Execution> => (await shared.find(id)) ?? raise(unknownExecution(id));
    requireTransition(await find(), 'cancelled');
    await shared.askToCancel(id, reason);
    const deadline = this.#now() + LONGEST_CANCEL_MS;
    while (this.#now() < deadline) {
      const execution = await find();
      if (execution.status === 'cancelled') return execution;
      // It may have ended otherwise meanwhile.
      requireTransition(execution, 'cancelled');
      await pause(ASK_MS);
    }
    throw notCancelled(id);
  }

  /** Of this process, whoever's it is; undefined where it is not known. */
  find(id: string): Execution | undefined {
    return this.#known.get(id);
  }

  /** Rejects where the caller has no such execution. */
  async get(id: string, caller: Caller): Promise<Execution> {
    this.#dropExpired();
    const owner = this.#deps.ownerOf(caller);
    const execution = this.#known.get(id) ?? (await this.#deps.shared?.find(id));
    if (execution?.owner !== owner) throw unknownExecution(id);
    return execution;
  }

  /** The origin of one in whichever gateway it runs; undefined where it is not known. */
  async originOf(id: string): Promise<string | undefined> {
    const execution = this.#known.get(id) ?? (await this.#deps.shared?.find(id));
    return execution?.origin ?? execution?.subject;
  }

  /** The caller's in all gateways, the newest first. */
  async list(caller: Caller): Promise<readonly Execution[]> {
    const owner = this.#deps.ownerOf(caller);
    return (await this.everywhere()).filter((execution) => execution.owner === owner);
  }

  /** Everybody's in all gateways, the newest first: for operators. */
  async everywhere(): Promise<readonly Execution[]> {
    const others = (await this.#deps.shared?.all()) ?? [];
    const all = new Map([...others, ...this.all()].map((execution) => [execution.id, execution]));
    return newestFirst(all.values());
  }

  /** Everybody's in this process, the newest first. */
  all(): readonly Execution[] {
    this.#dropExpired();
    return newestFirst(this.#known.values());
  }

  /** How many of this process are in each state. */
  counts(): Readonly<Record<ExecutionStatus, number>> {
    const counts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
    for (const { status } of this.all()) counts[status] += 1;
    return counts;
  }

  /** Those of a session that run in other gateways. */
  async runningElsewhere(sessionId: string): Promise<readonly Execution[]> {
    const others = (await this.#deps.shared?.runningElsewhere()) ?? [];
    return others.filter(({ session }) => session === sessionId);
  }

  /** Those of a session that have not ended. */
  active(sessionId: string): readonly Execution[] {
    return this.all().filter(({ session, status }) => session === sessionId && !isEnded(status));
  }

  /** Resolves when the execution has ended, or when so many milliseconds have passed, or when the call that waits is cancelled. */
  waitForEnd(id: string, ms: number, cancellation: Cancellation): Promise<void> {
    return this.#known.has(id) ? this.#waitHere(id, ms, cancellation) : this.#waitElsewhere(id, ms, cancellation);
  }

  #waitHere(id: string, ms: number, cancellation: Cancellation): Promise<void> {
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

  async #waitElsewhere(id: string, ms: number, cancellation: Cancellation): Promise<void> {
    const deadline = this.#now() + ms;
    while (!cancellation.cancelled && this.#now() < deadline) {
      const execution = await this.#deps.shared?.find(id);
      if (execution === undefined || isEnded(execution.status)) return;
      await pause(Math.min(ASK_MS, Math.max(0, deadline - this.#now())));
    }
  }

  /** Resolves when other gateways can find its newest state. */
  async written(id: string): Promise<void> {
    await this.#deps.shared?.written(id);
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

  /** Has other gateways cancel what the session has begun there. */
  endSessionElsewhere(sessionId: string): void {
    this.#deps.shared?.askToEndSession(sessionId);
  }

  /** Cancels what runs, and resolves when all ends are kept. */
  async close(): Promise<void> {
    for (const { id, status } of this.all()) if (!isEnded(status)) this.cancel(id, 'the gateway is stopping');
    await this.#deps.shared?.close();
  }

  #require(id: string): Execution {
    const execution = this.#known.get(id);
    if (execution === undefined) throw unknownExecution(id);
    return execution;
  }

  /** It may end between two gateways' asking. */
  #tryCancel(id: string, reason: string): void {
    const execution = this.#known.get(id);
    if (execution !== undefined && !isEnded(execution.status)) this.cancel(id, reason);
  }

  #set(execution: Execution): void {
    const before = this.#known.get(execution.id);
    this.#known.set(execution.id, execution);
    this.#deps.shared?.note(execution, before);
    this.#announce(execution, before);
  }

  #announce(execution: Execution, before: Execution | undefined): void {
    for (const listener of [...this.#listeners]) listener(execution, before);
  }

  #dropExpired(): void {
    const oldest = this.#now() - this.#deps.bounds.keptMs;
    // The store drops them by itself.
    for (const { id, finishedAt } of this.#known.values()) {
      if (finishedAt !== undefined && finishedAt <= oldest) this.#drop(id);
    }
  }

  /** What has ended makes room for what begins, the oldest first. */
  #makeRoom(share: string): void {
    const { perOwner, all } = this.#deps.bounds;
    const everyone = this.all();
    const byShare = groupBy(everyone, ({ id, owner }) => this.#shares.get(id) ?? owner);
    const own = byShare.get(share) ?? [];
    if (own.length >= perOwner) this.#dropOldest(own);
    else if (everyone.length >= all) {
      // Of whom has most, so that no one's flood drops what others have.
      const [most = everyone] = [...byShare.values()]
        .filter((kept) => kept.some(({ status }) => isEnded(status)))
        .toSorted((one, other) => other.length - one.length);
      this.#dropOldest(most);
    }
  }

  #dropOldest(kept: readonly Execution[]): void {
    const oldest = kept.findLast(({ status }) => isEnded(status));
    if (oldest === undefined) throw tooMany(kept.length);
    this.#drop(oldest.id);
    this.#deps.shared?.forget(oldest.id);
  }

  #drop(id: string): void {
    this.#known.delete(id);
    this.#work.delete(id);
    this.#shares.delete(id);
  }
}

/** How often another gateway's execution is looked at while a call waits for it. */
const ASK_MS = 200;

/** How long the gateway that runs an execution may take to cancel it. */
const LONGEST_CANCEL_MS = 20_000;

function raise(error: OperationError): never {
  throw error;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function newestFirst(executions: Iterable<Execution>): readonly Execution[] {
  return [...executions].sort((one, other) => other.createdAt - one.createdAt);
}

/** The gateway that runs it lives and has not answered. */
function notCancelled(id: string): OperationError {
  const message = `Internal error: 'execution ${id} is not cancelled yet, because its gateway has not answered. Ask get_execution_status for its state'`;
  return new OperationError('INTERNAL_ERROR', message, { execution_id: id, reason: 'unavailable', retryable: true });
}

export function unknownExecution(id: string): OperationError {
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
