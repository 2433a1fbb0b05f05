import type { RawCall } from '../../protocol/call.js';
import type { Cancellation } from '../../protocol/cancellation.js';
import type { JsonObject } from '../../protocol/json.js';
import type { PayloadLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import { shapeFailure, toOperationError } from '../shape.js';
import type { BatchItem } from './items.js';
import { createResultReader, isQuestion, limitReads, type ResultReader, resolveItem } from './references.js';

export interface BatchRun {
  /** By index; undefined where an item did not run because the batch was halted. */
  readonly replies: readonly (Reply | undefined)[];
  /** The item that halted the batch. */
  readonly haltedAt: number | undefined;
}

interface RunOptions {
  readonly onConfirmation: 'halt' | 'skip';
  /** Sends one item, its references resolved, down the hallway. */
  readonly send: (request: JsonObject) => Promise<Reply>;
  /** What an item may hold with its references resolved. */
  readonly limits: PayloadLimits;
  /** Told of what was thrown that is no answer. */
  readonly onDefect: (cause: unknown) => void;
}

/**
 * Runs the items in their order (specification, operations document, section 7.3). Neighbours that read run together; what may
 * change something runs alone. The lowest item that asks for agreement halts the batch: nothing after it begins.
 */
export async function runItems(
  items: readonly BatchItem[],
  { cancellation, onProgress }: Pick<RawCall, 'cancellation' | 'onProgress'>,
  options: RunOptions,
): Promise<BatchRun> {
  const replies: (Reply | undefined)[] = items.map(() => undefined);
  const read = createResultReader(replies);
  let haltedAt = Number.POSITIVE_INFINITY;
  let done = 0;

  const run = async (item: BatchItem): Promise<void> => {
    // What has no form was never going to run, and is said even after a halt.
    if (item.index > haltedAt && item.fault === undefined) return;
    const reply = await answerItem(item, read, cancellation, options);
    replies[item.index] = reply;
    if (options.onConfirmation === 'halt' && isQuestion(reply)) haltedAt = Math.min(haltedAt, item.index);
    done += 1;
    onProgress?.({ progress: done, total: items.length, message: `${done} of ${items.length}: ${item.operation}` });
  };

  for (const stage of divideIntoStages(items)) await runStage(stage, run);
  if (!Number.isFinite(haltedAt)) return { replies, haltedAt: undefined };
  return { replies: withoutQuestionsAfter(haltedAt, replies), haltedAt };
}

/** Never rejects: whatever goes wrong is the item's answer. */
async function answerItem(
  item: BatchItem,
  read: ResultReader,
  cancellation: Cancellation,
  { send, onDefect, limits }: RunOptions,
): Promise<Reply> {
  try {
    if (item.fault !== undefined) throw item.fault;
    if (cancellation.cancelled) throw neverBegan(item);
    return await send(resolveItem(item, limitReads(read, limits, limits.maxRequestSize)));
  } catch (thrown) {
    const error = toOperationError(thrown, item.operation);
    if (error !== thrown) onDefect(thrown);
    return shapeFailure(error, undefined);
  }
}

/** All at once, but that an item waits for those whose results it uses. */
async function runStage(stage: Stage, run: (item: BatchItem) => Promise<void>): Promise<void> {
  const running = new Map<number, Promise<void>>();
  for (const item of stage) {
    const needed = item.needs.map((index) => running.get(index));
    running.set(
      item.index,
      Promise.all(needed).then(() => run(item)),
    );
  }
  await Promise.all(running.values());
}

/** Neighbours of the halting item that asked as well did not run either: they are pending, and will ask again. */
function withoutQuestionsAfter(haltedAt: number, replies: BatchRun['replies']): BatchRun['replies'] {
  return replies.map((reply, index) =>
    reply !== undefined && index > haltedAt && isQuestion(reply) ? undefined : reply,
  );
}

function neverBegan({ operation }: BatchItem): OperationError {
  return new OperationError(
    'INTERNAL_ERROR',
    "Internal error: 'the call was cancelled before this operation began'. It did not run",
    { operation, reason: 'cancelled', retryable: true, outcome: 'not_run' },
  );
}

/** Items that may run at the same time, in order. */
type Stage = readonly BatchItem[];

/** Neighbours that read share a stage; what may change something has one of its own, so that it sees what stood before it. */
function divideIntoStages(items: readonly BatchItem[]): readonly Stage[] {
  const stages: BatchItem[][] = [];
  let before: BatchItem | undefined;
  for (const item of items) {
    if (before === undefined || before.isBarrier || item.isBarrier) stages.push([item]);
    else stages.at(-1)?.push(item);
    before = item;
  }
  return stages;
}
