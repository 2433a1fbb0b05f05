import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import type { CallResult } from './call-result.js';

/** A request that goes on as a task, as far as what drives the task needs it. */
export interface RunningTask {
  /** Cancelled when nothing waits for the task any more. */
  readonly ended: Cancellation;
  /** The server is at work. @param waitedMs the time that it has waited for an answer, which is not its own */
  touch(waitedMs?: number): void;
  /** The server has cancelled the task, so that it asks nothing any more. */
  onCancelled(): void;
}

/** Brings a task to its end; resolves with the result of its request. */
export type DriveTask = (task: TaskHandle, running: RunningTask) => Promise<CallResult>;

/** A task as its server has named it. */
export interface TaskHandle {
  readonly id: string;
  readonly pollMs: unknown;
}

interface TaskRequest extends Omit<RunningTask, 'ended'> {
  readonly resolve: (result: CallResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that were given up, of which an answer is still looked at. */
const MOST_LATE = 1_000;

/**
 * The requests of one connection whose answer may be a task. Such a request counts as in flight until the task has ended: progress
 * comes under its token, and questions that name no request are its own.
 */
export class TaskRequests {
  readonly #drives = new Map<number, DriveTask>();
  readonly #running = new Map<number, { readonly taskId: string; readonly ended: Cancellation }>();

  /** Of requests that were given up before they had an answer. */
  readonly #late = new Map<number, DriveTask>();

  add(id: number, drive: DriveTask): void {
    this.#drives.set(id, drive);
  }

  /** The request that goes on as this task; undefined where none does. */
  requestOf(taskId: unknown): number | undefined {
    return [...this.#running].find(([, running]) => running.taskId === taskId)?.[0];
  }

  /** Takes an answer that is a task; false for any other. */
  take(id: number, answer: JsonObject, { resolve, reject, ...running }: TaskRequest): boolean {
    const drive = this.#drives.get(id);
    const task = drive === undefined ? undefined : readTask(answer['result']);
    if (drive === undefined || task === undefined || this.#running.has(id)) return false;
    const ended = new Cancellation();
    this.#running.set(id, { taskId: task.id, ended });
    drive(task, { ...running, ended }).then(resolve, reject);
    return true;
  }

  /** Nothing waits for its request any more. Whether that runs as a task, which is cancelled by what drives it. */
  giveUp(id: number): boolean {
    if (this.#running.has(id)) return true;
    const drive = this.#drives.get(id);
    if (drive !== undefined && this.#late.size < MOST_LATE) this.#late.set(id, drive);
    return false;
  }

  /** Takes an answer that comes too late: where it is a task, that is cancelled. */
  takeLate(id: number, answer: JsonObject, onCancelled: () => void): void {
    const drive = this.#late.get(id);
    const task = drive === undefined ? undefined : readTask(answer['result']);
    this.#late.delete(id);
    if (drive === undefined || task === undefined) return;
    const ended = new Cancellation();
    ended.cancel('the call has ended');
    drive(task, { ended, touch: () => undefined, onCancelled }).catch(() => undefined);
  }

  /** Its request has ended, in whichever way. */
  end(id: number): void {
    this.#drives.delete(id);
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.ended.cancel('the call has ended');
  }

  endAll(): void {
    for (const id of [...this.#drives.keys()]) this.end(id);
  }
}

/** Up to 2025-11-25 the task is a member of the result; from 2026-07-28 on it is the result itself. */
function readTask(result: unknown): TaskHandle | undefined {
  if (!isJsonObject(result)) return undefined;
  const task = result['resultType'] === 'task' ? result : result['task'];
  if (!isJsonObject(task) || typeof task['taskId'] !== 'string') return undefined;
  return { id: task['taskId'], pollMs: task['pollIntervalMs'] ?? task['pollInterval'] };
}
