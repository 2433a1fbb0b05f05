import { test } from 'vitest';
import { decideCategory } from '../../src/classify/decide-category.js';
import { gatherFacts, type ToolFacts } from '../../src/classify/facts.js';
import { RULES } from '../../src/classify/rules.js';
import { minutes } from '../support/patience.js';
import { findCorpus, type Label, readCorpusTools, readLabels } from './corpus.js';
import { readSubjects } from './evaluate-classification.js';
import { readOwnSet } from './own-set.js';

interface Fact {
  readonly label: Label;
  readonly facts: ToolFacts;
}

const SETS = [
  ['tools', 'labels.tsv'],
  ['tools-more', 'labels-more.tsv'],
  ['tools-lmb', 'labels-lmb.tsv'],
] as const;
const OWN = ['tools', 'fresh', 'invented', 'trades', 'strangers', 'newcomers', 'disguised'] as const;

function readReal(directory: string): readonly Fact[] {
  return SETS.flatMap(([folder, file]) =>
    [true, false].flatMap((hidden) =>
      readSubjects(readCorpusTools(directory, folder), readLabels(directory, file), hidden),
    ),
  ).map(({ label, input }) => ({ label, facts: gatherFacts(input) }));
}

function readInvented(): readonly Fact[] {
  return OWN.flatMap((file) => {
    const own = readOwnSet(`${file}.tsv`);
    return readSubjects(
      own.map(({ tool }) => tool),
      own.map(({ label }) => label),
      true,
    );
  }).map(({ label, input }) => ({ label, facts: gatherFacts(input) }));
}

/** Right decisions, writes that are taken for reads, and reads that are taken for something else. */
function count(set: readonly Fact[], without: string | undefined) {
  let [right, leaks, elsewhere] = [0, 0, 0];
  for (const { label, facts } of set) {
    const { category } = decideCategory(facts, undefined, { to: ({ id }) => id === without });
    if (label.accepted.includes(category)) right += 1;
    if (category === 'READ' && !label.accepted.includes('READ')) leaks += 1;
    if (category !== 'READ' && label.category === 'READ' && label.mutates === 'n') elsewhere += 1;
  }
  return { right, leaks, elsewhere };
}

const directory = findCorpus();

test.skipIf(process.env['RULES'] === undefined || directory === undefined)(
  'what each rule yields',
  { timeout: minutes(10) },
  () => {
    const sets = [readReal(directory ?? ''), readInvented()] as const;
    const whole = sets.map((set) => count(set, undefined));
    console.log(
      'all rules',
      sets.map((set, at) => [set.length, ...Object.values(whole[at] ?? {})].join(' ')).join(' | '),
    );
    for (const { id } of RULES) {
      const yields = sets.map((set, at) => {
        const { right, leaks, elsewhere } = count(set, id);
        const all = whole[at] ?? { right: 0, leaks: 0, elsewhere: 0 };
        return `right ${all.right - right}, leaks kept away ${leaks - all.leaks}, reads kept ${elsewhere - all.elsewhere}`;
      });
      console.log(`${id}: real ${yields[0]}; invented ${yields[1]}`);
    }
  },
);
