import type { SearchIndex } from './index.js';
import type { KnownConcept } from './rank.js';
import type { ServerScore } from './servers.js';

/** What a ranking says about whether anything in it serves the request. */
interface Finding {
  readonly index: SearchIndex;
  readonly concepts: readonly KnownConcept[];
  readonly servers: readonly ServerScore[];
  /** The score of the best hit. */
  readonly best: number;
}

/**
 * The weights of a logistic regression over the evaluation's requests that are served and those that are not, and how much
 * must speak for a request, at which about one served request of a hundred is refused. `npm run eval` prints both shares.
 */
const WEIGHTS = { best: 7.31, vocabulary: 2.89, unknown: -3.34, length: 3.36 };
const LEAST = 5.3;

/** What a word counts as known that this catalog lacks, but others have. */
const USUAL = 0.6;
/** Words beyond these say no more about a request. */
const MOST_CONCEPTS = 5;
/** As many words that only one server has make its vocabulary match in full. */
const OWN_WORDS = 1.7;
const MOST_VOCABULARY = 1.5;

/**
 * How much speaks for the best hit serving the request: its score, a server whose vocabulary the request uses, and words that the
 * catalog has. Below 0 likely nothing serves it.
 */
export function judgeFit({ index, concepts, servers, best }: Finding): number {
  if (best === 0) return Number.NEGATIVE_INFINITY;
  const vocabulary =
    servers.reduce((most, server) => Math.max(most, server.vocabulary), 0) / (OWN_WORDS * index.mostServerRarity);
  return (
    WEIGHTS.best * (best / 100) +
    WEIGHTS.vocabulary * Math.min(MOST_VOCABULARY, vocabulary) +
    WEIGHTS.unknown * unknownShare(concepts, index.mostRarity) +
    WEIGHTS.length * (Math.min(MOST_CONCEPTS, concepts.length) / MOST_CONCEPTS) -
    LEAST
  );
}

/** The share of the request's words, by their weight, that neither operations nor synonyms have; names of things are none. */
function unknownShare(concepts: readonly KnownConcept[], mostRarity: number): number {
  let all = 0;
  let unknown = 0;
  for (const { concept, terms } of concepts) {
    if (concept.word === undefined || concept.isName) continue;
    const own = terms.find(({ isOwn }) => isOwn);
    const weight = concept.weight * (own?.postings.rarity ?? mostRarity);
    all += weight;
    unknown += weight * (1 - terms.reduce((most, { worth }) => Math.max(most, worth), concept.isUsual ? USUAL : 0));
  }
  return all === 0 ? 1 : unknown / all;
}
