import type { CorpusTool, Label } from './corpus.js';
import { readExamples, readSubjects } from './evaluate-classification.js';
import type { Example } from './learn-confidence.js';
import { isUnseen, readOwnSet } from './own-set.js';

/** What the confidence is learned from: captured tools with and without their annotations, and those of our own making. */
export function readTrainingExamples(tools: readonly CorpusTool[], labels: readonly Label[]): readonly Example[] {
  return [
    ...[true, false].flatMap((hidden) => readExamples(readSubjects(tools, labels, hidden))),
    ...readOwnExamples(),
  ];
}

/** Of the sets that are half only scored, the other half. */
const WORKED_ON = ['fresh.tsv', 'invented.tsv', 'trades.tsv', 'strangers.tsv'] as const;

function readOwnExamples(): readonly Example[] {
  const half = WORKED_ON.flatMap(readOwnSet).filter(({ label }) => !isUnseen(label.server));
  const own = [...readOwnSet('tools.tsv'), ...half];
  return readExamples(
    readSubjects(
      own.map(({ tool }) => tool),
      own.map(({ label }) => label),
      true,
    ),
  );
}
