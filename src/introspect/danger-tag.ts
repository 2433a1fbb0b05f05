import { dangerRank } from '../protocol/danger.js';
import type { Operation } from '../protocol/operation.js';

/** What policy says of an operation before there is a call; see `policy/admission`. */
export interface OperationOutlook {
  readonly decision: 'allow' | 'confirm' | 'deny';
  readonly requires: 'token' | 'human';
  /** Whether parameters or the client may change the decision. */
  readonly conditional: boolean;
}

export type OutlookOf = (operation: Operation) => OperationOutlook;

/** From here on an operation is marked even where nothing stops it. */
const MARKED_FROM = dangerRank('destructive');

/** `[destructive: needs confirmation]`: what a model should know of an operation wherever it reads of it; empty for most. */
export function dangerTag({ classification: { danger } }: Operation, outlook: OperationOutlook): string {
  const gate = describeGate(outlook);
  if (gate !== undefined) return `[${danger.level}: ${gate}]`;
  return dangerRank(danger.level) >= MARKED_FROM ? `[${danger.level}]` : '';
}

function describeGate({ decision, requires, conditional }: OperationOutlook): string | undefined {
  if (decision === 'deny') return 'denied';
  if (decision === 'confirm') return requires === 'human' ? "needs a person's approval" : 'needs confirmation';
  return conditional ? 'may need confirmation' : undefined;
}
