import { dangerRank } from '../../protocol/danger.js';
import type { Operation } from '../../protocol/operation.js';
import { type KnownConcept, lookUpConcept } from './look-up-concept.js';
import type { SearchQuery } from './read-query.js';
import { scoreServers } from './score-servers.js';
import type { Postings, SearchIndex } from './search-index.js';
import type { SearchSettings } from './settings.js';

/** An operation that answers to a request, and how well: comparable within one answer alone. */
export interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** Hits far below the best one are coincidences. */
const LEAST_SHARE_OF_BEST = 0.4;

/**
 * Ranks operations for a request. Each concept counts once, by its best word in the operation; then the share of concepts
 * that are answered, the server, and the category that the request's verb wants. Equals come safest first, then by name.
 * What is not wanted is left out, but the words of all operations tell what is rare.
 */
export function rankOperations(
  index: SearchIndex,
  query: SearchQuery,
  settings: SearchSettings,
  isWanted: (operation: Operation) => boolean = () => true,
): readonly SearchHit[] {
  const concepts = query.concepts.map((concept) => lookUpConcept(concept, index));
  const totals = scoreWords(index, concepts, settings);
  const servers = scoreServers(index, concepts, settings);
  for (const [place, operation] of index.operations.entries()) {
    const words = totals[place] ?? 0;
    const server = servers[index.serverOf[place] ?? 0];
    const isHit = (words > 0 || server?.isNamed === true) && isWanted(operation);
    const wanted = settings.intent * (query.intent[operation.classification.category] ?? 0);
    totals[place] = isHit ? words + (server?.score ?? 0) + wanted : 0;
  }
  return takeHits(index, totals);
}

/** The operations that are worth showing, in order. */
function takeHits({ operations }: SearchIndex, totals: Float64Array): readonly SearchHit[] {
  const least = totals.reduce((best, total) => Math.max(best, total), 0) * LEAST_SHARE_OF_BEST;
  const hits: SearchHit[] = [];
  for (const [place, operation] of operations.entries()) {
    const total = totals[place] ?? 0;
    if (total > 0 && total >= least) hits.push({ operation, score: Math.round(total * 1000) / 1000 });
  }
  return hits.sort(byMerit);
}

/** For each operation what it answers to, weighed by how rare that is and how much of the request it is. */
function scoreWords(index: SearchIndex, concepts: readonly KnownConcept[], settings: SearchSettings): Float64Array {
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
  }
  const total = concepts.reduce((sum, { value }) => sum + value, 0);
  return scores.map((score, place) =>
    score === 0 ? 0 : score * (1 - settings.coverage + (settings.coverage * (answered[place] ?? 0)) / total),
  );
}

/** Notes for each operation the strongest of a concept's words, and says which operations were noted. */
function takeBest(
  index: SearchIndex,
  known: KnownConcept,
  settings: SearchSettings,
  best: Float64Array,
): readonly number[] {
  const touched: number[] = [];
  for (const { worth, postings, isOwn } of known.terms) {
    // A synonym that everybody uses says less than the rare word that was asked for.
    const factor = worth * (isOwn ? 1 : Math.min(1, postings.rarity / (known.value / known.concept.weight)));
    const { places, strengths } = postings;
    const discounts = discountServers(index, postings, settings);
    for (let item = 0; item < places.length; item += 1) {
      const place = places[item] ?? 0;
      const strength = factor * (strengths[item] ?? 0) * (discounts.get(index.serverOf[place] ?? 0) ?? 1);
      const before = best[place] ?? 0;
      if (before === 0) touched.push(place);
      // The best word counts, and that others of the same meaning stand beside it a little.
      best[place] = Math.max(before, strength) + settings.agreement * Math.min(before, strength);
    }
  }
  return touched;
}

/** Servers of some size hardly tell their own tools apart by a word that most of them hold. */
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
