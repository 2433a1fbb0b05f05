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
  /** What a word counts that only says which place or thing: `shop` of `in the shop database`. */
  readonly modifiers: number;
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
  /** What each earlier hit of the same server costs a hit, as a share of its score, where the request names no server. */
  readonly crowd: number;
  /** How much less a word counts among the tools of one server when all of them have it, 0 to 1. */
  readonly commonplace: number;
  /** What a server's operations gain when the request names the server, and when the server's vocabulary matches the request. */
  readonly serverName: number;
  readonly serverWords: number;
  /** What an operation gains when its category is the one that the request's verb asks for. */
  readonly intent: number;
}

/** The parts of an operation that are searched. */
export const SEARCH_FIELDS = ['name', 'summary', 'description', 'parameters', 'details', 'results'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

export const SEARCH_SETTINGS: SearchSettings = {
  fields: { name: 3, summary: 1.6, description: 0.5, parameters: 0.7, details: 0.3, results: 0.2 },
  synonyms: { equal: 0.8, toward: 0.7, loose: 0.35 },
  phrases: 1.2,
  phraseWords: 0.6,
  similarWords: 0.6,
  roles: { head: 1, of: 0.8, place: 0.9, about: 0.4, context: 0.3 },
  modifiers: 0.7,
  saturation: 1.5,
  agreement: 0.25,
  coverage: 0.3,
  unknown: 0.5,
  meaning: 0.6,
  literal: 0.15,
  nameInRequest: 0.3,
  requestInName: 0.1,
  nameSynonyms: 0.8,
  crowd: 0.05,
  commonplace: 0.4,
  serverName: 0.3,
  serverWords: 0.015,
  intent: 0.075,
};
