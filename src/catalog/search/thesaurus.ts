import { readAsset } from '../../base/asset.js';
import { Pauses } from '../../base/pauses/pauses.js';
import { FUNCTION_WORDS, splitText, stemWord } from './words.js';

/** How close two words of the thesaurus are. */
type Closeness = 'equal' | 'toward' | 'loose';

/** The stems that operations may use instead, and how close each is. */
export type Synonyms = ReadonlyMap<string, Closeness>;

export interface Thesaurus {
  /** By the stem of one word. */
  readonly words: ReadonlyMap<string, Synonyms>;
  /** By the stems of several words in a row, joined by spaces. */
  readonly phrases: ReadonlyMap<string, Synonyms>;
  /** The words that an abbreviation stands for, in their order, by the abbreviation. */
  readonly abbreviations: ReadonlyMap<string, readonly string[]>;
  /** Every stem that stands for something else. */
  readonly meant: readonly string[];
  /** Names of products, in lower case. */
  readonly products: ReadonlySet<string>;
  /** Those of them that are words of every day, too, unless they are written with a capital. */
  readonly commonProducts: ReadonlySet<string>;
  /** Words in the longest phrase. */
  readonly longestPhrase: number;
}

type Entries = Map<string, Map<string, Closeness>>;

const CLOSENESS: Readonly<Record<string, Closeness>> = { '>': 'toward', '~': 'loose' };
const RANK: readonly Closeness[] = ['loose', 'toward', 'equal'];

/**
 * Reads the notation of `thesaurus.txt`, one entry a line; empty lines and lines that begin with `#` are skipped:
 * - `ticket = issue = bug`: each may stand for each other;
 * - `log, file > create submit`: who says one of the words on the left may mean each on the right, but not the reverse;
 * - `log, file ~ record`: the same, but only perhaps;
 * - `! docusign`: names of products; `!? box`: those that are also words of every day;
 * - `ls : list directory`: an abbreviation of these words, each of which counts. One that begins with a verb is a command.
 * On the left commas separate words and phrases; on the right spaces separate words.
 */
export function readThesaurus(...lists: readonly string[]): Thesaurus {
  const notes = emptyNotes();
  for (const line of lists.flatMap((list) => list.split('\n'))) readLine(line, notes);
  return buildThesaurus(notes);
}

/** What the lines that have been read say. */
interface Notes {
  readonly entries: Entries;
  readonly abbreviations: Map<string, readonly string[]>;
  readonly products: Set<string>;
  readonly commonProducts: Set<string>;
}

const emptyNotes = (): Notes => ({
  entries: new Map(),
  abbreviations: new Map(),
  products: new Set(),
  commonProducts: new Set(),
});

function buildThesaurus({ entries, ...rest }: Notes): Thesaurus {
  const keys = [...entries.keys()];
  const pick = (wanted: boolean): Entries => new Map([...entries].filter(([key]) => key.includes(' ') === wanted));
  return {
    words: pick(false),
    phrases: pick(true),
    ...rest,
    meant: [...new Set([...entries.values()].flatMap((synonyms) => [...synonyms.keys()]))],
    longestPhrase: Math.max(1, ...keys.map((key) => key.split(' ').length)),
  };
}

function readLine(line: string, { entries, abbreviations, products, commonProducts }: Notes): void {
  if (line === '' || line.startsWith('#')) return;
  const [, common, names] = /^!(\?)? (.+)$/.exec(line) ?? [];
  if (names !== undefined) {
    for (const name of names.split(' ')) (common === undefined ? products : commonProducts).add(name);
    return;
  }
  const [, short, long] = /^(.+?)\s:\s(.+)$/.exec(line) ?? [];
  if (short !== undefined && long !== undefined) {
    for (const abbreviation of short.split(',')) abbreviations.set(abbreviation.trim(), splitText(long));
    return;
  }
  const [, left = '', sign = '', right = ''] = /^(.+?)\s([>~])\s(.+)$/.exec(line) ?? [];
  const closeness = CLOSENESS[sign];
  if (closeness !== undefined) {
    for (const spoken of left.split(',')) addSynonyms(entries, spoken, right, closeness);
    return;
  }
  const members = line.split('=');
  for (const spoken of members) {
    for (const meant of members) if (meant !== spoken) addSynonyms(entries, spoken, meant, 'equal');
  }
}

function addSynonyms(entries: Entries, spoken: string, meant: string, closeness: Closeness): void {
  const key = splitText(spoken).map(stemWord).join(' ');
  const words = splitText(meant).filter((word) => !FUNCTION_WORDS.has(word));
  const others = words.map(stemWord).filter((stem) => stem !== key);
  if (others.length === 0) return;
  const synonyms = entries.get(key) ?? new Map<string, Closeness>();
  entries.set(key, synonyms);
  for (const stem of others) {
    const known = synonyms.get(stem) ?? 'loose';
    synonyms.set(stem, RANK.indexOf(known) > RANK.indexOf(closeness) ? known : closeness);
  }
}

let thesaurus: Thesaurus | undefined;
let opening: Promise<Thesaurus> | undefined;

/** The field's words. */
export function fieldThesaurus(): Thesaurus {
  thesaurus ??= readThesaurus(readFieldText());
  return thesaurus;
}

/** The same, read when the first search is made; calls are served meanwhile. */
export function openFieldThesaurus(): Promise<Thesaurus> {
  opening ??= readWithPauses(readFieldText());
  return opening;
}

async function readWithPauses(list: string): Promise<Thesaurus> {
  const notes = emptyNotes();
  const pauses = new Pauses();
  for (const line of list.split('\n')) {
    readLine(line, notes);
    await pauses.due();
  }
  return buildThesaurus(notes);
}

function readFieldText(): string {
  return readAsset('catalog/search/thesaurus.txt');
}
