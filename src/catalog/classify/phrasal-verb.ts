import { PHRASAL_VERBS } from './vocabulary.js';

/** Most words begin no phrase, and are told apart without building a key. */
const FIRST_WORDS: ReadonlySet<string> = new Set([...PHRASAL_VERBS.keys()].map((phrase) => phrase.split(' ')[0] ?? ''));

/** The verb that two words in a row make ("roll back" is `rollback`), or undefined where they make none. */
export function findPhrasalVerb(first: string, second: string): string | undefined {
  return FIRST_WORDS.has(first) ? PHRASAL_VERBS.get(`${first} ${second}`) : undefined;
}
