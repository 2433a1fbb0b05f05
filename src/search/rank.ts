import { mapInSteps, runAtOnce, type Sliced, sortInSteps } from '../lib/turns.js';
import { dangerRank, type Operation } from '../protocol/operation.js';
import type { Postings, SearchIndex } from './index.js';
import type { Concept, SearchQuery } from './query.js';
import type { SearchSettings } from './settings.js';
import { stemWord } from './words.js';

/** An operation that matches a request, with a score that is comparable within one answer only. */
export interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** Hits far below the best one are coincidences. */
const LEAST_SHARE_OF_BEST = 0.4;

/** Operations that are scored in one step. */
const OPERATIONS_PER_STEP = 500;

/**
 * Ranks operations for a request. Each concept counts once, by its best word in the operation; then the share of concepts
 * that match, the server, and the category that the request's verb asks for. Of equal ones the safest comes first, then by
 * name. Operations that are not wanted are left out, but all operations count for the rarity of words.
 */
export function rankOperations(
  index: SearchIndex,
  query: SearchQuery,
  settings: SearchSettings,
  isWanted?: (operation: Operation) => boolean,
): readonly SearchHit[] {
  return runAtOnce(rankInSteps(index, query, settings, isWanted));
}

/** The same; stops after each concept and after some operations. */
export function* rankInSteps(
  index: SearchIndex,
  query: SearchQuery,
  settings: SearchSettings,
  isWanted: (operation: Operation) => boolean = () => true,
): Sliced<readonly SearchHit[]> {
  const concepts = yield* mapInSteps(query.concepts, (concept) => lookUpConcept(concept, index));
  const totals = yield* scoreWords(index, concepts, settings);
  const servers = scoreServers(index, concepts, settings);
  yield;
  for (const [place, operation] of index.operations.entries()) {
    const words = totals[place] ?? 0;
    const server = servers[index.serverOf[place] ?? 0];
    const isHit = (words > 0 || server?.isNamed === true) && isWanted(operation);
    const wanted = settings.intent * (query.intent[operation.classification.category] ?? 0);
    totals[place] = isHit ? words + (server?.score ?? 0) + wanted : 0;
    if (place % OPERATIONS_PER_STEP === 0) yield;
  }
  return yield* takeHits(index, totals);
}

/** The operations that score well enough, in order. */
function* takeHits({ operations }: SearchIndex, totals: Float64Array): Sliced<readonly SearchHit[]> {
  const least = totals.reduce((best, total) => Math.max(best, total), 0) * LEAST_SHARE_OF_BEST;
  const hits: SearchHit[] = [];
  for (const [place, operation] of operations.entries()) {
    const total = totals[place] ?? 0;
    if (total > 0 && total >= least) hits.push({ operation, score: Math.round(total * 1000) / 1000 });
    if (place % OPERATIONS_PER_STEP === 0) yield;
  }
  return yield* sortInSteps(hits, byMerit);
}

/** Scores each operation by the concepts that it matches, weighed by their rarity and their share of the request. */
function* scoreWords(
  index: SearchIndex,
  concepts: readonly KnownConcept[],
  settings: SearchSettings,
): Sliced<Float64Array> {
  const { length } = index.operations;
  const scores = new Float64Array(length);
  const answered = new Float64Array(length);
  const best = new Float64Array(length);
  for (const known of concepts) {
    const touched = takeBest(index, known, settings, best);
    for (const place of touched) {
      const strength = best[place] ?? 0;
      scores[place] = (scores[place] ?? 0) + known.value * strength;
      answered[place] = (answered[place] ?? 0) + known.value * Math.min(1, strength);
      best[place] = 0;
    }
    yield;
  }
  const total = concepts.reduce((sum, { value }) => sum + value, 0);
  return scores.map((score, place) =>
    score === 0 ? 0 : score * (1 - settings.coverage + (settings.coverage * (answered[place] ?? 0)) / total),
  );
}

/** Writes into `best` the strength of a concept's best word in each operation, and returns the operations that have one. */
function takeBest(
  index: SearchIndex,
  known: KnownConcept,
  settings: SearchSettings,
  best: Float64Array,
): readonly number[] {
  const touched: number[] = [];
  for (const { worth, postings, isOwn } of known.terms) {
    // A common synonym counts less than the rare word that was asked for.
    const factor = worth * (isOwn ? 1 : Math.min(1, postings.rarity / (known.value / known.concept.weight)));
    const { places, strengths } = postings;
    const discounts = discountServers(index, postings, settings);
    for (let item = 0; item < places.length; item += 1) {
      const place = places[item] ?? 0;
      const strength = factor * (strengths[item] ?? 0) * (discounts.get(index.serverOf[place] ?? 0) ?? 1);
      const before = best[place] ?? 0;
      if (before === 0) touched.push(place);
      // The best word counts in full, further words of the same meaning a little.
      best[place] = Math.max(before, strength) + settings.agreement * Math.min(before, strength);
    }
  }
  return touched;
}

/** From this size on, a word that most tools of a server have counts less among them, as it does not distinguish them. */
const SMALLEST_SERVER = 4;

function discountServers(
  index: SearchIndex,
  { shares }: Postings,
  { commonplace }: SearchSettings,
): Map<number, number> {
  const discounts = new Map<number, number>();
  for (const [server, share] of shares) {
    const size = index.servers[server]?.operations ?? 0;
    if (size < SMALLEST_SERVER) continue;
    const others = (share * size - 1) / (size - 1);
    discounts.set(server, 1 - commonplace * others * others);
  }
  return discounts;
}

function byMerit(a: SearchHit, b: SearchHit): number {
  if (a.score !== b.score) return b.score - a.score;
  return riskOf(a.operation) - riskOf(b.operation) || (a.operation.name < b.operation.name ? -1 : 1);
}

function riskOf({ classification: { category, danger } }: Operation): number {
  return 2 * dangerRank(danger.level) + (category === 'READ' ? 0 : 1);
}

/** A concept with those of its stems that occur in the catalog. */
interface KnownConcept {
  readonly concept: Concept;
  readonly terms: readonly { readonly worth: number; readonly postings: Postings; readonly isOwn: boolean }[];
  /** The weight of a match: the rarity of the caller's own word where the catalog has it, else of the best synonym. */
  readonly value: number;
}

/** Looks a concept up; a word that neither catalog nor thesaurus contains is replaced by similar ones. */
function lookUpConcept(concept: Concept, index: SearchIndex): KnownConcept {
  const own = concept.stem === undefined ? undefined : index.postings(concept.stem);
  const isKnown = own !== undefined && own.places.length > 0;
  const guesses = concept.stem === undefined || isKnown || concept.terms.size > 1 ? [] : index.similar(concept.stem);
  const terms = [...concept.terms, ...guesses]
    .map(([stem, worth]) => ({ worth, postings: index.postings(stem), isOwn: stem === concept.stem }))
    .filter(({ postings }) => postings.places.length > 0);
  const best = terms.reduce(
    (left, term) => (term.worth > left.worth ? term : left),
    terms[0] ?? { worth: 0, postings: undefined },
  );
  return { concept, terms, value: concept.weight * ((isKnown ? own : best.postings)?.rarity ?? 0) };
}

/** How well a server as a whole matches a request. */
interface ServerScore {
  readonly score: number;
  /** Whether the request names it: then all of its operations are candidates. */
  readonly isNamed: boolean;
}

/** Shorter beginnings of names are often separate words. */
const SHORTEST_BEGINNING = 5;

/** A name counts half when the other servers' shares of tools that use it as a word add up to this. */
const HALF_AT = 1;

/** Scores each server, in the index's order: by its name in the request, and by its vocabulary. */
function scoreServers(
  index: SearchIndex,
  concepts: readonly KnownConcept[],
  settings: SearchSettings,
): readonly ServerScore[] {
  return index.servers.map(({ words }, server) => {
    const named = concepts.reduce((sum, { concept }) => sum + nameShare(concept.word, words, server, index), 0);
    const vocabulary = concepts.reduce((sum, known) => sum + vocabularyShare(known, server), 0);
    return {
      score: settings.serverName * Math.min(1, named) + settings.serverWords * vocabulary,
      isNamed: named > 0,
    };
  });
}

/** How certainly a word of the request names the server, 0 to 1. */
function nameShare(word: string | undefined, names: readonly string[], server: number, index: SearchIndex): number {
  if (word === undefined) return 0;
  return names
    .filter((name) => isNamedBy(word, name))
    .reduce((sum, name) => {
      const { shares } = index.postings(stemWord(name));
      const others = [...shares].reduce((all, [other, share]) => (other === server ? all : all + share), 0);
      return sum + HALF_AT / (HALF_AT + others);
    }, 0);
}

function isNamedBy(word: string, name: string): boolean {
  if (word === name || stemWord(word) === stemWord(name)) return true;
  return Math.min(word.length, name.length) >= SHORTEST_BEGINNING && (name.startsWith(word) || word.startsWith(name));
}

function vocabularyShare({ terms }: KnownConcept, server: number): number {
  return terms.reduce((best, { worth, postings }) => {
    const share = postings.shares.get(server);
    return share === undefined ? best : Math.max(best, worth * postings.serverRarity * Math.sqrt(share));
  }, 0);
}
