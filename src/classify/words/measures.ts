import { wordList } from './word-lists.js';

/**
 * Nouns for what is measured or counted. Nobody does anything to one that has no article: "Edit distance", "Fill levels" and "Queue
 * minutes" are compounds, whatever their first word may be besides.
 */
export const MEASURES = wordList('measures');

/** Nouns that are verbs too, and of which one measures or counts something. */
const MEASURED = wordList('measured');

/** "Edit distance between", "Soak time for": a compound of what is measured, and its measure. */
export function isMeasure(words: readonly string[]): boolean {
  const head = words.at(-1) ?? '';
  const [first = ''] = words;
  // "Burning hours since the last change".
  const measured = MEASURED.has(first) || (first.endsWith('ing') && first.length > 5);
  return words.length > 1 && words.length <= MOST_WORDS && MEASURES.has(head) && measured;
}

const MOST_WORDS = 4;
