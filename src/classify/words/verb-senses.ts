import type { Effect } from './lexicon.js';
import { wordEntries, wordList } from './word-lists.js';

/** Stands among the words of a tool that its author calls read-only. */
export const READ_ONLY = '(read-only)';
/** Stands among the words of a tool that takes nothing but numbers. */
export const NUMBERS = '(numbers)';
/** Stands among the words of a tool that is given an id. */
export const IDENTIFIED = '(id)';
/** Stands among the words of a tool that takes nothing at all. */
export const NO_INPUT = '(no-input)';
/** Stands among the words of a tool that takes nothing but a text or data to work on, and neither a path nor an id. */
export const GIVEN = '(given)';

/** What a verb does beside certain words. */
interface Sense {
  readonly verb: string;
  readonly near: ReadonlySet<string>;
  /** Words beside which the sense does not fit. */
  readonly unless?: ReadonlySet<string>;
  /** Set where the tool must work on nothing but what it is given, and neither on a path nor an id. */
  readonly given?: true;
  readonly effect: Effect;
}

/**
 * Verbs that mean something else beside certain words. The first sense that fits replaces the verb's own effect. `@people` are those whom
 * a server reaches on its caller's behalf: what they are asked or told cannot be taken back. Beside what is `@on-screen`, "open" and
 * "select" act on a user interface or a device, and do not read data.
 */
export const VERB_SENSES: readonly Sense[] = wordEntries('senses').map(([key, words]): Sense => {
  const [verb = '', effect, given] = key.split(' ') as [string, Effect, string?];
  const bar = words.indexOf('|');
  return {
    verb,
    near: resolve(bar < 0 ? words : words.slice(0, bar)),
    ...(bar > 0 && { unless: resolve(words.slice(bar + 1)) }),
    ...(given === 'given' && { given: true }),
    effect,
  };
});

/** `@NAME` stands for the words of that list. */
function resolve(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((word) => (word.startsWith('@') ? [...wordList(word.slice(1))] : [word])));
}
