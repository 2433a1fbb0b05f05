import type { KnownConcept } from './known-concept.js';
import type { SearchIndex } from './search-index.js';
import type { SearchSettings } from './settings.js';
import { stemWord } from './words.js';

/** How well a server as a whole matches a request. */
export interface ServerScore {
  readonly score: number;
  /** How much the words of the request are its vocabulary rather than other servers'. */
  readonly vocabulary: number;
  /** How certainly the request names it, 0 to 1; then all of its operations are candidates. */
  readonly named: number;
  /** The words that do, and how certainly each. */
  readonly words: ReadonlyMap<string, number>;
}

/** Shorter beginnings of names are often separate words. */
const SHORTEST_BEGINNING = 5;

/** A name counts half when the other servers' shares of tools that use it as a word add up to this. */
const HALF_AT = 0.3;

/** Scores each server, in the index's order: by its name in the request, and by its vocabulary. */
export function scoreServers(
  index: SearchIndex,
  concepts: readonly KnownConcept[],
  names: readonly string[],
  settings: SearchSettings,
): readonly ServerScore[] {
  const asked = names.map((word) => ({ word, stem: stemWord(word) }));
  return index.servers.map(({ words: own }, server) => {
    const words = new Map<string, number>();
    for (const one of asked) {
      const share = nameShare(one, own, server, index);
      if (share > 0) words.set(one.word, Math.min(1, share));
    }
    const named = Math.min(
      1,
      [...words.values()].reduce((sum, share) => sum + share, 0),
    );
    const vocabulary = concepts.reduce((sum, known) => sum + vocabularyShare(known, server), 0);
    return { score: settings.serverName * named + settings.serverWords * vocabulary, vocabulary, named, words };
  });
}

/** A word of the request and its stem. */
interface AskedWord {
  readonly word: string;
  readonly stem: string;
}

/** How certainly a word of the request names the server, 0 to 1. */
function nameShare(asked: AskedWord, names: readonly string[], server: number, index: SearchIndex): number {
  return names
    .filter((name) => isNamedBy(asked, name))
    .reduce((sum, name) => {
      // `cloud` may begin a server's name, and is a plain word for others.
      const uses = [stemWord(name), asked.stem].map((stem) => othersUse(stem, server, index));
      return sum + HALF_AT / (HALF_AT + Math.max(...uses));
    }, 0);
}

/** The other servers' shares of tools that have a stem, added up. */
function othersUse(stem: string, server: number, index: SearchIndex): number {
  return [...index.postings(stem).shares].reduce((all, [other, share]) => (other === server ? all : all + share), 0);
}

function isNamedBy({ word, stem }: AskedWord, name: string): boolean {
  // Most words begin with other letters, and need not be compared further.
  if (word[0] !== name[0]) return false;
  if (word === name || stem === stemWord(name)) return true;
  if (Math.min(word.length, name.length) < SHORTEST_BEGINNING) return false;
  // `mongo` is mongodb and `postgresql` postgres, but `forget` is no forge.
  return name.startsWith(word) || (word.startsWith(name) && word.length > name.length + 1);
}

function vocabularyShare({ terms, concept }: KnownConcept, server: number): number {
  return (
    concept.weight *
    terms.reduce((best, { worth, postings }) => {
      const share = postings.shares.get(server);
      return share === undefined ? best : Math.max(best, worth * postings.serverRarity * Math.sqrt(share));
    }, 0)
  );
}
