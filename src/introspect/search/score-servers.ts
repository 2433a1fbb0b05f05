import type { KnownConcept } from './look-up-concept.js';
import type { SearchIndex } from './search-index.js';
import type { SearchSettings } from './settings.js';
import { stemWord } from './stem-word.js';

/** What a request makes of a server before its tools are looked at. */
export interface ServerScore {
  readonly score: number;
  /** Whether the request names it: then everything that it serves comes into question. */
  readonly isNamed: boolean;
}

/** Shorter beginnings of names are words of their own. */
const SHORTEST_BEGINNING = 5;

/** A name says half as much when the others use it as a word in so many of their tools, adding up their shares. */
const HALF_AT = 1;

/** Scores each server, in the index's order: named in the request, and answering to it with its whole vocabulary. */
export function scoreServers(
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

/** How surely a word of the request names the server, 0 to 1. */
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
