import { inTime, runInTurns } from '../../lib/turns.js';
import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import type { JsonObject } from '../../protocol/json.js';
import type { PayloadLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import type { Request } from '../decode.js';
import { shapeFailure, toOperationError } from '../shape.js';
import type { Snapshot } from '../snapshot.js';
import { checkReach } from './families.js';
import { checkForm, readItems } from './items.js';
import { runItems } from './run.js';
import { writeBatch } from './write.js';

export interface BatchDeps {
  /**
   * The pipeline of a single call, with policy, quota and audit, over the catalog of this moment: an item may begin minutes after
   * the batch, and a tool that was quarantined meanwhile must not be called.
   */
  readonly callOne: (raw: RawCall) => Promise<Reply>;
  readonly maxOperations: number;
  /** What happens when an item needs confirmation: later items do not begin, or the others still run (section 7.5.4). */
  readonly onConfirmation: 'halt' | 'skip';
  /** Most bytes of data in all answers of a batch together; 0 sets no bound. */
  readonly answerBytes: number;
  readonly limits: PayloadLimits;
  readonly observe: Observer;
}

/** Answers a batch: each operation runs through the pipeline by itself. The snapshot decides how the batch is read. Never rejects. */
type BatchRunner = (request: Batch, snapshot: Snapshot) => Promise<Reply>;

type Batch = Extract<Request, { readonly kind: 'batch' }>;

/** The smallest share of the answer that an item gets, in bytes: a smaller answer would hold nothing useful. */
const LEAST_BYTES = 2_000;

/** A batch is refused here when it is empty, too long or nested, or mixes the families of a semantic endpoint. */
export function createBatchRunner(deps: BatchDeps): BatchRunner {
  const { callOne, maxOperations, onConfirmation, limits, observe } = deps;
  const onDefect = (cause: unknown): void => observe({ kind: 'defect', where: 'batch', cause });
  return async ({ call: raw, operations }, snapshot) => {
    try {
      checkForm(raw, operations, maxOperations);
      const items = await runInTurns(readItems(operations, snapshot.catalog, limits), raw.caller.sessionId);
      checkReach(raw, items, snapshot);
      const itemCall = createItemCall(raw, operations.length, deps.answerBytes);
      const send = (request: JsonObject) => callOne({ ...itemCall, arguments: request });
      const run = await runItems(items, raw, { onConfirmation, send, limits, lane: raw.caller.sessionId, onDefect });
      return await runInTurns(inTime(writeBatch(items, run, limits)), raw.caller.sessionId);
    } catch (thrown) {
      if (!(thrown instanceof OperationError)) onDefect(thrown);
      return shapeFailure(toOperationError(thrown, undefined), undefined);
    }
  };
}

/**
 * What the calls of all items have in common. Only a live user channel is passed on: an answer that arrives with a second
 * call cannot be matched to an item of a batch.
 */
function createItemCall({ tool, caller, cancellation, user }: RawCall, items: number, answerBytes: number): RawCall {
  return {
    tool,
    arguments: undefined,
    caller,
    cancellation,
    ...(user?.kind === 'live' ? { user } : {}),
    ...(answerBytes > 0 ? { answerBytes: Math.max(LEAST_BYTES, Math.floor(answerBytes / items)) } : {}),
  };
}
