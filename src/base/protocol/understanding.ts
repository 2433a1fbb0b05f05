import type { Classification, DangerLevel } from './operation.js';

/** How far a classification can be relied on, the most first. */
const UNDERSTANDINGS = ['declared', 'known', 'understood', 'uncertain'] as const;
export type Understanding = (typeof UNDERSTANDINGS)[number];

/** Classifications below this confidence are uncertain. */
export const DOUBTFUL = 0.9;

/** The confidence of a classification that the operator declared. */
const DECLARED = 1;

/** What runs unasked costs most where it is more than it was taken for; what asks anyway costs a question too many. */
const COST_OF_MISTAKE: Readonly<Record<DangerLevel, number>> = {
  safe: 4,
  reversible: 3,
  destructive: 1,
  dangerous: 1,
  forbidden: 1,
};

/** What is to be expected of a mistake: its probability times what it costs. */
export function expectedCost({ confidence, danger }: Classification): number {
  return (1 - confidence) * COST_OF_MISTAKE[danger.level];
}

/** Whether an operator declares it, somebody has reviewed this definition, or the rules are sure of it. */
export function understandingOf({ confidence, known }: Pick<Classification, 'confidence' | 'known'>): Understanding {
  if (confidence >= DECLARED) return 'declared';
  if (known !== undefined) return 'known';
  return confidence < DOUBTFUL ? 'uncertain' : 'understood';
}

/** `12 known, 3 understood, 1 uncertain`; empty where there is nothing to count. */
export function countUnderstanding(classifications: readonly Pick<Classification, 'confidence' | 'known'>[]): string {
  const counts = new Map<Understanding, number>();
  for (const each of classifications.map(understandingOf)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return UNDERSTANDINGS.flatMap((each) => (counts.has(each) ? [`${counts.get(each)} ${each}`] : [])).join(', ');
}
