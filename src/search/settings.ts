/** Everything that is weighed in a search; `docs/search.md` says what each adds. */
export interface SearchSettings {
  /** What a word is worth by where an operation holds it. */
  readonly fields: Readonly<Record<SearchField, number>>;
  /** What a word of the thesaurus is worth beside the caller's own. */
  readonly synonyms: { readonly equal: number; readonly toward: number; readonly loose: number };
  /** What phrases of the thesaurus are worth (0 leaves them out), and what their words are still worth by themselves. */
  readonly phrases: number;
  readonly phraseWords: number;
  /** What a word close to an unknown one is worth: a typing error, or the beginning of a longer word. */
  readonly nearWords: number;
  /** How soon a second occurrence stops to add, as BM25's k. */
  readonly saturation: number;
  /** How much of a concept's weaker words adds to its best one, 0 to 1. */
  readonly agreement: number;
  /** How much an operation loses that answers to few of the request's words, 0 to 1. */
  readonly coverage: number;
  /** How much less a word counts among the tools of one server when all of them hold it, 0 to 1. */
  readonly commonplace: number;
  /** What it adds to its operations that a server is named, and that its whole vocabulary answers to the request. */
  readonly serverName: number;
  readonly serverWords: number;
  /** What it adds that an operation's category is what the request's verb wants. */
  readonly intent: number;
}

/** The parts of an operation that are searched. */
export const SEARCH_FIELDS = ['name', 'summary', 'description', 'parameters', 'details', 'results'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

export const SEARCH_SETTINGS: SearchSettings = {
  fields: { name: 3, summary: 1.6, description: 0.5, parameters: 0.7, details: 0.3, results: 0.2 },
  synonyms: { equal: 0.8, toward: 0.7, loose: 0.4 },
  phrases: 1,
  phraseWords: 0.5,
  nearWords: 0.6,
  saturation: 1.5,
  agreement: 0.25,
  coverage: 0.6,
  commonplace: 0.6,
  serverName: 6,
  serverWords: 0.3,
  intent: 2.5,
};
