import type { Concept } from './query.js';
import type { Postings, SearchIndex } from './search-index.js';
import type { SearchSettings } from './settings.js';

/** A concept with those of its stems that occur in the catalog. */
export interface KnownConcept {
  readonly concept: Concept;
  readonly terms: readonly { readonly worth: number; readonly postings: Postings; readonly isOwn: boolean }[];
  /** The rarity of the caller's own word where the catalog has it, else of the best synonym. */
  readonly rarity: number;
  /** The weight of a match. */
  readonly value: number;
}

/** Looks a concept up. A word that no operation has counts too, as none of them does what it says. */
export function lookUpConcept(concept: Concept, index: SearchIndex, settings: SearchSettings): KnownConcept {
  const terms = [...concept.terms]
    .map(([stem, worth]) => ({ worth, postings: index.postings(stem), isOwn: stem === concept.stem }))
    .filter(({ worth, postings }) => worth > 0 && postings.places.length > 0);
  const own = terms.find(({ isOwn }) => isOwn);
  const best = terms.reduce(
    (left, term) => (term.worth > left.worth ? term : left),
    terms[0] ?? { worth: 0, postings: undefined },
  );
  const rarity = (own ?? best).postings?.rarity ?? (concept.isName ? 0 : settings.unknown * index.mostRarity);
  return { concept, terms, rarity, value: concept.weight * rarity };
}
