import { rememberTexts } from '../../base/lib/remember.js';
import { isPlain } from './languages.js';
import { wordEntries, wordList } from './word-lists.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const oneEach = (name: string): ReadonlyMap<string, string> =>
  new Map(wordEntries(name).map(([key, [word = '']]) => [key, word]));

/** Two words that make one verb, in names (`roll_back`) and in sentences ("rolls back"), by the lemma they become. */
export const PHRASAL_VERBS: ReadonlyMap<string, string> = oneEach('phrasal-verbs');

/** Light verbs, whose object names the action: "perform a search", "make edits", "take a screenshot". */
export const LIGHT_VERBS: ReadonlySet<string> = words('perform make do conduct take carry issue');

/** Nouns that name an action, each with its verb. */
export const ACTION_NOUNS: ReadonlyMap<string, string> = oneEach('action-nouns');

/** Verbs with which a sentence after the first tells the caller what to do, not what the tool does. */
export const CALLER_VERBS = wordList('caller-verbs');

/** An ambiguous verb before one of these is part of a compound noun: merge request, test case, push notification. */
export const COMPOUND_NOUNS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  wordEntries('compound-nouns').map(([verb, nouns]) => [verb, new Set(nouns)]),
);

/** Words that open a sentence without being its verb. */
export const SENTENCE_ADVERBS = wordList('sentence-adverbs');

/** Words in -ly that are verbs. */
export const LY_VERBS: ReadonlySet<string> = words('apply reply supply multiply comply rely');

/** Words in -ly that stand before a noun. */
export const LY_ADJECTIVES: ReadonlySet<string> = words('likely early costly elderly friendly');

/** What follows has another subject or is not certain: the search for further verbs of a sentence stops here. */
export const CLAUSE_ENDS = wordList('clause-ends');

/** Words that say that an action concerns many things at once. */
export const BULK_WORDS: ReadonlySet<string> = words('bulk batch mass');

/** Nouns whose creation moves money irreversibly. */
export const MONEY_NOUNS = wordList('money-nouns');

/** Most words begin no phrase; this set saves building a key for them. */
const FIRST_WORDS: ReadonlySet<string> = new Set([...PHRASAL_VERBS.keys()].map((phrase) => phrase.split(' ')[0] ?? ''));

/** The verb that two words in a row make ("roll back" is `rollback`), or undefined where they make none. */
export function findPhrasalVerb(first: string, second: string): string | undefined {
  return FIRST_WORDS.has(first) ? PHRASAL_VERBS.get(`${first} ${second}`) : undefined;
}

const DROPPED = /^(?:v?\d+|an?|the)$/;

/**
 * The lower-case words of an identifier in any style: `getPHPInfoV1`, `API-post-search` and `git_log` give
 * `get php info`, `api post search` and `git log`. Version marks and articles are dropped, `roll_back` becomes `rollback`.
 */
export const splitWords = rememberTexts((identifier): readonly string[] => {
  if (/^[a-z]{2,}$/.test(identifier)) return identifier === 'the' ? [] : [identifier];
  // Full-width and other displayed forms of letters are read as the letters that people see.
  const words = (isPlain(identifier) ? identifier : identifier.normalize('NFKC'))
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(isPlain(identifier) ? /[^a-z0-9]+/ : /[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !DROPPED.test(word));
  return joinPhrases(words);
});

function joinPhrases(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const phrase = findPhrasalVerb(word, words[index + 1] ?? '');
    joined.push(phrase ?? word);
    if (phrase !== undefined) index += 1;
  }
  return joined;
}
