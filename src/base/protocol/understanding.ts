import type { Classification } from './operation.js';

/** How far a classification can be relied on, the most first. */
const UNDERSTANDINGS = ['declared', 'known', 'understood', 'uncertain'] as const;
export type Understanding = (typeof UNDERSTANDINGS)[number];

/** Classifications below this confidence are uncertain. */
export const DOUBTFUL = 0.9;

/** The confidence of a classification that the operator declared. */
const DECLARED = 1;

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
