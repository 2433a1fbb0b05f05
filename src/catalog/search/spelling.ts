import { LEXICON } from '../../classify/words/lexicon.js';

/** The words that operations are written with, and what a word that is none of them was likely meant to be. */
export class Spelling {
  /** By first letter and length: an error changes the length by at most two, and the first letter only where two are swapped. */
  readonly #words = new Map<string, Map<string, number>>();

  /** Notes a word each time that it occurs: of two candidates the more frequent one is likelier. */
  add(word: string): void {
    if (!WORD.test(word)) return;
    const key = keyOf(word[0], word.length);
    const alike = this.#words.get(key) ?? new Map<string, number>();
    this.#words.set(key, alike.set(word, (alike.get(word) ?? 0) + 1));
  }

  has(word: string): boolean {
    return this.#words.get(keyOf(word[0], word.length))?.has(word) === true;
  }

  /** The nearest word: one typing error away, or two where the word is long; undefined where there is none. */
  repair(word: string): string | undefined {
    if (word.length < SHORTEST || !WORD.test(word)) return undefined;
    const most = word.length < TWO_ERRORS_FROM ? 1 : 2;
    let nearest: string | undefined;
    let least = most + 0.5;
    for (const [other, count] of this.#near(word, most)) {
      const errors = countErrors(word, other, most);
      if (errors > most + 0.2) continue;
      const shorter = other.length < word.length - 1 ? 0.2 : 0;
      const cost = errors + shorter - Math.min(0.35, 0.1 * Math.log10(count));
      if (cost < least || (cost === least && other < (nearest ?? ''))) [nearest, least] = [other, cost];
    }
    return nearest;
  }

  /** The words that a longer one is cut to: after a consonant and before a vowel, as `mod` of `modulo` and `calc` of `calculator`. */
  abbreviations(word: string): readonly string[] {
    if (word.length < LONG_ENOUGH_TO_CUT || !WORD.test(word)) return [];
    const cuts = Array.from({ length: MOST_CUT - LEAST_CUT + 1 }, (_, index) => LEAST_CUT + index);
    return cuts
      .filter((cut) => CONSONANT_BEFORE_VOWEL.test(word.slice(cut - 1, cut + 1)))
      .map((cut) => word.slice(0, cut))
      .filter((short) => this.has(short) && !LEXICON.has(short));
  }

  *#near(word: string, most: number): Generator<readonly [string, number]> {
    for (let length = word.length - most; length <= word.length + most; length += 1) {
      yield* this.#words.get(keyOf(word[0], length)) ?? [];
    }
    if (word[0] !== word[1]) yield* this.#words.get(keyOf(word[1], word.length)) ?? [];
  }

  /** Words that begin with this one, the most frequent first. */
  completions(beginning: string, most: number): readonly string[] {
    if (beginning.length < SHORTEST || !WORD.test(beginning)) return [];
    const found: [string, number][] = [];
    for (let length = beginning.length + 1; length <= LONGEST; length += 1) {
      for (const entry of this.#words.get(keyOf(beginning[0], length)) ?? [])
        if (entry[0].startsWith(beginning)) found.push(entry);
    }
    found.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return found.slice(0, most).map(([word]) => word);
  }
}

const keyOf = (letter: string | undefined, length: number): string => `${letter ?? ''}${length}`;

/** Abbreviations have three or four letters, and spare at least as many. */
const LEAST_CUT = 3;
const MOST_CUT = 4;
const LONG_ENOUGH_TO_CUT = 6;
const CONSONANT_BEFORE_VOWEL = /^[^aeiouy][aeiou]$/;

const LONGEST = 30;
const WORD = /^[a-z]{2,30}$/;

/** Shorter words are one error away from too many others. */
const SHORTEST = 4;
const TWO_ERRORS_FROM = 8;

/** Letters that are missing or added are believed from this length on, wrong ones from this; swapped ones always. */
const ADDED_FROM = 5;
const WRONG_FROM = 6;

/** Letters that are missing, added, wrong (which is rarer) or swapped with the next one; more than `most` where that is certain. */
function countErrors(a: string, b: string, most: number): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  if (Math.max(left.length, right.length) > most + 1) return most + 1;
  if (left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]) return 0.9;
  if (a.length < ADDED_FROM) return most + 1;
  if (left.length === 0 || right.length === 0) return left.length + right.length;
  if (a.length < WRONG_FROM) return most + 1;
  if (left.length === 1 && right.length === 1) return 1.1;
  return measureDistance(left, right);
}

/** The Damerau-Levenshtein distance of two short texts. */
function measureDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
