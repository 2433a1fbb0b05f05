import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { OperationFailure, Reply } from '../../base/protocol/result.js';
import type { TaskStatus } from '../../base/protocol/tasks.js';
import type { ResumableCall } from './resumable-call.js';
import { toProtocolError } from './write-result.js';

interface TaskLimits {
  readonly perSession: number;
  readonly all: number;
  /** How long a task is kept after it was made, at most: it may be running or have an answer. */
  readonly ttlMs: number;
}

const LIMITS: TaskLimits = { perSession: 64, all: 1_024, ttlMs: 3_600_000 };
const LEAST_TTL_MS = 1_000;

/** One task of a client: a call that goes on while the client asks for its status. */
export class ClientTask {
  readonly id = `task_${randomBytes(32).toString('base64url')}`;
  readonly createdAt = new Date().toISOString();
  readonly call: ResumableCall;
  readonly ttlMs: number;
  /** Undefined while the call goes on. */
  reply: Reply | undefined;
  endedAt: string | undefined;
  #isCancelled = false;

  constructor(call: ResumableCall, ttlMs: number) {
    this.call = call;
    this.ttlMs = ttlMs;
  }

  get status(): TaskStatus {
    if (this.#isCancelled) return 'cancelled';
    if (this.reply !== undefined) return this.failure === undefined ? 'completed' : 'failed';
    return this.call.questions.size > 0 ? 'input_required' : 'working';
  }

  /** The JSON-RPC error in which the call has ended; undefined for one that has a result, be it of a tool that failed. */
  get failure(): JsonObject | undefined {
    const { reply } = this;
    if (reply === undefined || reply.code === 'OK' || reply.passthrough !== undefined) return undefined;
    const failure = JSON.parse(reply.text) as OperationFailure;
    const { message, details } = failure.error;
    const said = details?.['upstream_code'];
    if (typeof said === 'number') return { code: said, message, data: { ...failure } };
    const refused = toProtocolError(reply, 'modern');
    return refused === undefined ? undefined : { ...refused };
  }

  /** Ends the call; false where it has ended before. */
  cancel(reason: string): boolean {
    if (this.#isCancelled || this.reply !== undefined) return false;
    this.#isCancelled = true;
    this.endedAt = new Date().toISOString();
    this.call.end(reason);
    return true;
  }
}

/** The tasks of all clients. A task is known to the session alone that made it, and by an id that cannot be guessed. */
export class ClientTasks {
  readonly #tasks = new Map<string, ClientTask>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #limits: TaskLimits;

  constructor(limits: Partial<TaskLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#tasks.size;
  }

  hasRoom({ sessionId }: Caller): boolean {
    return this.#tasks.size < this.#limits.all && this.list(sessionId).length < this.#limits.perSession;
  }

  /** Keeps a call as a task; undefined where there are too many. @param ttlMs that the client wants */
  add(call: ResumableCall, ttlMs?: unknown): ClientTask | undefined {
    if (!this.hasRoom(call.caller)) return undefined;
    const wanted = typeof ttlMs === 'number' && ttlMs > 0 ? Math.ceil(ttlMs) : this.#limits.ttlMs;
    const task = new ClientTask(call, Math.min(Math.max(wanted, LEAST_TTL_MS), this.#limits.ttlMs));
    this.#tasks.set(task.id, task);
    const timer = setTimeout(() => this.#drop(task, 'the task was kept as long as it may be'), task.ttlMs);
    this.#timers.set(task.id, timer.unref());
    void this.#watch(task);
    return task;
  }

  find(id: unknown, { sessionId }: Caller): ClientTask | undefined {
    const task = typeof id === 'string' ? this.#tasks.get(id) : undefined;
    return task?.call.caller.sessionId === sessionId ? task : undefined;
  }

  list(sessionId: string): readonly ClientTask[] {
    return [...this.#tasks.values()].filter(({ call }) => call.caller.sessionId === sessionId);
  }

  endSession(sessionId: string): void {
    for (const task of this.list(sessionId)) this.#drop(task, 'the session has ended');
  }

  endAll(): void {
    for (const task of [...this.#tasks.values()]) this.#drop(task, 'the gateway is stopping');
  }

  async #watch(task: ClientTask): Promise<void> {
    while (task.call.ended === undefined) await task.call.changed();
    const reply = await task.call.ended.catch(() => undefined);
    if (reply === undefined) task.cancel('the call has failed');
    task.reply = reply;
    task.endedAt ??= new Date().toISOString();
  }

  #drop(task: ClientTask, reason: string): void {
    clearTimeout(this.#timers.get(task.id));
    this.#timers.delete(task.id);
    this.#tasks.delete(task.id);
    task.cancel(reason);
  }
}
