import type { SearchIndex } from './index.js';
import type { KnownConcept } from './known-concept.js';
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
 * must speak for a request. A small catalog lacks more of any request's words, and in a large one more operations are alike by chance:
 * the weight of the size holds wrong warnings rare in small ones. A wrong warning is worse than none. `npm run eval` prints
 * how often it is said of what is served and of what is not.
 */
const WEIGHTS = { best: 4.92, vocabulary: 2.58, unknown: -2.42, missing: -1.8, length: 1.54, size: -2 };
const LEAST = 0.9;

/** Further words say no more about a request. */
const MOST_CONCEPTS = 5;
const MOST_MISSING = 3;

/** As many words that only one server has make its vocabulary match in full. */
const OWN_WORDS = 1.7;
const MOST_VOCABULARY = 1.5;

/** How far a word counts as known that this catalog lacks, but others have. */
const USUAL = 0.6;

/** The size of a catalog is the logarithm of its number of operations, relative to that of 3,000; few count as 200. */
const LARGE = 8;
const FEW = 200;

/**
 * How much speaks for the best hit serving the request: its score, a server whose vocabulary the request uses, and words that the
 * catalog has. Below 0 likely nothing serves it.
 */
export function judgeFit({ index, concepts, servers, best }: Finding): number {
  if (best === 0) return Number.NEGATIVE_INFINITY;
  const vocabulary = servers.reduce((most, server) => Math.max(most, server.vocabulary), 0);
  const { unknown, missing } = countUnknown(concepts, index.mostRarity);
  return (
    WEIGHTS.best * (best / 100) +
    WEIGHTS.vocabulary * Math.min(MOST_VOCABULARY, vocabulary / (OWN_WORDS * index.mostServerRarity)) +
    WEIGHTS.unknown * unknown +
    WEIGHTS.missing * (Math.min(MOST_MISSING, missing) / MOST_MISSING) +
    WEIGHTS.length * (Math.min(MOST_CONCEPTS, concepts.length) / MOST_CONCEPTS) +
    WEIGHTS.size * (Math.log(Math.max(FEW, index.operations.length)) / LARGE) -
    LEAST
  );
}

/** Words of the request that neither operations nor synonyms have; names of things are none. */
interface Unknown {
  /** Their share of the request, by rarity. */
  readonly unknown: number;
  /** Their number, by weight. */
  readonly missing: number;
}

function countUnknown(concepts: readonly KnownConcept[], mostRarity: number): Unknown {
  let all = 0;
  let unknown = 0;
  let missing = 0;
  for (const { concept, terms } of concepts) {
    if (concept.word === undefined || concept.isName) continue;
    const own = terms.find(({ isOwn }) => isOwn);
    const rarity = own?.postings.rarity ?? mostRarity;
    const known = terms.reduce((most, { worth }) => Math.max(most, worth), concept.isUsual ? USUAL : 0);
    all += concept.weight * rarity;
    unknown += concept.weight * rarity * (1 - known);
    missing += concept.weight * (1 - known);
  }
  return { unknown: all === 0 ? 1 : unknown / all, missing };
}
