import { expect, test } from 'vitest';
import { minutes } from '../support/patience.js';
import { findCorpus, isOnlyScored, readAllLabels, readAllTools } from './corpus.js';
import { percent } from './describe-figures.js';
import { type Judgement, judge } from './evaluate-classification.js';
import { learnCalibration, learnWeights } from './learn-confidence.js';
import { readTrainingExamples } from './training.js';
import { readUnread, readUnreadExamples, type Unread } from './unread.js';

const directory = findCorpus();

/** Lower ends of the ranges of what is said. */
const RANGES = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97];
/** Servers are learned from in so many parts but one, and the one is judged. */
const PARTS = 10;

/** Each server judged by weights to which it has taught nothing. */
function judgeLeftOut(
  { subjects }: Unread,
  teach: (servers: ReadonlySet<string>) => Parameters<typeof judge>[1],
): readonly Judgement[] {
  const servers = [...new Set(subjects.map(({ label }) => label.server))].sort();
  return Array.from({ length: PARTS }, (_, part) => {
    const left = new Set(servers.filter((_server, index) => index % PARTS === part));
    const some = subjects.filter(({ label }) => left.has(label.server));
    return some.length === 0 ? [] : judge(some, teach(left));
  }).flat();
}

const isRight = ({ label, classification }: Judgement): boolean => label.accepted.includes(classification.category);

function table(what: string, judgements: readonly Judgement[]): readonly string[] {
  const rows = RANGES.map((from, index) => {
    const to = RANGES[index + 1] ?? 1.01;
    const some = judgements.filter(({ classification: { confidence } }) => confidence >= from && confidence < to);
    const said = some.reduce((sum, { classification }) => sum + classification.confidence, 0) / some.length;
    const right = some.filter(isRight).length / some.length;
    const range = `${from} to ${index + 1 < RANGES.length ? to : 1}`;
    return some.length === 0
      ? `  ${range}: none`
      : `  ${range}: ${some.length} tools, said ${percent(said)}, right ${percent(right)}`;
  });
  const sure = judgements.filter(({ classification }) => classification.confidence >= 0.9);
  return [
    what,
    ...rows,
    `  of ${sure.length} with 0.9 or more ${percent(sure.filter(isRight).length / sure.length)} are right`,
  ];
}

// npm run eval -- --calibration
test.skipIf(process.env['CALIBRATION'] === undefined || directory === undefined)(
  'of what is said with 0.9 nine in ten are right, on servers that taught nothing',
  () => {
    const from = directory ?? '';
    const labels = readAllLabels(from).filter(({ server }) => !isOnlyScored(server));
    const examples = readTrainingExamples(readAllTools(from), labels);
    const unreadExamples = readUnreadExamples(from);
    for (const unread of readUnread(from)) {
      const judgements = judgeLeftOut(unread, (left) => {
        const isLeft = ({ server }: { readonly server: string }): boolean => left.has(server);
        const weights = learnWeights(examples.filter((each) => !isLeft(each)));
        return {
          weights,
          calibration: learnCalibration(
            unreadExamples.filter((each) => !isLeft(each)),
            weights,
          ),
        };
      });
      console.log(table(unread.what, judgements).join('\n'));
      const sure = judgements.filter(({ classification }) => classification.confidence >= 0.9);
      expect(sure.filter(isRight).length / sure.length).toBeGreaterThanOrEqual(0.9);
    }
  },
  minutes(10),
);
