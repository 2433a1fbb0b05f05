import type { Concept } from './read-query.js';
import type { Postings, SearchIndex } from './search-index.js';

/** A concept with the stems that the catalog has of it. */
export interface KnownConcept {
  readonly concept: Concept;
  readonly terms: readonly { readonly worth: number; readonly postings: Postings; readonly isOwn: boolean }[];
  /** What answering to it is worth: its rarity, by the caller's own word where the catalog has it. */
  readonly value: number;
}

/** Looks up what a request speaks of; a word that neither catalog nor thesaurus knows is taken for one close to it. */
export function lookUpConcept(concept: Concept, index: SearchIndex): KnownConcept {
  const own = concept.stem === undefined ? undefined : index.postings(concept.stem);
  const isKnown = own !== undefined && own.places.length > 0;
  const guesses = concept.stem === undefined || isKnown || concept.terms.size > 1 ? [] : index.near(concept.stem);
  const terms = [...concept.terms, ...guesses]
    .map(([stem, worth]) => ({ worth, postings: index.postings(stem), isOwn: stem === concept.stem }))
    .filter(({ postings }) => postings.places.length > 0);
  const best = terms.reduce(
    (left, term) => (term.worth > left.worth ? term : left),
    terms[0] ?? { worth: 0, postings: undefined },
  );
  return { concept, terms, value: concept.weight * ((isKnown ? own : best.postings)?.rarity ?? 0) };
}
