import { dangerRank, type Operation } from '../../base/protocol/operation.js';
import { type KnownConcept, lookUpConcept } from './known-concept.js';
import type { SearchQuery } from './query.js';
import type { SearchIndex } from './search-index.js';
import { type ServerScore, scoreServers } from './servers.js';
import type { SearchSettings } from './settings.js';

/** An operation that matches a request, with a score that is comparable within one answer only. */
export interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** The operations that match a request, best first. */
interface Ranking {
  readonly hits: readonly SearchHit[];
  /** How much speaks for the first of them serving the request: below 0 likely none does. */
  readonly fit: number;
}

/** Hits far below the best one are coincidences. */
const LEAST_SHARE_OF_BEST = 0.4;

/**
 * Ranks operations for a request. Two rankings are added: one by meaning, in which each concept counts once, by its best word
 * in the operation, and one by the caller's own words; then the names of operations, the server, and the category that the
 * request's verb asks for. Of equal ones the safest comes first, then by name. Operations that are not wanted are left out,
 * but all operations count for the rarity of words.
 */
export function rankOperations(
  index: SearchIndex,
  query: SearchQuery,
  settings: SearchSettings,
  isWanted?: (operation: Operation) => boolean,
): Ranking {
  const known = query.concepts.map((concept) => lookUpConcept(concept, index, settings));
  const servers = scoreServers(index, known, query.names, settings);
  // Words that name a server have been counted as its name.
  const concepts = known.map((one) => ({ ...one, value: one.value * (1 - nameShareOf(one, servers)) }));
  const totals = scoreWords(index, concepts, settings);
  // By place of the category in the index's list; operations themselves are not touched for speed.
  const wanted = index.categories.map((category) => settings.intent * (query.intent[category] ?? 0));
  for (let place = 0; place < totals.length; place += 1) {
    const words = totals[place] ?? 0;
    const server = servers[index.serverOf[place] ?? 0];
    if (words > 0 || (server?.named ?? 0) > 0)
      totals[place] = words + (server?.score ?? 0) + (wanted[index.categoryOf[place] ?? 0] ?? 0);
  }
  if (isWanted !== undefined) leaveOut(index, totals, isWanted);
  const found = takeHits(index, totals, servers);
  const hits = servers.some(({ named }) => named > NAMED_FROM) ? found : spreadOverServers(found);
  return { hits, fit: judgeFit({ index, concepts: known, servers, best: hits[0]?.score ?? 0 }) };
}

function leaveOut(
  { operations }: SearchIndex,
  totals: Float64Array,
  isWanted: (operation: Operation) => boolean,
): void {
  for (const [place, operation] of operations.entries()) {
    if ((totals[place] ?? 0) > 0 && !isWanted(operation)) totals[place] = 0;
  }
}

/** A request names a server where a word of it is that certainly its name. */
const NAMED_FROM = 0.5;

function nameShareOf({ concept }: KnownConcept, servers: readonly ServerScore[]): number {
  return servers.reduce((most, { words }) => Math.max(most, words.get(concept.word ?? '') ?? 0), 0);
}

const round = (score: number): number => Math.round(score * 1000) / 1000;

/** The operations that score well enough, and all of a server that is named, in order. */
function takeHits(
  { operations, serverOf }: SearchIndex,
  totals: Float64Array,
  servers: readonly ServerScore[],
): readonly SearchHit[] {
  const least = totals.reduce((best, total) => Math.max(best, total), 0) * LEAST_SHARE_OF_BEST;
  const hits: SearchHit[] = [];
  for (let place = 0; place < totals.length; place += 1) {
    const total = totals[place] ?? 0;
    const isNamed = (servers[serverOf[place] ?? 0]?.named ?? 0) > NAMED_FROM;
    const operation = total > 0 && (isNamed || total >= least) ? operations[place] : undefined;
    if (operation !== undefined) hits.push({ operation, score: round(100 * total) });
  }
  return hits.sort(byMerit);
}

/** Scores each operation by the concepts that it matches, weighed by their rarity and their share of the request. */
function scoreWords(index: SearchIndex, concepts: readonly KnownConcept[], settings: SearchSettings): Float64Array {
  const { length } = index.operations;
  const scores = new Float64Array(length);
  const literal = new Float64Array(length);
  const answered = new Float64Array(length);
  const named = new Float64Array(length);
  const inName = new Float64Array(length);
  const isOtherNumber = new Uint8Array(length);
  const matches = new Matches(length);
  for (const known of concepts) {
    matches.read(known, settings);
    for (const place of matches.places()) {
      const strength = matches.best[place] ?? 0;
      scores[place] = (scores[place] ?? 0) + known.value * strength;
      literal[place] = (literal[place] ?? 0) + known.value * (matches.own[place] ?? 0);
      answered[place] = (answered[place] ?? 0) + known.value * Math.min(1, strength);
      named[place] = (named[place] ?? 0) + known.value * (matches.nameShare[place] ?? 0);
      inName[place] = (inName[place] ?? 0) + known.concept.weight * (matches.nameWorth[place] ?? 0);
    }
    for (const place of placesInOtherNumber(known)) isOtherNumber[place] = 1;
  }
  const total = Math.max(
    1e-9,
    concepts.reduce((sum, { value }) => sum + value, 0),
  );
  const most = settings.saturation + 1;
  return scores.map((score, place) => {
    if (score === 0) return 0;
    const share = (answered[place] ?? 0) / total;
    const coverage = 1 - settings.coverage + settings.coverage * share;
    const nameShare = Math.min(1, (inName[place] ?? 0) / Math.max(1e-9, index.nameSizes[place] ?? 0));
    const requestShare = Math.min(1, (named[place] ?? 0) / total);
    const sum =
      ((settings.meaning * score + settings.literal * (literal[place] ?? 0)) / (total * most)) * coverage +
      settings.nameInRequest * nameShare * requestShare +
      settings.requestInName * requestShare;
    // A hit stays one, whatever its number.
    return isOtherNumber[place] === 1 ? Math.max(sum / 2, sum - settings.otherNumber) : sum;
  });
}

/** The operations whose names have the caller's own word in the singular for its plural, or the plural for its singular. */
function placesInOtherNumber({ concept: { number }, terms }: KnownConcept): readonly number[] {
  const own = terms.find(({ isOwn }) => isOwn);
  if (number === undefined || own === undefined) return [];
  return number === 'plural' ? own.postings.inSingular : own.postings.inPlural;
}

/** What one concept finds, by operation; made once for all concepts of a request. */
class Matches {
  readonly best: Float64Array;
  readonly own: Float64Array;
  readonly nameShare: Float64Array;
  readonly nameWorth: Float64Array;
  #touched: number[] = [];

  constructor(length: number) {
    this.best = new Float64Array(length);
    this.own = new Float64Array(length);
    this.nameShare = new Float64Array(length);
    this.nameWorth = new Float64Array(length);
  }

  /** The operations that have one of the concept's words. */
  places(): readonly number[] {
    return this.#touched;
  }

  read(known: KnownConcept, settings: SearchSettings): void {
    for (const place of this.#touched) {
      this.best[place] = 0;
      this.own[place] = 0;
      this.nameShare[place] = 0;
      this.nameWorth[place] = 0;
    }
    this.#touched = [];
    for (const { worth, postings, isOwn } of known.terms) {
      // A common synonym counts less than the rare word that was asked for.
      const factor = worth * (isOwn ? 1 : Math.min(1, postings.rarity / known.rarity));
      const nameFactor = isOwn ? 1 : worth * settings.nameSynonyms;
      const { places, strengths, nameWorths } = postings;
      for (let item = 0; item < places.length; item += 1) {
        const place = places[item] ?? 0;
        const strength = factor * (strengths[item] ?? 0);
        const before = this.best[place] ?? 0;
        if (before === 0) this.#touched.push(place);
        // The best word counts in full, further words of the same meaning a little.
        this.best[place] = Math.max(before, strength) + settings.agreement * Math.min(before, strength);
        if (isOwn) this.own[place] = strength;
        const nameWorth = nameWorths[item] ?? 0;
        if (nameWorth === 0) continue;
        this.nameShare[place] = Math.max(this.nameShare[place] ?? 0, nameFactor);
        this.nameWorth[place] = Math.max(this.nameWorth[place] ?? 0, nameFactor * nameWorth);
      }
    }
  }
}

function byMerit(a: SearchHit, b: SearchHit): number {
  if (a.score !== b.score) return b.score - a.score;
  return riskOf(a.operation) - riskOf(b.operation) || (a.operation.name < b.operation.name ? -1 : 1);
}

function riskOf({ classification: { category, danger } }: Operation): number {
  return 2 * dangerRank(danger.level) + (category === 'READ' ? 0 : 1);
}

interface Scored {
  readonly operation: Pick<Operation, 'upstream'>;
  readonly score: number;
}

/** The places that most readers look at. */
const FIRST_PLACES = 5;

/** So many of them one server takes, while others have something. */
const MOST_OF_ONE = 3;

/** What another server has is shown in place of a hit that scores hardly more. */
const NEARLY = 0.8;

/**
 * Keeps one server with many alike tools from filling the first places of a request that names no server. The best hits keep their places;
 * a hit that gives way comes right after them.
 * @param hits best first
 */
export function spreadOverServers<Hit extends Scored>(hits: readonly Hit[]): readonly Hit[] {
  const first: Hit[] = [];
  const left = [...hits];
  while (first.length < FIRST_PLACES && left.length > 0) {
    const [next] = left.splice(findNext(left, first), 1);
    if (next === undefined) break;
    first.push({ ...next, score: Math.min(next.score, first.at(-1)?.score ?? next.score) });
  }
  const least = first.at(-1)?.score ?? 0;
  return [...first, ...left.map((hit) => (hit.score <= least ? hit : { ...hit, score: least }))];
}

/** Where among those left the hit for the next place is. */
function findNext(left: readonly Scored[], taken: readonly Scored[]): number {
  const [best] = left;
  const { upstream } = best?.operation ?? {};
  if (taken.filter(({ operation }) => operation.upstream === upstream).length < MOST_OF_ONE) return 0;
  const other = left.findIndex(({ operation }) => operation.upstream !== upstream);
  return other > 0 && (left[other]?.score ?? 0) >= NEARLY * (best?.score ?? 0) ? other : 0;
}

/** What a ranking says about whether anything in it serves the request. */
interface Finding {
  readonly index: SearchIndex;
  readonly concepts: readonly KnownConcept[];
  readonly servers: readonly ServerScore[];
  /** The score of the best hit. */
  readonly best: number;
}

/**
 * The weights of a logistic regression over the evaluation's requests that are served and those that are not (that of products is set by hand), and how much
 * must speak for a request. A small catalog lacks more of any request's words, and in a large one more operations are alike by chance:
 * the weight of the size holds wrong warnings rare in small ones. A wrong warning is worse than none. `npm run eval` prints
 * how often it is said of what is served and of what is not.
 */
const WEIGHTS = { best: 4.92, vocabulary: 2.58, unknown: -2.42, missing: -1.8, length: 1.54, size: -2, elsewhere: -5 };
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
 * catalog has. Below 0 likely nothing serves it, and so it is where the request is for a product that the catalog does not know.
 */
function judgeFit({ index, concepts, servers, best }: Finding): number {
  if (best === 0) return Number.NEGATIVE_INFINITY;
  const isNamed = servers.some(({ named }) => named > NAMED_FROM);
  const elsewhere = isNamed ? 0 : Math.max(...concepts.map(productIn));
  const vocabulary = servers.reduce((most, server) => Math.max(most, server.vocabulary), 0);
  const { unknown, missing } = countUnknown(concepts, index.mostRarity);
  return (
    WEIGHTS.best * (best / 100) +
    WEIGHTS.vocabulary * Math.min(MOST_VOCABULARY, vocabulary / (OWN_WORDS * index.mostServerRarity)) +
    WEIGHTS.unknown * unknown +
    WEIGHTS.missing * (Math.min(MOST_MISSING, missing) / MOST_MISSING) +
    WEIGHTS.elsewhere * elsewhere +
    WEIGHTS.length * (Math.min(MOST_CONCEPTS, concepts.length) / MOST_CONCEPTS) +
    WEIGHTS.size * (Math.log(Math.max(FEW, index.operations.length)) / LARGE) -
    LEAST
  );
}

/** How plainly a concept names a product that no operation has, in its words or synonyms. */
const productIn = ({ concept, terms }: KnownConcept): number => (terms.length === 0 ? concept.product : 0);

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
