import type { ExecutionProgress } from '../execution/execution.js';
import { valueAt } from '../lib/json-path.js';
import { Cancellation } from '../protocol/cancellation.js';
import type { JsonObject } from '../protocol/json.js';
import type { JobRule } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { Reply } from '../protocol/result.js';
import { readData } from './inner-read.js';
import { shapeFailure } from './shape.js';

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
export async function followJob(started: Reply, rule: JobRule, around: JobSurroundings): Promise<Reply> {
  const id = valueAt(readData(started), rule.id.split('.'));
  if (typeof id !== 'string' && typeof id !== 'number')
    return failed(`its answer has no id of the job in '${rule.id}'`);
  const params = { [rule.parameter]: id };
  let failures = 0;
  while (!around.cancellation.cancelled) {
    const reply = await callSafely(around, rule.poll, params, around.cancellation);
    failures = reply.code === 'OK' ? 0 : failures + 1;
    if (failures === MOST_FAILURES) return reply;
    const end = reply.code === 'OK' ? readEnd(reply, rule, around) : undefined;
    if (end !== undefined) return end;
    await pause(1_000 * (rule.everySeconds ?? USUAL_SECONDS), around.cancellation);
  }
  if (rule.cancel !== undefined) await callSafely(around, rule.cancel, params, new Cancellation());
  return started;
}

/** The answer that ends the execution; undefined while the job runs, whose progress is then reported. */
function readEnd(reply: Reply, rule: JobRule, { report }: JobSurroundings): Reply | undefined {
  const data = readData(reply);
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

/** An operation that has gone is a failure like any other. */
async function callSafely(
  { call }: JobSurroundings,
  name: string,
  params: JsonObject,
  cancellation: Cancellation,
): Promise<Reply> {
  try {
    return await call(name, params, cancellation);
  } catch (thrown) {
    if (thrown instanceof OperationError) return shapeFailure(thrown, undefined);
    throw thrown;
  }
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
