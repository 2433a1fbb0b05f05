import { readExactResult } from '../../../base/json/exact-result.js';
import { isJsonObject } from '../../../base/json/json.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../../base/protocol/call.js';
import type { Caller } from '../../../base/protocol/caller.js';
import type { Operation } from '../../../base/protocol/operation.js';
import type { ContentBlock, Warning } from '../../../base/protocol/result.js';
import { describeExecution, type Execution, requireTransition } from '../../../policy/execution/execution.js';
import { type Executions, unknownExecution } from '../../../policy/execution/executions.js';
import type { ResultService } from '../../../results/query/result-types.js';
import {
  cancelExecution,
  getExecutionStatus,
  listExecutions,
  MOST_WAIT_SECONDS,
  retryExecution,
} from './operations.js';

/** Whether whoever asks may still know of what has this origin. */
type IsReachable = (origin: string) => boolean;

interface ExecutionHandlerDeps {
  readonly executions: Executions;
  readonly results: Pick<ResultService, 'bringKept' | 'kept'>;
}

/**
 * What runs the operations over executions, with the operation of each. An execution of an operation that has been taken out of the view,
 * or is denied by now, is unknown, as the operation is; so is one that has called such an operation.
 */
export function createExecutionHandlers({ executions, results }: ExecutionHandlerDeps): readonly {
  readonly operation: Operation;
  readonly handle: (call: HandlerCall, isReachable: IsReachable) => ReturnType<OperationHandler>;
}[] {
  const find = async ({ arguments: args, caller }: HandlerCall, isReachable: IsReachable): Promise<Execution> => {
    const execution = await executions.get(String(args['execution_id']), caller);
    if (!isShown(execution, isReachable)) throw unknownExecution(execution.id);
    return execution;
  };
  return [
    {
      operation: getExecutionStatus,
      async handle(call, isReachable) {
        const { id } = await find(call, isReachable);
        const { wait_seconds: seconds = 0 } = call.arguments;
        const ms = 1_000 * Math.min(Number(seconds), MOST_WAIT_SECONDS);
        if (ms > 0) await executions.waitForEnd(id, ms, call.cancellation);
        const execution = await find(call, isReachable);
        await bringResult(execution, call.caller, results);
        return describeWhole(execution, results);
      },
    },
    {
      operation: listExecutions,
      async handle({ arguments: { status, first = 50 }, caller }, isReachable) {
        const own = (await executions.list(caller)).filter((execution) => isShown(execution, isReachable));
        const all = own.filter((execution) => status === undefined || execution.status === status);
        return { data: { executions: all.slice(0, Number(first)).map(describeExecution), total: all.length } };
      },
    },
    {
      operation: cancelExecution,
      async handle(call, isReachable) {
        const execution = await find(call, isReachable);
        requireTransition(execution, 'cancelled');
        const cancelled = await executions.cancelAnywhere(execution.id, 'the client has cancelled it');
        return { data: describeExecution(cancelled) };
      },
    },
    {
      operation: retryExecution,
      async handle(call, isReachable) {
        const execution = await find(call, isReachable);
        requireTransition(execution, 'running');
        return { data: describeExecution(executions.retry(execution.id)) };
      },
    },
  ];
}

/** Agents are no operations. */
function isShown({ kind, subject, origin = subject }: Execution, isReachable: IsReachable): boolean {
  return kind !== 'call' || isReachable(origin);
}

/** Takes the answer from the gateway that has kept it, where that is another one. */
async function bringResult(
  { result, owner }: Execution,
  caller: Caller,
  results: ExecutionHandlerDeps['results'],
): Promise<void> {
  for (const handle of [result?.answer, result?.blocks]) {
    if (handle !== undefined) await results.bringKept(handle, { owner, caller });
  }
}

/** The state with the answer, which is as the call gave it: no number changes, and what is too large is cut like any answer. */
function describeWhole(execution: Execution, results: ExecutionHandlerDeps['results']): HandlerOutcome {
  const state = JSON.stringify(describeExecution(execution));
  const { status, kind, result, owner } = execution;
  if (status !== 'completed' || kind !== 'call') return { dataText: state };
  const answer = result === undefined ? undefined : results.kept(result.answer, owner);
  if (answer === undefined) return { data: describeExecution(execution), warnings: [RESULT_GONE] };
  const text = `${state.slice(0, -1)},"result":${answer}}`;
  const blocks = result?.blocks === undefined ? [] : readBlocks(results.kept(result.blocks, owner));
  if (blocks.length === 0) return { toolResult: { content: [{ type: 'text', text }] } };
  return { toolResult: { ...readExactResult(`{"structuredContent":${text}}`), content: blocks } };
}

function readBlocks(text: string | undefined): readonly ContentBlock[] {
  const blocks: unknown = JSON.parse(text ?? '[]');
  return Array.isArray(blocks) ? blocks.filter(isBlock) : [];
}

function isBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string';
}

const RESULT_GONE: Warning = {
  code: 'EXECUTION_RESULT_GONE_WARNING',
  message:
    "The execution has completed, and its result is not kept any more ('results.keptSeconds'), or was too large to keep",
  severity: 'medium',
};
