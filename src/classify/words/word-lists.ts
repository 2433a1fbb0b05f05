import { readAsset } from '../../base/asset.js';

/** The lines of each list of `words.txt`. */
const LISTS = readLists(readAsset('classify/words/words.txt'));

/** A line `[NAME]` begins a list; an indented line goes on with the one before it; empty lines and those that begin with `#` are skipped. */
function readLists(text: string): ReadonlyMap<string, string[]> {
  const lists = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      lines = [];
      lists.set(line.slice(1, -1), lines);
    } else if (line.startsWith(' ')) lines.push(`${lines.pop()}${line.slice(1)}`);
    else lines.push(line);
  }
  return lists;
}

function linesOf(name: string): readonly string[] {
  const lines = LISTS.get(name);
  if (lines === undefined) throw new TypeError(`words.txt has no list '${name}'`);
  return lines;
}

const split = (text: string): readonly string[] => text.trim().split(/\s+/);

/** All words of a list of `words.txt`. */
export function wordList(name: string): ReadonlySet<string> {
  return new Set(linesOf(name).flatMap(split));
}

/** The lines `KEY: WORDS` of a list of `words.txt`, in their order; keys may stand several times. */
export function wordEntries(name: string): readonly (readonly [key: string, words: readonly string[]])[] {
  return linesOf(name).map((line) => {
    const end = line.indexOf(': ');
    return [line.slice(0, end), split(line.slice(end + 2))] as const;
  });
}
