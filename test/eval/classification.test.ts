import { describe, expect, test } from 'vitest';
import { splitTool } from '../../src/catalog/grouped-tools/split-tool.js';
import { ARBITRARY_RUNNERS } from './arbitrary-runners.js';
import { findCorpus, isHeldOut, readCorpusTools, readLabels } from './corpus.js';
import {
  type ClassificationFigures,
  classifyCaptured,
  isDestructive,
  type Judgement,
  judgeTools,
  measureClassification,
  measureGrouping,
} from './evaluate-classification.js';

const directory = findCorpus();
if (directory === undefined) console.log('classification: ../shared/corpus is absent, its thresholds are not measured');
const tools = directory === undefined ? [] : readCorpusTools(directory);
const labels = directory === undefined ? [] : readLabels(directory);

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const names = (judgements: readonly Judgement[]): readonly string[] => judgements.map(({ label }) => label.id);

function describeFigures(what: string, figures: ClassificationFigures): string {
  const { accepted, readsElsewhere, writesInRead, destroyersUnderrated, overrated } = figures;
  return (
    `${what}: ${figures.tools} tools, accepted ${percent(accepted)}, writes in READ ${writesInRead.length}, ` +
    `pure reads elsewhere ${percent(readsElsewhere)}, destroyers underrated ${destroyersUnderrated.length}, overrated ${overrated}`
  );
}

describe.skipIf(directory === undefined)('classification of the labelled corpus', () => {
  describe.each([
    { seen: false, bar: 0.95 },
    { seen: true, bar: 0.97 },
  ])('annotations seen: $seen', ({ seen, bar }) => {
    const judgements = judgeTools(tools, labels, !seen);
    const all = measureClassification(judgements);

    test('the figures cover the servers worked on and those held out', () => {
      const [work, held] = [false, true].map((heldOut) =>
        measureClassification(judgements.filter(({ label }) => isHeldOut(label.server) === heldOut)),
      );
      if (work === undefined || held === undefined) throw new Error('two parts are measured');
      const heading = `annotations ${seen ? 'seen' : 'hidden'}`;
      console.log(
        [describeFigures(heading, all), describeFigures('  work', work), describeFigures('  held out', held)].join(
          '\n',
        ),
      );
      expect(work.tools + held.tools).toBe(all.tools);
      expect(all.tools).toBe(labels.length);
    });

    test('the figures cover every server', () => {
      const servers = [...new Set(judgements.map(({ label }) => label.server))].sort();
      const lines = servers.map((server) => {
        const figures = measureClassification(judgements.filter(({ label }) => label.server === server));
        return describeFigures(`  ${server}${isHeldOut(server) ? ' (held out)' : ''}`, figures);
      });
      console.log(lines.join('\n'));
      expect(lines.length).toBeGreaterThan(0);
    });

    test('the share of accepted categories reaches the threshold', () => {
      expect(all.accepted, names(all.notAccepted).join('\n')).toBeGreaterThanOrEqual(bar);
    });

    test('no write is classified as READ', () => {
      expect(names(all.writesInRead)).toEqual([]);
    });

    test('at most 3 % of the pure reads get another category', () => {
      expect(all.readsElsewhere).toBeLessThanOrEqual(0.03);
    });

    test('every tool that destroys is rated destructive or higher', () => {
      expect(names(all.destroyersUnderrated)).toEqual([]);
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
      judgeTools(tools, labels, true),
    );
    console.log(
      [
        `grouped tools: ${labelled} labelled, precision ${percent(precision)}, recall ${percent(recall)}`,
        `  split by default: ${split.length}, into ${parts} operations`,
        `  whole, as their values do not differ in effect: ${whole.join(', ')}`,
        `  not found (no enum of verbs): ${missed.join(', ')}`,
      ].join('\n'),
    );
    expect(invented).toEqual([]);
    // Readers also labelled what no enum shows: a boolean, free text, an array of operations, modes without verbs.
    expect(missed.length).toBeLessThanOrEqual(5);
  });

  test('no part of a grouped tool that changes something is a READ', () => {
    const reads = tools.flatMap(({ id, tool }) => {
      const parts = splitTool(tool)?.values ?? [];
      const parameter = splitTool(tool)?.parameter ?? '';
      return parts
        .filter(
          ({ value }) => classifyCaptured({ id, server: '', tool }, true, { parameter, value }).category === 'READ',
        )
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
