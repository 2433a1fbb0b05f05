import { describe, expect, test } from 'vitest';
import { groupBy } from '../../src/base/lib/collections.js';
import { splitTool } from '../../src/catalog/grouped-tools/split-tool.js';
import { ON_NEW_SERVERS } from '../../src/classify/confidence-weights.js';
import { ARBITRARY_RUNNERS } from './arbitrary-runners.js';
import { findCorpus, isOnlyScored, readAllLabels, readAllTools } from './corpus.js';
import { describeCalibration, describeFigures, describeSpread, namesOf, percent } from './describe-figures.js';
import {
  classifyCaptured,
  isDestructive,
  judge,
  measureClassification,
  measureGrouping,
  readSubjects,
} from './evaluate-classification.js';
import { learnWeights } from './learn-confidence.js';
import { readTrainingExamples } from './training.js';

const directory = findCorpus();
if (directory === undefined) console.log('classification: ../shared/corpus is absent, its thresholds are not measured');
const tools = directory === undefined ? [] : readAllTools(directory);
const labels = directory === undefined ? [] : readAllLabels(directory);
const learnable = labels.filter(({ server }) => !isOnlyScored(server));
const onlyScored = labels.filter(({ server }) => isOnlyScored(server));

const INVENTED = 2;
const MISSED = 8;

describe.skipIf(directory === undefined)('classification of the labelled corpus', () => {
  const examples = readTrainingExamples(tools, learnable);
  describe.each([
    { seen: false, accepted: 0.99, readsElsewhere: 0.03, overrated: 0.01, sureAndRight: 0.99 },
    { seen: true, accepted: 0.99, readsElsewhere: 0.03, overrated: 0.01, sureAndRight: 0.99 },
  ])('annotations seen: $seen', ({ seen, accepted, readsElsewhere, overrated, sureAndRight }) => {
    const servers = groupBy(readSubjects(tools, learnable, !seen), ({ label }) => label.server);
    // Each server is judged with what all others teach.
    const leftOut = [...servers].map(([server, subjects]) => ({
      server,
      judgements: judge(subjects, {
        weights: learnWeights(examples.filter((example) => example.server !== server)),
        calibration: ON_NEW_SERVERS,
      }),
    }));
    const all = measureClassification(leftOut.flatMap(({ judgements }) => judgements));
    const scored = measureClassification(judge(readSubjects(tools, onlyScored, !seen)));
    const heading = `annotations ${seen ? 'seen' : 'hidden'}`;

    test('the figures are those of one server left out at a time, and of the quarter that is only scored', () => {
      const each = leftOut.map(({ judgements }) => measureClassification(judgements));
      console.log(
        [
          describeFigures(`${heading}, one server left out`, all),
          `  ${describeSpread(each)}`,
          describeCalibration('  confidence', all),
          describeFigures(`${heading}, only scored`, scored),
          describeCalibration('  confidence', scored),
        ].join('\n'),
      );
      expect(all.tools + scored.tools).toBe(labels.length);
    });

    test('the figures cover every server that is not only scored', () => {
      const lines = leftOut.map(({ server, judgements }) =>
        describeFigures(`  ${server}`, measureClassification(judgements)),
      );
      console.log(lines.join('\n'));
      expect(lines.length).toBeGreaterThan(0);
    });

    test.each([
      ['one server left out', all, namesOf],
      ['only scored', scored, () => ['not shown']],
    ] as const)('%s: the thresholds are reached', (_what, figures, name) => {
      expect(figures.accepted, name(figures.notAccepted).join('\n')).toBeGreaterThanOrEqual(accepted);
      expect(figures.writesInRead.length, name(figures.writesInRead).join('\n')).toBe(0);
      expect(figures.readsElsewhere).toBeLessThanOrEqual(readsElsewhere);
      expect(figures.destroyersUnderrated.length, name(figures.destroyersUnderrated).join('\n')).toBe(0);
      // More is right here than is said: what is said is meant for servers that the rules were not written for.
      expect(figures.calibration.expectedError).toBeLessThanOrEqual(0.04);
      // With so few mistakes a share says little: one may be among the decisions that are not the least sure fifth.
      const surprising = (1 - figures.calibration.mistakesInLeastSureFifth) * figures.notAccepted.length;
      expect(Math.round(surprising)).toBeLessThanOrEqual(1);
      expect(figures.calibration.sureAndRight).toBeGreaterThanOrEqual(sureAndRight);
    });

    test('one server left out: few harmless tools are overrated', () => {
      expect(all.overrated).toBeLessThanOrEqual(overrated);
    });

    test('every tool that runs arbitrary input is EXECUTE and rated destructive or higher', () => {
      const runners = tools.filter(({ id }) => ARBITRARY_RUNNERS.has(id));
      const judged = runners.map((tool) => ({ id: tool.id, ...classifyCaptured(tool, !seen) }));
      const missed = judged.filter((one) => one.category !== 'EXECUTE' || !isDestructive(one));
      expect(missed.map(({ id }) => id)).toEqual([]);
    });
  });

  // The figures above are of whole tools, as the labels are; these are of their parts.
  test('grouped tools are found, and no others', () => {
    const { labelled, precision, recall, missed, invented, split, whole, parts } = measureGrouping(
      judge(readSubjects(tools, learnable, true)),
    );
    console.log(
      [
        `grouped tools: ${labelled} labelled, precision ${percent(precision)}, recall ${percent(recall)}`,
        `  split by default: ${split.length}, into ${parts} operations`,
        `  whole, as their values do not differ in effect: ${whole.join(', ')}`,
        `  not found (no enum of verbs): ${missed.join(', ')}`,
      ].join('\n'),
    );
    expect(invented.length, invented.join('\n')).toBeLessThanOrEqual(INVENTED);
    // Readers also labelled what no enum shows: a boolean, free text, an array of operations, modes without verbs.
    expect(missed.length).toBeLessThanOrEqual(MISSED);
  });

  test('no part of a grouped tool that changes something is a READ', () => {
    const reads = tools
      .filter(({ server }) => !isOnlyScored(server))
      .flatMap((captured) => {
        const split = splitTool(captured.tool);
        return (split?.values ?? [])
          .filter(({ value }) => {
            const part = { parameter: split?.parameter ?? '', value };
            return classifyCaptured(captured, true, part).category === 'READ';
          })
          .map(({ value }) => value);
      });
    const words = [...new Set(reads)].sort();
    expect(
      words.filter(
        (word) => !/^(?:list|get|show|search|diff|verify|validate|discover|reference$|versions$)/.test(word),
      ),
    ).toEqual([]);
  });
});
