import type { JsonObject } from '../../../base/json/json.js';
import type { Observer } from '../../../base/observe/observation.js';
import type { RawCall } from '../../../base/protocol/call.js';
import { InputRequired } from '../../../base/protocol/consent.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { Reply } from '../../../base/protocol/result.js';
import { turns } from '../../../base/turns/turns.js';
import type { Request } from '../decode.js';
import type { PipelineCalls } from '../inner-calls.js';
import { shapeFailure, shapeQuestion, toOperationError } from '../shape.js';
import type { Snapshot } from '../snapshot.js';
import { agreeTogether, askTogether } from './agree-together.js';
import { type AheadDeps, askAhead, type ForeseeingPolicy } from './ask-ahead.js';
import { checkReach } from './families.js';
import { checkForm, readItems } from './items.js';
import { type SettledRun, settleRun } from './pending.js';
import { type BatchRun, runItems } from './run.js';
import { type BatchQuestions, writeBatch } from './write.js';

export interface BatchDeps {
  readonly calls: Pick<PipelineCalls, 'send' | 'judge'>;
  readonly policy: ForeseeingPolicy;
  readonly maxOperations: number;
  /** What happens when an item needs confirmation: later items do not begin, or the others still run (section 7.5.4). */
  readonly onConfirmation: 'halt' | 'skip';
  /** Most tokens of data in all answers of a batch together; 0 sets no bound. */
  readonly answerTokens: number;
  readonly limits: PayloadLimits;
  readonly observe: Observer;
}

/** Answers a batch: each operation runs through the pipeline by itself. The snapshot decides how the batch is read. Never rejects. */
type BatchRunner = (request: Batch, snapshot: Snapshot) => Promise<Reply>;

type Batch = Extract<Request, { readonly kind: 'batch' }>;

/** The smallest share of the answer that an item gets: a smaller answer would hold nothing useful. */
const LEAST_TOKENS = 120;

/** A batch is refused here when it is empty, too long or nested, or mixes the families of a semantic endpoint. */
export function createBatchRunner(deps: BatchDeps): BatchRunner {
  const { calls, policy, maxOperations, onConfirmation, limits, observe } = deps;
  const onDefect = (cause: unknown): void => observe({ kind: 'defect', where: 'batch', cause });
  return async ({ call: raw, operations }, snapshot) => {
    try {
      checkForm(raw, operations, maxOperations);
      const pause = (alone = false) => turns[alone ? 'next' : 'enter'](raw.caller.sessionId);
      const items = await readItems(operations, snapshot.catalog, limits, pause);
      checkReach(raw, items, snapshot);
      const answerTokens = shareOf(deps.answerTokens, operations.length);
      const itemOf = (request: JsonObject) => ({ kind: 'batch', tool: raw.tool, request, answerTokens }) as const;
      const ahead: AheadDeps = {
        policy,
        foresee: (request) => calls.judge(raw, itemOf(request)),
        catalog: snapshot.catalog,
        cancellation: raw.cancellation,
        onDefect,
      };
      const agreed = policy.joint === undefined ? { items } : await agreeTogether(items, raw, policy.joint, ahead);
      const { consent } = agreed;
      const send = (request: JsonObject, onProgress: RawCall['onProgress']) =>
        calls.send(raw, { ...itemOf(request), consent, onProgress });
      const begin = () => turns.enterAfterOthers(raw.caller.sessionId);
      const run = await runItems(agreed.items, raw, { onConfirmation, send, limits, pause: begin, onDefect });
      const settled = await settleRun(agreed.items, run, limits, pause);
      const halt = await askAboutRest(settled, run.asked, ahead);
      return await writeBatch(agreed.items, settled, halt, limits, pause);
    } catch (thrown) {
      if (thrown instanceof InputRequired) return shapeQuestion(thrown, undefined);
      if (!(thrown instanceof OperationError)) onDefect(thrown);
      // The published form of a refused batch has no details.
      const { code, message } = toOperationError(thrown, undefined);
      return shapeFailure(new OperationError(code, message), undefined);
    }
  };
}

/** What the answer of a halted batch says of the operations that wait. */
async function askAboutRest(
  settled: SettledRun,
  asked: BatchRun['asked'],
  ahead: AheadDeps,
): Promise<BatchQuestions | undefined> {
  if (settled.haltedAt === undefined) return undefined;
  const { joint } = ahead.policy;
  const together = joint === undefined ? undefined : await askTogether(settled, joint, ahead);
  if (together !== undefined) return { together };
  const coming = settled.pending.map(({ item: { index, operation }, known }) => ({ index, operation, known }));
  return { each: await askAhead(coming, asked, ahead) };
}

function shareOf(tokens: number, items: number): number {
  return tokens > 0 ? Math.max(LEAST_TOKENS, Math.floor(tokens / items)) : Number.POSITIVE_INFINITY;
}
