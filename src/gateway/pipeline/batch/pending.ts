import type { JsonObject } from '../../../base/json/json.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { Reply } from '../../../base/protocol/result.js';
import { shapeFailure } from '../shape.js';
import type { BatchItem, Pause } from './items.js';
import { continueItem, createResultReader, limitReads, type ResultReader, resolveItem } from './references.js';
import type { BatchRun } from './run.js';

/** An operation that did not run because the batch halted. */
export interface PendingItem {
  readonly item: BatchItem;
  /** As it is sent in the batch that continues this one: the halted operation is its first, and this list follows. */
  readonly request: JsonObject;
  /** As its call is sent; undefined while it uses the result of what has not run either. */
  readonly known: JsonObject | undefined;
}

export interface SettledRun {
  readonly replies: BatchRun['replies'];
  readonly haltedAt: number | undefined;
  /** The request of the item that halted the batch, as it was sent. */
  readonly halted: JsonObject | undefined;
  readonly pending: readonly PendingItem[];
}

/**
 * Separates what can continue the batch from what cannot: an item that uses the result of a failed one fails at once, since
 * in the next batch its reference would name another operation.
 */
export async function settleRun(
  items: readonly BatchItem[],
  { replies: answered, haltedAt }: Pick<BatchRun, 'replies' | 'haltedAt'>,
  limits: PayloadLimits,
  pause: Pause,
): Promise<SettledRun> {
  const asking = items.find(({ index }) => index === haltedAt);
  if (asking === undefined || haltedAt === undefined) {
    return { replies: answered, haltedAt, halted: undefined, pending: [] };
  }
  const replies: (Reply | undefined)[] = [...answered];
  const results = createResultReader(replies);
  const shown = limitReads(results, limits, limits.maxResponseSize);
  const ofOneRequest = (read: ResultReader) => limitReads(read, limits, limits.maxRequestSize);
  const halted = resolveItem(asking, ofOneRequest(results));
  const positions = new Map([[haltedAt, 0]]);
  const pending: PendingItem[] = [];
  for (const item of items) {
    if (replies[item.index] !== undefined) continue;
    await pause();
    try {
      const { request, waits } = continueItem(item, ofOneRequest(shown), positions);
      pending.push({ item, request, known: waits ? undefined : resolveItem(item, ofOneRequest(results)) });
      positions.set(item.index, pending.length);
    } catch (thrown) {
      if (!(thrown instanceof OperationError)) throw thrown;
      replies[item.index] = shapeFailure(thrown, undefined);
    }
  }
  return { replies, haltedAt, halted, pending };
}
