import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { cleanText } from '../base/lib/text.js';
import type { AskChannel, Question } from '../base/protocol/ask.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import { withoutForgedMeta } from '../base/protocol/mend-result.js';
import { isTerminal } from '../base/protocol/tasks.js';
import { answerRound, MAX_ROUNDS } from './answer-rounds.js';
import type { CallResult } from './call-result.js';
import type { RequestOptions } from './pending-request.js';
import type { AskSettings } from './questions/ask-client.js';
import { PageIds } from './questions/page-ids.js';
import type { RunningTask, TaskHandle } from './task-requests.js';
import { findFault, protocolError, UpstreamFault } from './transport/fault.js';
import type { UpstreamCall } from './upstream.js';

/** What driving a task needs of its connection and its call. */
export interface TaskSurroundings {
  readonly era: 'legacy' | 'modern';
  readonly request: (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>;
  /** The same for what may be large, and need not be parsed here. */
  readonly fetch: (method: string, params: JsonObject, options: RequestOptions) => Promise<CallResult>;
  readonly call: Pick<UpstreamCall, 'ask' | 'log'>;
  /** Gets what the server says of the task's status. */
  readonly onStatus: (words: string) => void;
  /** Silence for so long fails the call. */
  readonly timeoutMs: number;
  /** In each request about a task. */
  readonly meta: JsonObject | undefined;
  readonly asks: AskSettings;
}

/** How often a server is asked for a task's status, in milliseconds; it may name its own time between the two. */
const POLL_MS = { least: 100, usual: 1_000, most: 30_000 };
/** For an answer about a task. */
const ANSWER_MS = 10_000;

/**
 * Asks a server for a task's status until the task has ended, and resolves with the result of the call that it is. When nothing waits
 * for the task any more, it is cancelled.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export async function driveTask(task: TaskHandle, running: RunningTask, around: TaskSurroundings): Promise<CallResult> {
  const drive = new TaskDrive(task, running, around);
  running.ended.onCancel(() => drive.giveUp());
  try {
    return await (around.era === 'modern' ? driveModern(drive) : driveLegacy(drive));
  } catch (error) {
    drive.giveUp();
    throw error;
  } finally {
    drive.stop();
  }
}

/** Up to 2025-11-25 a request of its own waits for the result, and what the task asks comes on its stream. */
async function driveLegacy(drive: TaskDrive): Promise<CallResult> {
  const { ask, log } = drive.around.call;
  const counted = ask === undefined ? undefined : new CountedAsk(ask);
  const waiting = drive
    .fetchResult({ timeoutMs: Number.POSITIVE_INFINITY, ask: counted, log, cancellation: drive.ended })
    .catch((error: unknown) => ({ error }));
  const watching = drive.watch(() => (counted?.open ?? 0) > 0);
  const first = await Promise.race([waiting, watching.then(() => undefined)]);
  if (first !== undefined && !isFailure(first)) return first;
  if (first !== undefined && !(first.error instanceof ProtocolError)) throw first.error;
  // Some servers refuse to give a result that is not there yet.
  const status = await watching;
  if (status['status'] === 'cancelled') throw cancelledThere(status);
  const last = first === undefined ? await waiting : await drive.fetchResult();
  if (isFailure(last)) throw last.error;
  return last;
}

function isFailure(outcome: CallResult | { readonly error: unknown }): outcome is { readonly error: unknown } {
  return 'error' in outcome && !('content' in outcome);
}

/** From 2026-07-28 on the status holds the questions, and in the end the result. */
async function driveModern(drive: TaskDrive): Promise<JsonObject> {
  const { around } = drive;
  const questions = new TaskQuestions({
    ask: around.call.ask,
    settings: around.asks,
    ended: drive.ended,
    update: (inputResponses) => drive.send('tasks/update', { inputResponses }),
  });
  const status = await drive.watch((now) => questions.take(now));
  if (status['status'] === 'cancelled') throw cancelledThere(status);
  const { error, result } = status;
  if (isJsonObject(error)) throw protocolError(error);
  if (!isJsonObject(result)) throw new UpstreamFault('malformed', 'its task has ended without a result');
  const { resultType: _type, ...rest } = withoutForgedMeta(result);
  return rest;
}

/** One task, while something waits for it. */
class TaskDrive {
  readonly around: TaskSurroundings;
  readonly #task: TaskHandle;
  readonly #running: RunningTask;
  #words: unknown;
  #isOver = false;

  constructor(task: TaskHandle, running: RunningTask, around: TaskSurroundings) {
    this.#task = task;
    this.#running = running;
    this.around = around;
  }

  get ended(): Cancellation {
    return this.#running.ended;
  }

  send(method: string, params: JsonObject): Promise<JsonObject> {
    return this.around.request(method, { taskId: this.#task.id, ...params }, this.#optionsOf());
  }

  fetchResult(options: Partial<RequestOptions> = {}): Promise<CallResult> {
    return this.around.fetch('tasks/result', { taskId: this.#task.id }, this.#optionsOf(options));
  }

  #optionsOf(options: Partial<RequestOptions> = {}): RequestOptions {
    return { timeoutMs: ANSWER_MS, continues: true, meta: this.around.meta, ...options };
  }

  /**
   * Resolves with the task's last status.
   * @param waits called with each status; says whether the task waits for the client, which is not the server's time
   */
  async watch(waits: (status: JsonObject) => boolean): Promise<JsonObject> {
    let pollMs = this.#task.pollMs;
    for (let since = performance.now(); ; ) {
      await pause(this.#pauseOf(pollMs), this.ended);
      if (this.ended.cancelled || this.#isOver) throw new UpstreamFault('cancelled', 'the call has ended');
      const status = await this.#readStatus();
      if (status === undefined) continue;
      const now = performance.now();
      this.#running.touch(waits(status) ? now - since : 0);
      since = now;
      if (isTerminal(status['status'])) {
        this.#isOver = true;
        return status;
      }
      this.#tell(status['statusMessage']);
      pollMs = status['pollIntervalMs'] ?? status['pollInterval'] ?? pollMs;
    }
  }

  /** Nothing waits for the task any more. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.send('tasks/cancel', {}).then(
      () => this.#running.onCancelled(),
      () => undefined,
    );
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Undefined where no answer came in time: the call's own clock decides how long that may go on. */
  async #readStatus(): Promise<JsonObject | undefined> {
    try {
      return await this.send('tasks/get', {});
    } catch (error) {
      if (findFault(error)?.kind === 'timeout') return undefined;
      throw error;
    }
  }

  #tell(words: unknown): void {
    if (typeof words !== 'string' || words === '' || words === this.#words) return;
    this.#words = words;
    this.around.onStatus(cleanText(words));
  }

  #pauseOf(announced: unknown): number {
    const wanted = typeof announced === 'number' && announced >= 0 ? announced : POLL_MS.usual;
    // Each status says that the server is not silent.
    return Math.max(POLL_MS.least, Math.min(wanted, POLL_MS.most, this.around.timeoutMs / 2));
  }
}

/** Ends early when nothing waits for the task any more. */
function pause(ms: number, ended: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
    ended.onCancel(resolve);
  });
}

function cancelledThere({ statusMessage }: JsonObject): ProtocolError {
  const why = typeof statusMessage === 'string' && statusMessage !== '' ? `: ${cleanText(statusMessage)}` : '';
  return ProtocolError.fromError(ProtocolErrorCode.InternalError, `The server has cancelled the task${why}`);
}

/** A channel that knows how many questions wait for an answer. */
class CountedAsk implements AskChannel {
  open = 0;
  readonly #ask: AskChannel;

  constructor(ask: AskChannel) {
    this.#ask = ask;
  }

  get caller(): AskChannel['caller'] {
    return this.#ask.caller;
  }

  get abilities(): AskChannel['abilities'] {
    return this.#ask.abilities;
  }

  completed(elicitationId: string, isOver: boolean): void {
    this.#ask.completed?.(elicitationId, isOver);
  }

  async ask(question: Question, cancellation: Cancellation): Promise<JsonObject> {
    this.open += 1;
    try {
      return await this.#ask.ask(question, cancellation);
    } finally {
      this.open -= 1;
    }
  }
}

interface TaskQuestionsOptions {
  readonly ask: AskChannel | undefined;
  readonly settings: AskSettings;
  readonly ended: Cancellation;
  /** Sends answers to the task. */
  readonly update: (responses: unknown) => Promise<unknown>;
}

/** What a task of 2026-07-28 asks: its status holds the questions, each of which is asked once. */
class TaskQuestions {
  readonly #options: TaskQuestionsOptions;
  readonly #asked = new Set<string>();
  #rounds = 0;
  #open = 0;
  #failure: unknown;

  constructor(options: TaskQuestionsOptions) {
    this.#options = options;
  }

  /**
   * Asks what a status has that was not asked yet. Returns whether any question waits.
   * @throws UpstreamFault where a question has no answer
   */
  take({ status, inputRequests }: JsonObject): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (status !== 'input_required' || !isJsonObject(inputRequests)) return this.#open > 0;
    const fresh = Object.entries(inputRequests).filter(([key]) => !this.#asked.has(key));
    if (fresh.length > 0) void this.#answer(fresh);
    return this.#open > 0;
  }

  async #answer(fresh: readonly (readonly [string, unknown])[]): Promise<void> {
    const { ask, settings, ended, update } = this.#options;
    for (const [key] of fresh) this.#asked.add(key);
    this.#rounds += 1;
    this.#open += 1;
    const input = { inputRequests: Object.fromEntries(fresh) };
    try {
      if (ask === undefined) throw new UpstreamFault('input-required', 'it asks the client for input', { input });
      if (this.#rounds > MAX_ROUNDS)
        throw new UpstreamFault('input-required', `it asked in more than ${MAX_ROUNDS} rounds`);
      const pages = new PageIds(ask);
      const { inputResponses } = await answerRound(input, ended, pages, settings);
      await update(inputResponses);
      pages.settle();
    } catch (failure) {
      this.#failure = failure;
    } finally {
      this.#open -= 1;
    }
  }
}
