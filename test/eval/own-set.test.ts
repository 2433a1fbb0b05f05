import { describe, expect, test } from 'vitest';
import { type CorpusTool, isOnlyScored, type Label } from './corpus.js';
import { describeCalibration, describeFigures, namesOf } from './describe-figures.js';
import { type ClassificationFigures, judge, measureClassification, readSubjects } from './evaluate-classification.js';
import { readOwnSet } from './own-set.js';

/** The sets of our own making hold the classification in a clone without ../shared. */
function measureOwn(file: Parameters<typeof readOwnSet>[0], hidden: boolean): ClassificationFigures {
  const own = readOwnSet(file);
  const tools: readonly CorpusTool[] = own.map(({ tool }) => tool);
  const labels: readonly Label[] = own.map(({ label }) => label);
  return measureClassification(judge(readSubjects(tools, labels, hidden)));
}

describe.each([
  { file: 'tools.tsv', hidden: true, accepted: 0.955, readsElsewhere: 0.12, overrated: 0.04 },
  { file: 'languages.tsv', hidden: true, accepted: 0.95, readsElsewhere: 0.03, overrated: 0.02 },
  { file: 'hints.tsv', hidden: false, accepted: 0.95, readsElsewhere: 0.03, overrated: 0.02 },
] as const)('our own $file, annotations hidden: $hidden', ({ file, hidden, accepted, readsElsewhere, overrated }) => {
  const figures = measureOwn(file, hidden);
  console.log([describeFigures(`our own ${file}`, figures), describeCalibration('  confidence', figures)].join('\n'));

  test('no write is a READ, and every tool that destroys is rated destructive or higher', () => {
    expect(namesOf(figures.writesInRead)).toEqual([]);
    expect(namesOf(figures.destroyersUnderrated)).toEqual([]);
  });

  test('the share of accepted categories does not fall', () => {
    expect(figures.accepted, namesOf(figures.notAccepted).join('\n')).toBeGreaterThanOrEqual(accepted);
    expect(figures.readsElsewhere).toBeLessThanOrEqual(readsElsewhere);
    expect(figures.overrated).toBeLessThanOrEqual(overrated);
  });
});

test('at least 40 tools in seven other languages than English are held', () => {
  expect(readOwnSet('languages.tsv').length).toBeGreaterThanOrEqual(40);
});

test('no server is both learned from and only scored', () => {
  expect(isOnlyScored('stripe__mcp')).toBe(true);
  expect(isOnlyScored('n8n-mcp')).toBe(false);
});
