import { performance } from 'node:perf_hooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSearchIndex } from '../../src/search/index.js';
import { readQuery } from '../../src/search/query.js';
import { rankOperations } from '../../src/search/rank.js';
import { SEARCH_SETTINGS } from '../../src/search/settings.js';
import { fieldThesaurus } from '../../src/search/thesaurus.js';
import { findCorpus } from './corpus.js';
import {
  buildCorpusIndex,
  INGREDIENTS,
  isHeldOut,
  measureSearch,
  multiplyOperations,
  readSearchCases,
  readSearchedCorpus,
  type SearchCase,
  type SearchedCorpus,
  type SearchFigures,
} from './evaluate-search.js';

const directory = findCorpus();
if (directory === undefined) console.log('search: ../shared/corpus is absent, its thresholds are not measured');

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(7);

function describeFigures(what: string, { requests, at1, at5, at10, reciprocalRank }: SearchFigures): string {
  const shares = `hit@1 ${percent(at1)}  @5 ${percent(at5)}  @10 ${percent(at10)}  MRR ${reciprocalRank.toFixed(3)}`;
  return `${what.padEnd(40)} ${String(requests).padStart(4)} requests  ${shares}`;
}

describe.skipIf(directory === undefined)('search over the whole corpus', { timeout: 60_000 }, () => {
  let corpus: SearchedCorpus;
  let cases: readonly SearchCase[];
  let heldOut: readonly SearchCase[];
  let workedOn: readonly SearchCase[];

  // Reads the corpus in a hook, as the body of `describe` also runs where the corpus is absent and everything is skipped.
  beforeAll(() => {
    corpus = readSearchedCorpus(directory ?? '');
    cases = readSearchCases(directory ?? '');
    heldOut = cases.filter(isHeldOut);
    workedOn = cases.filter((one) => !isHeldOut(one));
  });

  test('the share of requests that find a right tool early reaches the thresholds, also for those held out', async () => {
    const index = await buildCorpusIndex(corpus, SEARCH_SETTINGS);
    const measure = (some: typeof cases): SearchFigures => measureSearch(corpus, index, SEARCH_SETTINGS, some);
    const [all, work, held] = [measure(cases), measure(workedOn), measure(heldOut)];
    console.log(
      [
        `search over ${corpus.operations.length} operations`,
        describeFigures('all', all),
        describeFigures('  worked on', work),
        describeFigures('  held out', held),
      ].join('\n'),
    );
    expect(all.at5).toBeGreaterThanOrEqual(0.6);
    expect(all.at10).toBeGreaterThanOrEqual(0.7);
    expect(held.at5).toBeGreaterThanOrEqual(0.5);
    expect(held.at10).toBeGreaterThanOrEqual(0.65);
  });

  test('the figures cover the search without each ingredient', async () => {
    const lines: string[] = [];
    for (const { without, settings } of INGREDIENTS) {
      const index = await buildCorpusIndex(corpus, settings);
      lines.push(describeFigures(`without ${without}`, measureSearch(corpus, index, settings, cases)));
      lines.push(describeFigures('  held out', measureSearch(corpus, index, settings, heldOut)));
    }
    console.log(lines.join('\n'));
    expect(lines).toHaveLength(2 * INGREDIENTS.length);
  });

  test('the time of a search is printed for 3,000 and 10,000 operations', async () => {
    for (const count of [3_000, 10_000]) {
      const operations = multiplyOperations(corpus, count);
      const building = performance.now();
      const index = await buildSearchIndex(operations, SEARCH_SETTINGS, fieldThesaurus().meant);
      const built = performance.now() - building;
      const times = cases.map(({ query }) => {
        const started = performance.now();
        rankOperations(index, readQuery(query, fieldThesaurus(), SEARCH_SETTINGS, index.vocabulary), SEARCH_SETTINGS);
        return performance.now() - started;
      });
      times.sort((a, b) => a - b);
      const quantile = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
      console.log(
        `${count} operations: index built in ${built.toFixed(0)} ms, a search takes ${quantile(0.5)} ms (median), ` +
          `${quantile(0.95)} ms (p95), ${quantile(1)} ms (longest)`,
      );
    }
  });
});
