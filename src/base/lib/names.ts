/** Finds the most similar of many names; at most `limit`, best first. @param isWanted which names are looked at */
export type NameSearch = (query: string, limit: number, isWanted?: (name: string) => boolean) => readonly string[];

/** Finds the name that was probably meant. */
export type Suggest = (query: string, names: Iterable<string>) => string | undefined;

/** Longer names are cut: MCP allows 128 characters for a tool's name. */
const MAX_NAME_LENGTH = 128;

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * A word of a name, tried in this order: a plural acronym (`URLs`), an acronym with its digits that ends before a
 * capitalised word (`HTTP` in `HTTPServer`, `V1`), a word with or without a capital (`Server`, `n8n`).
 */
const WORD = /[A-Z]{2,}s(?![a-z0-9])|[A-Z]+[0-9]*(?![a-z0-9])|[A-Z]?[a-z0-9]+/g;

/**
 * Converts any spelling to a public name (specification 4.3 and 8.5.2): kebab, camel, Pascal, Mixed_Snake, dotted. The result
 * never has two adjacent underscores, so that the qualifier `__` stays unambiguous; a valid name is returned unchanged.
 *
 * @param fallback the prefix of a name that begins with a digit, and the name where there is no letter or digit
 */
export function toSnakeCase(spelling: string, fallback = 'op'): string {
  if (spelling.length <= MAX_NAME_LENGTH && SNAKE_CASE.test(spelling)) return spelling;
  const words = toAscii(spelling.slice(0, 4 * MAX_NAME_LENGTH)).match(WORD) ?? [];
  const joined = words.join('_').toLowerCase();
  const name = /^[a-z]/.test(joined) ? joined : `${fallback}_${joined}`;
  return name.slice(0, MAX_NAME_LENGTH).replace(/_+$/, '');
}

/** A snake_case name as the name of a type: `github__create_issue` becomes `GithubCreateIssue`. */
export function toPascalCase(spelling: string): string {
  return toSnakeCase(spelling, 'type')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Removes accents; a letter of another script becomes its code point, so that different names stay different. */
function toAscii(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return (
    text
      .normalize('NFKD')
      // One character may become eighteen.
      .slice(0, 4 * MAX_NAME_LENGTH)
      .replace(/\p{M}+/gu, '')
      .replace(/[^\p{ASCII}]/gu, (char) =>
        /[\p{L}\p{N}]/u.test(char) ? ` u${(char.codePointAt(0) ?? 0).toString(16)} ` : ' ',
      )
  );
}

/**
 * The number of insertions, deletions, substitutions and adjacent swaps between two texts (optimal string alignment).
 * @param most comparing ends where it is certain that there are more; the result is then infinite
 */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  let leastBefore = 0;
  const width = b.length + 1;
  let beforeLast = new Uint32Array(width);
  let last = Uint32Array.from({ length: width }, (_, column) => column);
  let current = new Uint32Array(width);
  for (let row = 1; row <= a.length; row += 1) {
    const unit = a.charCodeAt(row - 1);
    current[0] = row;
    let least = row;
    for (let column = 1; column < width; column += 1) {
      const change = unit === b.charCodeAt(column - 1) ? 0 : 1;
      let cost = Math.min(cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + change);
      const swapped =
        row > 1 &&
        column > 1 &&
        unit === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, cell(beforeLast, column - 2) + 1);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    // A swap reaches back two rows.
    if (least > most && leastBefore > most) return Number.POSITIVE_INFINITY;
    leastBefore = least;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return cell(last, b.length);
}

function cell(row: Uint32Array, column: number): number {
  return row[column] ?? 0;
}

/** The lowest similarity at which one name is suggested for another. */
const LIKELY = 0.5;
const CONCEIVABLE = 0.34;
/** From this similarity on, a name is a misspelling of the other and not just a name that shares a word. */
const SPELT_LIKE = 0.75;

/** Only this many characters are compared: callers may send names as long as a request. */
const MAX_COMPARED = 100;

/** How many names are compared in full after the first selection. */
const SHORT_LIST = 48;

/** Of so many names the nearest is looked for; comparing two long ones takes some hundredths of a millisecond. */
const MOST_NAMES = 200;

/** The name that was probably meant, or undefined when none is close. Meant for the few parameters of one operation. */
export function nearestName(query: string, names: Iterable<string>): string | undefined {
  return compareNames(query, names, Number.POSITIVE_INFINITY).best;
}

/** @param most pairs of letters that are compared, and one name more */
function compareNames(
  query: string,
  names: Iterable<string>,
  most: number,
): { readonly best: string | undefined; readonly compared: number } {
  let best: string | undefined;
  let bestScore = LIKELY;
  let looked = 0;
  let compared = 0;
  const asked = comparable(query);
  for (const name of names) {
    if (looked >= MOST_NAMES || compared >= most) break;
    looked += 1;
    compared += asked.text.length * Math.min(name.length, MAX_COMPARED);
    const score = similarityTo(asked, name, bestScore);
    if (score > bestScore) [best, bestScore] = [name, score];
  }
  return { best, compared };
}

/** Who misspells more names than this in one request did not misspell them. */
const MOST_SUGGESTIONS = 8;

/** Pairs of letters that are compared for the unknown names of one request: some milliseconds in code that runs for the first time. */
const MOST_PAIRS = 200_000;

/** `nearestName` for the unknown names of one request, of which only the first ones are compared. */
export function createSuggester(most = MOST_SUGGESTIONS): Suggest {
  let left = most;
  let pairs = MOST_PAIRS;
  return (query, names) => {
    left -= 1;
    if (left < 0 || pairs <= 0) return undefined;
    const { best, compared } = compareNames(query, names, pairs);
    pairs -= compared;
    return best;
  };
}

/** Whether one name was probably meant for the other: most letters or words are the same. */
export function isSpeltLike(query: string, name: string): boolean {
  const { text: spelling, words } = comparable(toSnakeCase(query));
  return [name, unqualified(name)].some((other) => {
    const letters = 1 - editDistance(spelling, other.slice(0, MAX_COMPARED)) / Math.max(spelling.length, other.length);
    return Math.max(letters, sharedWords(words, other)) >= SPELT_LIKE;
  });
}

/** A search over many names. Pairs of letters select a short list, which is then compared in full. */
export function createNameSearch(names: readonly string[]): NameSearch {
  const owners = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    for (const pair of pairsOf(name)) {
      const list = owners.get(pair);
      if (list === undefined) owners.set(pair, [index]);
      else list.push(index);
    }
  }
  return (query, limit, isWanted = isAny) => {
    const asked = comparable(query);
    return shortList(query, names, owners, isWanted)
      .map((name) => ({ name, score: Math.max(similarityTo(asked, name), similarityTo(asked, unqualified(name))) }))
      .filter(({ score }) => score > CONCEIVABLE)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map(({ name }) => name);
  };
}

const isAny = (): boolean => true;

function shortList(
  query: string,
  names: readonly string[],
  owners: ReadonlyMap<string, number[]>,
  isWanted: (name: string) => boolean,
): readonly string[] {
  const shared = new Uint16Array(names.length);
  for (const pair of pairsOf(query.slice(0, MAX_COMPARED))) {
    for (const index of owners.get(pair) ?? []) shared[index] = (shared[index] ?? 0) + 1;
  }
  const lengthOf = (index: number): number => names[index]?.length ?? 0;
  /** Below 0 where the first name comes before the second; of equal ones the earlier stays first. */
  const compare = (a: number, b: number): number => (shared[b] ?? 0) - (shared[a] ?? 0) || lengthOf(a) - lengthOf(b);
  const best: number[] = [];
  for (const [index, name] of names.entries()) {
    if (shared[index] === 0) continue;
    const last = best[SHORT_LIST - 1];
    // Most names end here: all of them are not sorted, as few are needed.
    if ((last !== undefined && compare(index, last) >= 0) || !isWanted(name)) continue;
    const place = best.findIndex((other) => compare(index, other) < 0);
    best.splice(place < 0 ? best.length : place, 0, index);
    if (best.length > SHORT_LIST) best.pop();
  }
  return best.map((index) => names[index] ?? '');
}

/** A name that is compared with many others. */
interface ComparedName {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

function comparable(name: string): ComparedName {
  const text = name.slice(0, MAX_COMPARED);
  return { text, words: wordsOf(text) };
}

/** From 0 (nothing in common) to 1 (equal): the better of letters in order and words in any order counts more. */
export function similarity(a: string, b: string): number {
  return similarityTo(comparable(a), b);
}

/** @param least what is certainly less similar may be taken for not similar at all */
function similarityTo(asked: ComparedName, name: string, least = 0): number {
  const other = name.slice(0, MAX_COMPARED);
  if (asked.text === other) return 1;
  const words = sharedWords(asked.words, other);
  const length = Math.max(asked.text.length, other.length, 1);
  // What the letters have to be worth beside these words: most names differ in too many of them.
  const needed = words > least ? 0 : (least - 0.3 * words) / 0.7;
  const most = length * (1 - needed);
  const letters = Math.max(0, 1 - editDistance(asked.text, other, most) / length);
  return 0.7 * Math.max(letters, words) + 0.3 * Math.min(letters, words);
}

/** Dice's coefficient over the words of two snake_case names; singular and plural are one word. */
function sharedWords(first: ReadonlySet<string>, name: string): number {
  // A word that both have is a part of the name's text: most names are seen to share none without being taken apart.
  let mayShare = false;
  for (const word of first) mayShare ||= name.includes(word);
  if (!mayShare) return 0;
  const second = wordsOf(name);
  let shared = 0;
  for (const word of first) if (second.has(word)) shared++;
  // Names that consist of separators have no words.
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

/**
 * The candidate that was most likely meant, or undefined when none is similar. Case and separators do not count
 * (`mcp_servers` is `mcpServers`); at most one edit in three characters counts as a typing mistake.
 */
export function nearestSpelling(name: string, candidates: Iterable<string>): string | undefined {
  const plain = plainName(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(plain, plainName(candidate));
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  const allowed = Math.floor(Math.max(plain.length, plainName(best.candidate).length) / 3);
  return best.distance <= allowed ? best.candidate : undefined;
}

/** "did you mean 'x'?", or undefined when no candidate is similar. */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestSpelling(name, candidates);
  return nearest === undefined ? undefined : `did you mean '${nearest}'?`;
}

function plainName(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}

/** Words that make a parameter a secret at any place of its name. */
const SECRET =
  /(?:^|_)(?:password|passwd|passphrase|pwd|secrets?|credentials?|api_?keys?|access_keys?|private_keys?|secret_keys?|signing_keys?|encryption_keys?|authorization|bearer|pin_code|otp|cvv)(?:_|$)/;

/** A token is a secret, unless it counts something or marks a place in a list. */
const TOKEN = /(?:^|_)tokens?(?:_value)?$/;
const HARMLESS_TOKEN =
  /(?:^|_)(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count|of|per)_(?:\w+_)?tokens?/;

/** Whether a canonical parameter name says that its value is a secret, which must never be shown or logged. */
export function isSensitiveName(name: string): boolean {
  return SECRET.test(name) || (TOKEN.test(name) && !HARMLESS_TOKEN.test(name) && name !== 'tokens');
}
