import { describe, expect, test } from 'vitest';
import { isRecognised, measureNoise, readConditionalLabels, readOperations } from './conditional-danger.js';
import { findCorpus, isOnlyScored, type Label, readAllLabels } from './corpus.js';

const directory = findCorpus();
if (directory === undefined)
  console.log('conditional danger: ../shared/corpus is absent, its thresholds are not measured');

describe.skipIf(directory === undefined)('danger of calls of the labelled corpus', () => {
  const operations = directory === undefined ? [] : readOperations(directory);
  const labels = readConditionalLabels();

  test('of the arguments that destroy, at least 95 % raise the danger of their call', () => {
    const shown = labels.filter(({ parameter }) => parameter !== '');
    const missed = shown.filter((label) => !isRecognised(operations, label));
    const share = 1 - missed.length / shown.length;
    const lines = missed
      .filter(({ server }) => !isOnlyScored(server))
      .map(({ tool, parameter, value }) => `  missed: ${tool} ${parameter}=${JSON.stringify(value)}`);
    console.log(
      [
        `arguments that destroy: ${shown.length} labelled, recognised ${(share * 100).toFixed(1)} %, ` +
          `${labels.length - shown.length} more tools show it by no argument`,
        ...lines,
      ].join('\n'),
    );
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  test('no READ is rated above reversible', () => {
    const reads = operations.filter(({ classification }) => classification.category === 'READ');
    const above = reads.filter(({ classification }) => !['safe', 'reversible'].includes(classification.danger.level));
    expect(above.map(({ qualifiedName }) => qualifiedName)).toEqual([]);
  });

  test('few tools ask for a confirmation although they destroy nothing', () => {
    const noise = measureNoise(operations, directory === undefined ? [] : readAllLabels(directory));
    const list = (what: readonly Label[]) =>
      what
        .filter(({ server }) => !isOnlyScored(server))
        .map(({ id }) => id)
        .join(', ');
    console.log(
      [
        `pure reads: ${noise.pureReads}, always asking ${noise.pureReadsAsking.length} (${list(noise.pureReadsAsking)}), ` +
          `asking with some argument ${noise.pureReadsAtRisk.length} (${list(noise.pureReadsAtRisk)})`,
        `destroying nothing: ${noise.harmless}, always asking ${noise.harmlessAsking.length} (${list(noise.harmlessAsking)}), ` +
          `asking with some argument ${noise.harmlessAtRisk.length} (${list(noise.harmlessAtRisk)})`,
      ].join('\n'),
    );
    expect(noise.pureReadsAsking.length / noise.pureReads).toBeLessThanOrEqual(0.01);
    expect(noise.pureReadsAtRisk.length / noise.pureReads).toBeLessThanOrEqual(0.01);
    expect(noise.harmlessAsking.length / noise.harmless).toBeLessThanOrEqual(0.02);
    expect(noise.harmlessAtRisk.length / noise.harmless).toBeLessThanOrEqual(0.02);
  });
});
