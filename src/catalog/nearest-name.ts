import { editDistance } from '../protocol/edit-distance.js';
import { toSnakeCase } from '../protocol/snake-case.js';

/** Below this two names have too little in common to suggest one for the other. */
const LIKELY = 0.5;
const CONCEIVABLE = 0.34;
/** From here on a name is the other one misspelt, rather than one that happens to share a word. */
const SPELT_LIKE = 0.75;

/** What a caller may send as a name is bounded by the request alone; what is compared is not worth more than this. */
const MAX_COMPARED = 100;

/** How many names are compared in full after the rough search. */
const SHORT_LIST = 48;

/** The name that was probably meant, or undefined when none is close. Meant for the few parameters of one operation. */
export function nearestName(query: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestScore = LIKELY;
  for (const name of names) {
    const score = similarity(query, name);
    if (score > bestScore) [best, bestScore] = [name, score];
  }
  return best;
}

/** Whether one name was probably meant for the other: most letters or words are the same. */
export function isSpeltLike(query: string, name: string): boolean {
  const spelling = toSnakeCase(query).slice(0, MAX_COMPARED);
  return [name, unqualified(name)].some((other) => {
    const letters = 1 - editDistance(spelling, other.slice(0, MAX_COMPARED)) / Math.max(spelling.length, other.length);
    return Math.max(letters, sharedWords(spelling, other)) >= SPELT_LIKE;
  });
}

/** Finds the nearest of many names; `limit` at most, best first. */
export type NameSearch = (query: string, limit: number) => readonly string[];

/** A search over many names. Pairs of letters find a short list, which is then compared in full. */
export function createNameSearch(names: readonly string[]): NameSearch {
  const owners = new Map<string, number[]>();
  names.forEach((name, index) => {
    for (const pair of pairsOf(name)) {
      const list = owners.get(pair);
      if (list === undefined) owners.set(pair, [index]);
      else list.push(index);
    }
  });
  return (query, limit) =>
    shortList(query, names, owners)
      .map((name) => ({ name, score: Math.max(similarity(query, name), similarity(query, unqualified(name))) }))
      .filter(({ score }) => score > CONCEIVABLE)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map(({ name }) => name);
}

function shortList(query: string, names: readonly string[], owners: ReadonlyMap<string, number[]>): readonly string[] {
  const shared = new Uint16Array(names.length);
  for (const pair of pairsOf(query.slice(0, MAX_COMPARED))) {
    for (const index of owners.get(pair) ?? []) shared[index] = (shared[index] ?? 0) + 1;
  }
  const lengthOf = (index: number): number => names[index]?.length ?? 0;
  return Array.from(names.keys())
    .filter((index) => shared[index] !== 0)
    .sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || lengthOf(a) - lengthOf(b) || a - b)
    .slice(0, SHORT_LIST)
    .map((index) => names[index] ?? '');
}

/** From 0 (nothing in common) to 1 (equal): letters in order and words in any order, the better of the two counting more. */
export function similarity(a: string, b: string): number {
  const [first, second] = [a.slice(0, MAX_COMPARED), b.slice(0, MAX_COMPARED)];
  if (first === second) return 1;
  const letters = 1 - editDistance(first, second) / Math.max(first.length, second.length, 1);
  const words = sharedWords(first, second);
  return 0.7 * Math.max(letters, words) + 0.3 * Math.min(letters, words);
}

/** Dice's coefficient over the words of two snake_case names; singular and plural are one word. */
function sharedWords(a: string, b: string): number {
  const [first, second] = [wordsOf(a), wordsOf(b)];
  let shared = 0;
  for (const word of first) if (second.has(word)) shared++;
  // Names of separators alone have no words to share.
  return (2 * shared) / Math.max(1, first.size + second.size);
}

function wordsOf(name: string): ReadonlySet<string> {
  return new Set(
    name
      .split('_')
      .filter(Boolean)
      .map((word) => word.replace(/(?<=..)s$/, '')),
  );
}

function pairsOf(name: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 2 <= name.length; index++) pairs.add(name.slice(index, index + 2));
  return pairs;
}

function unqualified(name: string): string {
  return name.slice(name.lastIndexOf('__') + 1).replace(/^_/, '');
}
