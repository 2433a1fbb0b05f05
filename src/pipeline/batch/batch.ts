import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { PayloadLimits } from '../../protocol/limits.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import { shapeFailure, toOperationError } from '../shape.js';
import type { Snapshot } from '../snapshot.js';
import { checkForm, checkReach, readItem } from './items.js';
import { runItems } from './run.js';
import { writeBatch } from './write.js';

export interface BatchDeps {
  /** The hallway of a single call, with its policy, quota and record. */
  readonly callOne: (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;
  readonly maxOperations: number;
  /** What becomes of a batch whose item asks for agreement: nothing after it begins, or the others run (section 7.5.4). */
  readonly onConfirmation: 'halt' | 'skip';
  /** Bytes of data that the answers of a batch may have together; 0 leaves each as long as it is. */
  readonly answerBytes: number;
  readonly limits: PayloadLimits;
  readonly observe: Observer;
}

/** Answers a batch: each operation walks the hallway alone. Never rejects. */
type BatchRunner = (raw: RawCall, operations: readonly unknown[], snapshot: Snapshot) => Promise<Reply>;

/** An item's share of the answer never falls below this: less would hold nothing worth reading. */
const LEAST_BYTES = 2_000;

/** Makes the runner. A batch is refused here when it is empty, too long, nested, or mixes families of a semantic endpoint. */
export function createBatchRunner(deps: BatchDeps): BatchRunner {
  const { callOne, maxOperations, onConfirmation, limits, observe } = deps;
  const onDefect = (cause: unknown): void => observe({ kind: 'defect', where: 'batch', cause });
  return async (raw, operations, snapshot) => {
    try {
      checkForm(raw, operations, maxOperations);
      const items = operations.map((operation, index) => readItem(operation, index, snapshot, limits));
      checkReach(raw, items, snapshot);
      const itemCall = createItemCall(raw, operations.length, deps.answerBytes);
      const send = (request: JsonObject) => callOne({ ...itemCall, arguments: request }, snapshot);
      const run = await runItems(items, raw, { onConfirmation, send, limits, onDefect });
      return writeBatch(items, run, limits);
    } catch (thrown) {
      if (!(thrown instanceof OperationError)) onDefect(thrown);
      return shapeFailure(toOperationError(thrown, undefined), undefined);
    }
  };
}

/** What all items' calls have in common. A question that comes back with a second call cannot come back into a batch. */
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

/**
 * The operations of a call that is a batch (specification, operations document, section 7.1); undefined where it is a single
 * call. A request that names an operation is single: `operations` beside it can only be meant as its parameter.
 */
export function readBatch(raw: RawCall): readonly unknown[] | undefined {
  const given = raw.arguments;
  if (!isJsonObject(given)) return undefined;
  const { operation, operations } = given;
  return Array.isArray(operations) && (operation === undefined || operation === null) ? operations : undefined;
}
