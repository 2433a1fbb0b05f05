import { type Label, readCorpusTools, readLabels } from './corpus.js';
import { readExamples, readSubjects, type Subject } from './evaluate-classification.js';
import type { Example } from './learn-confidence.js';
import { isUnseen, type OwnFile, readOwnSet } from './own-set.js';

/** Sets on which no rule was made: servers of a public benchmark, and those halves of our own sets whose failures nobody has read. Of the benchmark they have been read since. */
const OWN: readonly OwnFile[] = ['fresh.tsv', 'invented.tsv', 'trades.tsv', 'strangers.tsv', 'newcomers.tsv'];
const BENCHMARK = ['tools-lmb', 'labels-lmb.tsv'] as const;

/** Labelled tools whose failures nobody has read. */
export interface Unread {
  readonly what: string;
  /** Whether the authors' hints are listened to. */
  readonly hints: boolean;
  readonly subjects: readonly Subject[];
}

/** All such sets. @param from the corpus */
export function readUnread(from: string): readonly Unread[] {
  const [folder, file] = BENCHMARK;
  const tools = readCorpusTools(from, folder);
  const labels: readonly Label[] = readLabels(from, file);
  const own = OWN.flatMap(readOwnSet).filter(({ label }) => isUnseen(label.server));
  return [
    { what: 'benchmark servers, hints hidden', hints: false, subjects: readSubjects(tools, labels, true) },
    { what: 'benchmark servers, hints shown', hints: true, subjects: readSubjects(tools, labels, false) },
    {
      what: 'invented servers whose failures nobody has read',
      hints: false,
      subjects: readSubjects(
        own.map(({ tool }) => tool),
        own.map(({ label }) => label),
        true,
      ),
    },
  ];
}

/** How decisions on them went, for learning how far the confidence can be relied on; hints are hidden. */
export function readUnreadExamples(from: string): readonly Example[] {
  const hidden = readUnread(from).filter(({ hints }) => !hints);
  return hidden.flatMap(({ subjects }) => readExamples(subjects).filter(({ weight }) => weight === 1));
}
