import type { JsonObject } from '../../../base/json/json.js';
import type { ProgressUpdate, RawCall } from '../../../base/protocol/call.js';
import type { Cancellation } from '../../../base/protocol/cancellation.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { Reply } from '../../../base/protocol/result.js';
import { shapeFailure, toOperationError } from '../shape.js';
import type { BatchItem, Pause } from './items.js';
import { createResultReader, isQuestion, limitReads, type ResultReader, resolveItem } from './references.js';

export interface BatchRun {
  /** By index; undefined where an item did not run because the batch halted. */
  readonly replies: readonly (Reply | undefined)[];
  /** The item that halted the batch. */
  readonly haltedAt: number | undefined;
  /** By index: the questions of items after it that had begun beside it. */
  readonly asked: ReadonlyMap<number, Reply>;
}

interface RunOptions {
  readonly onConfirmation: 'halt' | 'skip';
  /** Sends one item, its references resolved, through the pipeline. */
  readonly send: (request: JsonObject, onProgress: RawCall['onProgress']) => Promise<Reply>;
  /** The limits of an item with its references resolved. */
  readonly limits: PayloadLimits;
  readonly pause: Pause;
  /** Called with thrown values that are not an `OperationError`. */
  readonly onDefect: (cause: unknown) => void;
}

/**
 * Runs the items in their order (specification, operations document, section 7.3). Neighbouring reads run in parallel; an
 * item that may change something runs alone. The first item that needs confirmation halts the batch: no later item begins.
 */
export async function runItems(
  items: readonly BatchItem[],
  { cancellation, onProgress }: Pick<RawCall, 'cancellation' | 'onProgress'>,
  options: RunOptions,
): Promise<BatchRun> {
  const replies: (Reply | undefined)[] = items.map(() => undefined);
  const read = createResultReader(replies);
  let haltedAt = Number.POSITIVE_INFINITY;
  const progress = onProgress === undefined ? undefined : new BatchProgress(items.length, onProgress);

  const run = async (item: BatchItem): Promise<void> => {
    // A malformed item cannot run in any case, so its fault is reported even after a halt.
    if (item.index > haltedAt && item.fault === undefined) return;
    const onItemProgress = progress && ((update: ProgressUpdate) => progress.within(item, update));
    const reply = await answerItem(item, read, cancellation, { ...options, onItemProgress });
    replies[item.index] = reply;
    if (options.onConfirmation === 'halt' && isQuestion(reply)) haltedAt = Math.min(haltedAt, item.index);
    progress?.ended(item);
  };

  for (const stage of divideIntoStages(items)) await runStage(stage, run);
  if (!Number.isFinite(haltedAt)) return { replies, haltedAt: undefined, asked: NOTHING_ASKED };
  return { ...setQuestionsApart(haltedAt, replies), haltedAt };
}

/** The part of an item that has not ended is less than a whole one. */
const MOST_OF_AN_ITEM = 0.99;

/** The progress of a batch: the items that have ended, and a part of those that run. It only ever grows, as MCP requires. */
class BatchProgress {
  readonly #total: number;
  readonly #report: (update: ProgressUpdate) => void;
  #ended = 0;
  #last = 0;

  constructor(total: number, report: (update: ProgressUpdate) => void) {
    this.#total = total;
    this.#report = report;
  }

  within({ operation }: BatchItem, { progress, total, message }: ProgressUpdate): void {
    // Of how much is not always known: then each step is a smaller part.
    const part = total === undefined || total <= 0 ? progress / (progress + 1) : progress / total;
    this.#grow(this.#ended + Math.min(Math.max(part, 0), MOST_OF_AN_ITEM), [operation, message]);
  }

  ended({ operation }: BatchItem): void {
    this.#ended += 1;
    this.#grow(this.#ended, [`${this.#ended} of ${this.#total}`, operation]);
  }

  #grow(progress: number, words: readonly (string | undefined)[]): void {
    if (!(progress > this.#last)) return;
    this.#last = progress;
    this.#report({ progress, total: this.#total, message: words.filter((word) => word !== undefined).join(': ') });
  }
}

/** Never rejects: a failure is the item's answer. */
async function answerItem(
  item: BatchItem,
  read: ResultReader,
  cancellation: Cancellation,
  { send, onDefect, limits, pause, onItemProgress }: RunOptions & { readonly onItemProgress: RawCall['onProgress'] },
): Promise<Reply> {
  try {
    if (item.fault !== undefined) throw item.fault;
    const room = pause();
    if (room !== undefined) await room;
    if (cancellation.cancelled) throw neverBegan(item);
    return await send(resolveItem(item, limitReads(read, limits, limits.maxRequestSize)), onItemProgress);
  } catch (thrown) {
    const error = toOperationError(thrown, item.operation);
    if (error !== thrown) onDefect(thrown);
    return shapeFailure(error, undefined);
  }
}

/** Runs the items in parallel, except that an item waits for those whose results it uses. */
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

const NOTHING_ASKED: ReadonlyMap<number, Reply> = new Map();

/** Parallel items after the halting one that also need confirmation did not run: they count as pending. */
function setQuestionsApart(haltedAt: number, replies: BatchRun['replies']): Pick<BatchRun, 'replies' | 'asked'> {
  const asked = new Map<number, Reply>();
  const ended = replies.map((reply, index) => {
    if (reply === undefined || index <= haltedAt || !isQuestion(reply)) return reply;
    asked.set(index, reply);
    return undefined;
  });
  return { replies: ended, asked };
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

/** Neighbouring reads share a stage; an item that may change something has its own, so that it sees the effects of earlier ones. */
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
