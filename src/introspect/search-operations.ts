import type { Catalog } from '../catalog/catalog.js';
import type { Operation } from '../protocol/operation.js';

/** Where words are looked for, and what one is worth there before its rarity counts. */
const FIELDS = [
  { field: 'name', weight: 4 },
  { field: 'upstream', weight: 2 },
  { field: 'description', weight: 1 },
] as const;

/** For each word, what it adds to the score of each operation (by its place in the catalog). */
type SearchIndex = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Catalogs do not change, and most are never searched. */
const INDEXES = new WeakMap<Catalog, SearchIndex>();

/**
 * The operations that share words with the text, best match first: an exact name, then words of the name, of the upstream
 * and of the description, where a rare word counts more than a common one. Equals stand in the order of their names.
 */
export function searchOperations(catalog: Catalog, text: string): readonly Operation[] {
  const index = INDEXES.get(catalog) ?? buildIndex(catalog);
  INDEXES.set(catalog, index);
  const scores = scoreWords(index, splitWords(text), catalog.operations.length);
  const exact = catalog.find(text.trim());
  if (exact !== undefined) scores.set(catalog.operations.indexOf(exact), Number.POSITIVE_INFINITY);
  return [...scores]
    .sort(([placeA, a], [placeB, b]) => (a === b ? placeA - placeB : b - a))
    .flatMap(([place]) => catalog.operations[place] ?? []);
}

function scoreWords(index: SearchIndex, words: ReadonlySet<string>, total: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const word of words) {
    const places = index.get(word) ?? new Map<number, number>();
    const rarity = Math.log(1 + total / places.size);
    for (const [place, weight] of places) scores.set(place, (scores.get(place) ?? 0) + weight * rarity);
  }
  return scores;
}

function buildIndex(catalog: Catalog): SearchIndex {
  const index = new Map<string, Map<number, number>>();
  for (const [place, operation] of catalog.operations.entries()) {
    for (const { field, weight } of FIELDS) {
      for (const word of splitWords(operation[field])) {
        const places = index.get(word) ?? new Map<number, number>();
        places.set(place, (places.get(place) ?? 0) + weight);
        index.set(word, places);
      }
    }
  }
  return index;
}

/** Words in lower case without a plural's ending, so that `issue` finds `list_issues`. */
function splitWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word)));
}
