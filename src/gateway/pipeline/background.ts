import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { valueAt } from '../../base/json/json-path.js';
import type { InnerCalls, OuterCall, ProgressUpdate, RawCall } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { AnswerParts } from '../../base/protocol/inner-call.js';
import { GATEWAY_SOURCE, type JobRule, originOf } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Reply } from '../../base/protocol/result.js';
import {
  describeExecution,
  type Execution,
  type ExecutionError,
  type ExecutionProgress,
  readUpdate,
} from '../../policy/execution/execution.js';
import type { Executions } from '../../policy/execution/executions.js';
import type { ResultService } from '../../results/query/result-types.js';
import type { AuthorizedCall } from './authorize.js';
import { EXECUTION } from './directive-names.js';
import { dataOf } from './inner-calls.js';
import { shapeFailure } from './shape.js';
import type { ValidatedCall } from './validate.js';

interface BackgroundDeps {
  readonly executions: Executions;
  readonly results: Pick<ResultService, 'keep'>;
  /** Milliseconds from which on a call that still runs goes on as an execution; none does where absent. */
  readonly afterMs: number | undefined;
  readonly calls: InnerCalls;
}

/** Characters of the parameters that are kept for running a failed call again. */
const MOST_KEPT = 32_768;

export class BackgroundCalls {
  readonly #deps: BackgroundDeps;

  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
  }

  /** How a call that was let through may go on in the background; undefined where it does not. */
  prepare(call: AuthorizedCall): BackgroundCall | undefined {
    const { background } = call.directives;
    const { onTask } = call.raw;
    if (background === true) {
      // A client that knows tasks gets a task, which waits for the answer.
      if (onTask === undefined) return new BackgroundCall(call, 0, this.#deps);
      onTask();
      return undefined;
    }
    const { afterMs } = this.#deps;
    // Who says that it does not want this, and what is a part of another call, waits.
    if (background === false || afterMs === undefined || call.raw.answerTokens !== undefined) return undefined;
    return findObstacle(call) === undefined ? new BackgroundCall(call, afterMs, this.#deps) : undefined;
  }
}

/** One call on its way to the background. It has a cancellation of its own, as the request that brought it may end before it. */
export class BackgroundCall {
  /** What runs in place of the call that was let through. */
  readonly call: AuthorizedCall;
  readonly #deps: BackgroundDeps;
  readonly #raw: RawCall;
  readonly #afterMs: number;
  #cancellation = new Cancellation();
  #last: ProgressUpdate | undefined;
  #parts: AnswerParts = new Map();
  readonly #startedAt = Date.now();
  /** Undefined while a request waits for the call. */
  #id: string | undefined;

  /** @param afterMs how long the request waits; not at all where 0 */
  constructor(call: AuthorizedCall, afterMs: number, deps: BackgroundDeps) {
    this.#deps = deps;
    this.#raw = call.raw;
    this.#afterMs = afterMs;
    this.call = call.inBackground({
      cancellation: this.#cancellation,
      onProgress: (update) => this.#note(update),
      // A request that is answered at once can ask its client nothing afterwards, and its answer is delivered later.
      isDetached: afterMs === 0,
    });
    if (afterMs > 0) {
      const { cancellation } = this.#raw;
      cancellation.onCancel(() => {
        if (this.#id === undefined) this.#cancellation.cancel(cancellation.reason ?? 'the call was cancelled');
      });
    }
  }

  /** Runs the call; resolves with its answer, or with its state where it goes on. @param run never rejects @param parts what its answer is made of */
  async follow(run: () => Promise<Reply>, parts: AnswerParts): Promise<Reply> {
    this.#parts = parts;
    if (this.#afterMs === 0) {
      const execution = this.#begin();
      void this.#finish(execution.id, run());
      return this.#answer(execution);
    }
    const running = run();
    if ((await isLongerThan(this.#afterMs, running)) && !this.#cancellation.cancelled) {
      const { onTask } = this.#raw;
      const execution = onTask === undefined ? this.#tryBegin() : undefined;
      if (execution !== undefined) {
        void this.#finish(execution.id, running);
        return this.#answer(execution);
      }
      onTask?.();
    }
    return await running;
  }

  /** With an id that any gateway of the store finds. */
  async #answer(execution: Execution): Promise<Reply> {
    await this.#deps.executions.written(execution.id);
    return shapeExecution(execution);
  }

  /** Undefined where there are too many: the request then waits on. */
  #tryBegin(): Execution | undefined {
    try {
      return this.#begin();
    } catch {
      return undefined;
    }
  }

  #begin(): Execution {
    const { executions } = this.#deps;
    const { operation, directives } = this.call;
    const isKept = operation.retryable && JSON.stringify(directives.params).length <= MOST_KEPT;
    const { id } = executions.begin(this.#raw.caller, {
      kind: 'call',
      subject: operation.qualifiedName,
      work: {
        cancel: (reason) => this.#cancellation.cancel(reason),
        ...(isKept ? { retry: () => this.#runAgain(id) } : {}),
      },
    });
    this.#id = id;
    const progress = this.#last === undefined ? {} : { progress: readUpdate(this.#last) };
    return executions.advance(id, 'running', { ...progress, startedAt: this.#startedAt });
  }

  #note(update: ProgressUpdate): void {
    this.#last = update;
    if (this.#id === undefined) this.#raw.onProgress?.(update);
    else this.#deps.executions.report(this.#id, readUpdate(update));
  }

  /** What ends after the execution was cancelled is dropped. */
  async #finish(id: string, running: Promise<Reply>): Promise<void> {
    const { executions, results } = this.#deps;
    const reply = await this.#follow(id, await running);
    const execution = executions.find(id);
    if (execution?.status !== 'running') return;
    const origin = originOf(
      this.call.operation,
      [...this.#parts.keys()].map((part) => originOf(part)),
    );
    if (reply.code !== 'OK') {
      executions.advance(id, 'failed', { error: readError(reply), origin });
      return;
    }
    const of = { owner: execution.owner, operation: execution.subject, caller: this.#raw.caller };
    const answer = await results.keep(reply.text, of);
    const blocks = reply.blocks.length === 0 ? undefined : await results.keep(JSON.stringify(reply.blocks), of);
    if (executions.find(id)?.status !== 'running') return;
    executions.advance(id, 'completed', {
      origin,
      ...(answer === undefined ? {} : { result: { answer, ...(blocks === undefined ? {} : { blocks }) } }),
    });
  }

  /** The answer of the job that the call has started; that of the call itself where it starts none. */
  #follow(id: string, started: Reply): Reply | Promise<Reply> {
    const { lifecycle, upstream } = this.call.operation;
    if (lifecycle === undefined || started.code !== 'OK') return started;
    const { calls, executions } = this.#deps;
    return followJob(started, lifecycle, {
      cancellation: this.#cancellation,
      call: (name, params, cancellation) =>
        calls.sendTo({ ...this.#outer(), cancellation }, { kind: 'poll', upstream, name, params }),
      report: (progress) => executions.report(id, progress),
    });
  }

  /** As a call of its own: policy and budgets may have changed, and what they say is its end. */
  #runAgain(id: string): void {
    const { operation, directives, raw } = this.call;
    this.#cancellation = new Cancellation();
    const again = this.#deps.calls.send(this.#outer(), {
      kind: 'retry',
      tool: raw.tool,
      request: { operation: operation.qualifiedName, params: directives.params },
      onProgress: (update) => this.#note(update),
    });
    void this.#finish(id, again);
  }

  #outer(): OuterCall {
    return { caller: this.#raw.caller, cancellation: this.#cancellation, parts: this.#parts };
  }
}

function readError({ text, code }: Reply): ExecutionError {
  const result: unknown = JSON.parse(text);
  const error = isJsonObject(result) && isJsonObject(result['error']) ? result['error'] : {};
  const { message, details } = error;
  return { code, message: typeof message === 'string' ? message : code, ...(isJsonObject(details) ? { details } : {}) };
}

/** The state of an execution as the answer to the call that it is. */
function shapeExecution(execution: Execution): Reply {
  const data = JSON.stringify(describeExecution(execution));
  return { text: `{"success":true,"data":${data}}`, blocks: [], isError: false, code: 'OK', execution: execution.id };
}

function isLongerThan(ms: number, running: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    void running.finally(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** The categories whose calls may be long and are asked for again without harm: the others change something, and are waited for. */
const CATEGORIES: ReadonlySet<string> = new Set(['READ', 'EXECUTE']);

/** Throws where a call asks to go on in the background, and cannot. */
export function requireBackground(call: ValidatedCall, isOffered: boolean): void {
  if (call.directives.background !== true) return;
  const { name } = call.operation;
  const obstacle = isOffered ? findObstacle(call) : "the operator has not set 'executions.enabled'";
  if (obstacle === undefined) return;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Operation '${name}' cannot run in the background: ${obstacle}. Call it without '${EXECUTION}'`,
    { operation: name, param_name: EXECUTION },
  );
}

/** Why a call cannot go on in the background; undefined where it can. */
function findObstacle({ operation, raw }: Pick<ValidatedCall, 'operation' | 'raw'>): string | undefined {
  const { upstream, classification, passthrough, primitive, mayTakeLong } = operation;
  if (raw.within?.background === false) return 'the call outside of it waits for it';
  if (raw.native !== undefined || primitive !== undefined) return 'it is a request of MCP itself';
  if (upstream === GATEWAY_SOURCE && mayTakeLong !== true) return 'it has its answer immediately';
  if (passthrough !== undefined) return "tools under their own names answer in their servers' form";
  if (!CATEGORIES.has(classification.category))
    return `it is ${classification.category}, and READ and EXECUTE alone can`;
  return undefined;
}

interface JobSurroundings {
  /** Cancelled when the execution is. */
  readonly cancellation: Cancellation;
  /** Calls an operation of the job's upstream as the execution's caller. */
  readonly call: (name: string, params: JsonObject, cancellation: Cancellation) => Promise<Reply>;
  readonly report: (progress: ExecutionProgress) => void;
}

const USUAL_SECONDS = 2;

/** A server that cannot say for a moment how far a job is has not lost it. */
const MOST_FAILURES = 3;

/**
 * Asks for the state of a job that a call has started until the job has ended. Resolves with the last answer, or with the failure of
 * a job that has failed. When the execution is cancelled, so is the job, where an operation does that.
 */
async function followJob(started: Reply, rule: JobRule, around: JobSurroundings): Promise<Reply> {
  const id = valueAt(dataOf(started), rule.id.split('.'));
  if (typeof id !== 'string' && typeof id !== 'number')
    return failed(`its answer has no id of the job in '${rule.id}'`);
  const params = { [rule.parameter]: id };
  let failures = 0;
  while (!around.cancellation.cancelled) {
    const reply = await around.call(rule.poll, params, around.cancellation);
    failures = reply.code === 'OK' ? 0 : failures + 1;
    if (failures === MOST_FAILURES) return reply;
    const end = reply.code === 'OK' ? readEnd(reply, rule, around) : undefined;
    if (end !== undefined) return end;
    await pause(1_000 * (rule.everySeconds ?? USUAL_SECONDS), around.cancellation);
  }
  if (rule.cancel !== undefined) await around.call(rule.cancel, params, new Cancellation());
  return started;
}

/** The answer that ends the execution; undefined while the job runs, whose progress is then reported. */
function readEnd(reply: Reply, rule: JobRule, { report }: JobSurroundings): Reply | undefined {
  const data = dataOf(reply);
  const at = (path: string | undefined): unknown => (path === undefined ? undefined : valueAt(data, path.split('.')));
  const word = String(at(rule.status));
  const message = at(rule.message);
  const state = Object.hasOwn(rule.states, word) ? rule.states[word] : undefined;
  if (state === 'completed') return reply;
  if (state !== undefined) return failed(typeof message === 'string' ? message : `the job is '${word}'`);
  const percentage = at(rule.percentage);
  report({
    ...(typeof percentage === 'number' ? { percentage: Math.min(100, Math.max(0, percentage)) } : {}),
    message: typeof message === 'string' ? message : word,
  });
  return undefined;
}

function failed(why: string): Reply {
  return shapeFailure(new OperationError('INTERNAL_ERROR', `The job has failed: ${why}`, { reason: 'job' }), undefined);
}

function pause(ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    cancellation.onCancel(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
