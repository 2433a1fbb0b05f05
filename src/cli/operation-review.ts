import type { LockContent, LockedOperation } from '../config/lock-content.js';
import type { PlacedOperation } from '../gateway.js';
import { localNameOf, showJudgement } from '../tool-review.js';

/** Below this the gateway itself says that it may be wrong; of the captured catalogues' operations 4 % are. */
const DOUBTFUL = 0.7;

/** What the operator declared has been looked at. */
const DECLARED = 1;

/** Why an operation's classification deserves a look: nobody accepted it, it changed, or it is little more than a guess. */
export type ReviewReason = 'new' | 'changed' | 'uncertain';

export interface OperationReview {
  readonly reason: ReviewReason;
  /** The reason in words. */
  readonly why: string;
}

/**
 * Whether somebody should look at how an operation is classified. What the lock holds has been accepted, however doubtful;
 * where there is no lock, only doubt is worth a look.
 */
export function reviewOperation(
  { operation }: PlacedOperation,
  upstream: string,
  lock: LockContent | null,
): OperationReview | undefined {
  const { category, danger, confidence } = operation.classification;
  if (confidence >= DECLARED) return undefined;
  const doubt = `${Math.round(confidence * 100)}% sure`;
  if (lock === null) return confidence < DOUBTFUL ? { reason: 'uncertain', why: doubt } : undefined;
  const accepted = findAccepted(lock, upstream, operation.tool, localNameOf(operation));
  if (accepted === undefined) return { reason: 'new', why: `new, ${doubt}` };
  const [before, now] = [accepted, { category, danger: danger.level }].map(showJudgement);
  return before === now ? undefined : { reason: 'changed', why: `changed from ${before}, ${doubt}` };
}

/** The one line for `operations` in the upstream's file that states what the gateway found, to be corrected there. */
export function overrideLine({ operation }: PlacedOperation): string {
  const { category, danger } = operation.classification;
  // A part of a grouped tool is named by its own name, as the tool's would mean all parts.
  const name = operation.fixedArguments === undefined ? operation.tool : localNameOf(operation);
  return `${JSON.stringify(name)}: ${JSON.stringify({ category, danger: danger.level })}`;
}

function findAccepted(
  lock: LockContent,
  upstream: string,
  tool: string,
  operation: string,
): LockedOperation | undefined {
  const tools = Object.hasOwn(lock.upstreams, upstream) ? lock.upstreams[upstream] : undefined;
  const locked = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return locked !== undefined && Object.hasOwn(locked.operations, operation) ? locked.operations[operation] : undefined;
}
