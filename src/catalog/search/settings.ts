import type { Role } from './request.js';

/** The weights of a search; `docs/search.md` says what each adds. */
export interface SearchSettings {
  /** The weight of a word by the field of the operation that has it. */
  readonly fields: Readonly<Record<SearchField, number>>;
  /** The weight of a synonym relative to the caller's own word. */
  readonly synonyms: { readonly equal: number; readonly toward: number; readonly loose: number };
  /** The weight of phrases of the thesaurus (0 disables them), and of the single words inside a phrase. */
  readonly phrases: number;
  readonly phraseWords: number;
  /** The weight of a word that is similar to an unknown one: a typing error, or the beginning of a longer word. */
  readonly similarWords: number;
  /** What a word counts by its place in the request: the verb and its object, what they belong to, where, about what, why. */
  readonly roles: Readonly<Record<Role, number>>;
  /** How soon further occurrences stop adding, as BM25's k. */
  readonly saturation: number;
  /** How much of a concept's weaker words adds to its best one, 0 to 1. */
  readonly agreement: number;
  /** How much an operation loses that matches few of the request's words, 0 to 1. */
  readonly coverage: number;
  /** How rare a word counts that no operation has, relative to the rarest one. */
  readonly unknown: number;
  /** The weights of the two rankings: by the meaning of each word, and by the caller's own words alone. */
  readonly meaning: number;
  readonly literal: number;
  /** What an operation gains when the request has the words of its name, and when its name has the words of the request. */
  readonly nameInRequest: number;
  readonly requestInName: number;
  /** How much of that the synonyms of the caller's words count, 0 to 1. */
  readonly nameSynonyms: number;
  /** What an operation loses whose name has a word of the request in the other number: `get_issue` for `the open issues`. */
  readonly otherNumber: number;
  /** What a server's operations gain when the request names the server, and when the server's vocabulary matches the request. */
  readonly serverName: number;
  readonly serverWords: number;
  /** What an operation gains when its category is the one that the request's verb asks for. */
  readonly intent: number;
  /** How strongly a question asks for a READ, and a request without a verb, relative to a verb that reads. */
  readonly question: number;
  readonly noVerb: number;
}

/** The parts of an operation that are searched. */
export const SEARCH_FIELDS = ['name', 'summary', 'description', 'parameters', 'details', 'results'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

export const SEARCH_SETTINGS: SearchSettings = {
  fields: { name: 3, summary: 1.6, description: 0.4, parameters: 0.7, details: 0.2, results: 0.2 },
  synonyms: { equal: 0.7, toward: 0.7, loose: 0.5 },
  phrases: 1.6,
  phraseWords: 0.7,
  similarWords: 0.6,
  roles: { head: 1, of: 0.7, place: 0.9, about: 0.55, context: 0.55 },
  saturation: 1.5,
  agreement: 0.2,
  coverage: 0.1,
  unknown: 0.2,
  meaning: 0.6,
  literal: 0.2,
  nameInRequest: 0.2,
  requestInName: 0.05,
  nameSynonyms: 0.8,
  otherNumber: 0.04,
  serverName: 0.3,
  serverWords: 0.06,
  intent: 0.1,
  question: 1.3,
  noVerb: 0.7,
};
