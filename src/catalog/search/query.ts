import type { Category } from '../../base/protocol/operation.js';
import { EFFECTS, type EffectTraits, LEXICON, type Verb } from '../../classify/words/lexicon.js';
import { isContentWord, type ReadRequest, type RequestWord, type Role, readRequest } from './request.js';
import type { SearchSettings } from './settings.js';
import type { Spelling } from './spelling.js';
import type { Synonyms, Thesaurus } from './thesaurus.js';
import { type GrammaticalNumber, numberOf, stemWord } from './words.js';

/** One thing that a request mentions: a word or a phrase, with every stem that operations may use for it. */
export interface Concept {
  /** The caller's own word; undefined for a phrase. */
  readonly word?: string;
  readonly stem?: string;
  /** The weight of each stem, 0 to 1. */
  readonly terms: ReadonlyMap<string, number>;
  /** The weight of the concept among the others, 0 to 1. */
  readonly weight: number;
  /** Whether operations may leave it out: a name of something that the operation is called with. */
  readonly isName: boolean;
  /** Whether people use the word for what operations do, whatever this catalog has. */
  readonly isUsual: boolean;
  /** How plainly it names a product that the request is for: 1 for the place (`in Dropbox`), less beside another word (`the Dropbox folder`), 0 for none. */
  readonly product: number;
  /** Undefined for a phrase and for a word that is never a noun. */
  readonly number?: GrammaticalNumber;
}

export interface SearchQuery {
  readonly concepts: readonly Concept[];
  /** The words that may name a server, pairs of words that stand beside each other included. */
  readonly names: readonly string[];
  readonly intent: SearchIntent;
}

/** The words of a catalog. */
export interface Vocabulary {
  has(stem: string): boolean;
  readonly spelling: Spelling;
}

/** Reads what a request asks for, in the words of operations. */
export function readQuery(
  text: string,
  thesaurus: Thesaurus,
  settings: SearchSettings,
  vocabulary: Vocabulary,
): SearchQuery {
  const isKnown = (word: string): boolean =>
    isInUse(stemWord(word), thesaurus, vocabulary) || thesaurus.products.has(word);
  const request = readRequest(text, isKnown);
  const words = expandWords(request, thesaurus).map((word) => repairWord(word, isKnown, vocabulary, settings));
  const stems = words.map(({ word }) => stemWord(word));
  const phrases = settings.phrases > 0 ? findPhrases(words, stems, thesaurus) : [];
  const inPhrase = new Set(phrases.flatMap(({ start, length }) => Array.from({ length }, (_, index) => start + index)));
  const placed: (Concept & { readonly place: number })[] = phrases.map(({ start, length, synonyms }) => ({
    place: start - 0.5,
    terms: weighSynonyms(synonyms, settings, settings.phrases),
    weight: Math.max(...words.slice(start, start + length).map(({ role }) => settings.roles[role])),
    isName: false,
    isUsual: true,
    product: 0,
  }));
  for (const [place, { word, role, isName, isAfterVerb, also }] of words.entries()) {
    const product = isNameOfProduct(word, isName, thesaurus) ? PRODUCT[role] : 0;
    const stem = stems[place] ?? word;
    if (!isContentWord(word) || stems.indexOf(stem) < place) continue;
    // The list of "make a list" is no request to show or find something.
    const isNoVerb = isAfterVerb && isNounForReading(LEXICON.get(word));
    const synonyms = isNoVerb ? NO_SYNONYMS : (thesaurus.words.get(stem) ?? NO_SYNONYMS);
    const terms = new Map([...weighSynonyms(synonyms, settings), ...also, [stem, 1]]);
    const joined = joinWithNeighbour(words, place, vocabulary);
    if (joined !== undefined) terms.set(stemWord(joined), 1);
    const weight = settings.roles[role] * (inPhrase.has(place) ? settings.phraseWords : 1);
    const isUsual = thesaurus.words.has(stem) || verbOf(stem) !== undefined;
    const number = LEXICON.get(word)?.nounness === 'never' ? {} : { number: numberOf(word) };
    placed.push({ place, word, stem, terms, weight, isName: isName && !isKnown(word), isUsual, product, ...number });
  }
  placed.sort((a, b) => a.place - b.place);
  const concepts = placed.map(({ place, ...concept }) => concept);
  const head = placed.find(({ place }) => place >= request.start - 0.5) ?? placed[0];
  return { concepts, names: namesIn(request), intent: readIntent(request, phrases, head, settings) };
}

/** What is only said to be about a product (`news about Spotify`) may be served without it. */
const PRODUCT: Readonly<Record<Role, number>> = { place: 1, of: 0.4, head: 0.4, about: 0, context: 0 };

function isNameOfProduct(word: string, isName: boolean, { products, commonProducts }: Thesaurus): boolean {
  return products.has(word) || (isName && commonProducts.has(word));
}

function isNounForReading(verb: Verb | undefined): boolean {
  return verb?.nounness === 'often' && verb.effect === 'read';
}

function isInUse(stem: string, { words }: Thesaurus, vocabulary: Vocabulary): boolean {
  return vocabulary.has(stem) || words.has(stem) || verbOf(stem) !== undefined;
}

/** A word with the stems that stand for it beside the thesaurus'. */
interface QueryWord extends RequestWord {
  readonly also: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();
const NO_SYNONYMS: Synonyms = new Map();

/** Replaces abbreviations by their words: `mkdir` where a command stands, `pr` and `db` anywhere. */
function expandWords({ words, start }: ReadRequest, { abbreviations }: Thesaurus): readonly QueryWord[] {
  return words.flatMap((word, place) => {
    const meant = abbreviations.get(word.word);
    const isCommand = meant !== undefined && LEXICON.get(meant[0] ?? '')?.nounness === 'never';
    if (meant === undefined || (isCommand && place !== start)) return [{ ...word, also: NONE }];
    return meant.map((other, index) => ({
      ...word,
      word: other,
      also: index === 0 ? new Map([[stemWord(word.word), 1]]) : NONE,
    }));
  });
}

/** Takes an unknown word for a typing error, for the beginning of a longer word, or for one that operations abbreviate. */
function repairWord(
  word: QueryWord,
  isKnown: (word: string) => boolean,
  { spelling }: Vocabulary,
  { similarWords }: SearchSettings,
): QueryWord {
  if (similarWords === 0 || word.isName || !isContentWord(word.word) || isKnown(word.word)) return word;
  const abbreviations = spelling.abbreviations(word.word).filter(isContentWord);
  const repaired = abbreviations.length > 0 ? undefined : spelling.repair(word.word);
  if (repaired !== undefined && isContentWord(repaired)) return { ...word, word: repaired };
  const longer = [...spelling.completions(word.word, MOST_COMPLETIONS), ...abbreviations].map(
    (other) => [stemWord(other), similarWords] as const,
  );
  return longer.length === 0 ? word : { ...word, also: new Map([...word.also, ...longer]) };
}

const MOST_COMPLETIONS = 4;

/** Two words that operations write as one: `mail boxes` is `mailboxes`. */
function joinWithNeighbour(words: readonly QueryWord[], place: number, { spelling }: Vocabulary): string | undefined {
  const word = words[place];
  if (word === undefined) return undefined;
  for (const [left, right] of [
    [words[place - 1], word],
    [word, words[place + 1]],
  ]) {
    if (left === undefined || right === undefined || left.run !== right.run) continue;
    if (left.word.length < 2 || right.word.length < 2 || !isContentWord(left.word) || !isContentWord(right.word))
      continue;
    const joined = left.word + right.word;
    const found = [joined, joined.replace(/e?s$/, '')].find((one) => spelling.has(one));
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn({ words, sites }: ReadRequest): readonly string[] {
  const texts = words.map(({ word }) => word);
  const pairs = texts.slice(1).map((word, index) => `${texts[index] ?? ''}${word}`);
  return [...new Set([...texts.filter(isContentWord), ...pairs, ...sites])];
}

interface FoundPhrase {
  readonly start: number;
  readonly length: number;
  readonly synonyms: Synonyms;
}

/** The thesaurus' phrases in a row of stems; the longest first, none inside another. */
function findPhrases(
  words: readonly RequestWord[],
  stems: readonly string[],
  { phrases, longestPhrase }: Thesaurus,
): readonly FoundPhrase[] {
  const found: FoundPhrase[] = [];
  for (let start = 0; start < stems.length; start += 1) {
    for (let length = Math.min(longestPhrase, stems.length - start); length > 1; length -= 1) {
      if (words[start]?.run !== words[start + length - 1]?.run) continue;
      const synonyms = phrases.get(stems.slice(start, start + length).join(' '));
      if (synonyms === undefined) continue;
      found.push({ start, length, synonyms });
      start += length - 1;
      break;
    }
  }
  return [...found, ...findParted(words, stems, phrases)];
}

/** What may stand behind the object of the verb that it belongs to: `turn the flag on`. */
const PARTICLE = /^(?:on|off|up|down|out|back|away|over)$/;
const MOST_BETWEEN = 5;

/** The phrases of a verb and its particle that have the object between them. */
function findParted(
  words: readonly RequestWord[],
  stems: readonly string[],
  phrases: Thesaurus['phrases'],
): readonly FoundPhrase[] {
  return words.flatMap(({ word, run }, end) => {
    if (!PARTICLE.test(word)) return [];
    for (let start = end - 2; start >= Math.max(0, end - MOST_BETWEEN - 1); start -= 1) {
      const synonyms = phrases.get(`${stems[start] ?? ''} ${stems[end] ?? ''}`);
      if (synonyms !== undefined && words[start]?.run === run) return [{ start, length: 1, synonyms }];
    }
    return [];
  });
}

function weighSynonyms(synonyms: Synonyms, { synonyms: worth }: SearchSettings, scale = 1): Map<string, number> {
  return new Map(Array.from(synonyms, ([stem, closeness]) => [stem, worth[closeness] * scale]));
}

/** How strongly a request asks for an operation of each category, relative to a verb that says so; absent categories are not asked for. */
type SearchIntent = Readonly<Partial<Record<Category, number>>>;

/** First words of questions, which ask for a READ. */
const QUESTION = /^(?:what|which|who|whose|where|when|how|why|is|are|was|were|does|do|did|has|have|can|could)$/;

/** Beginnings of questions that may ask how something is done, not what there is. */
const ASKS_FOR_A_WAY = /^(?:can|could|how (?:do|does|can|could|should|would|to|i|we))\b/;

/** `closed issues`, `running jobs` and `unread emails` name what is wanted, without a verb. */
const ADJECTIVE = /.{3}(?:ing|ed)$|^unread$/;

/** Verbs that are too common to be searched for. */
const ASKS_FOR_READ = /^(?:get|give|tell)$/;

/** The part of a concept that its intent is read from. */
interface IntentSource {
  readonly word?: string;
  readonly stem?: string;
  readonly terms: ReadonlyMap<string, number>;
}

let verbsByStem: ReadonlyMap<string, Verb> | undefined;

function verbOf(stem: string): Verb | undefined {
  verbsByStem ??= new Map(Array.from(LEXICON.values(), (verb) => [stemWord(verb.lemma), verb]));
  return verbsByStem.get(stem);
}

/**
 * Reads the intent from the beginning of what is asked: a question asks for a READ, else the first concept's verbs decide.
 * Words that are mostly nouns do not count, and a request without a verb likely asks for a READ.
 */
function readIntent(
  { words, start }: ReadRequest,
  phrases: readonly FoundPhrase[],
  head: IntentSource | undefined,
  { question, noVerb }: SearchSettings,
): SearchIntent {
  const [first = '', second = ''] = words.slice(start, start + 2).map(({ word }) => word);
  if (QUESTION.test(first)) return { READ: ASKS_FOR_A_WAY.test(`${first} ${second}`) ? 1 : question };
  if (head?.word !== undefined && ADJECTIVE.test(head.word)) return { READ: noVerb };
  if (ASKS_FOR_READ.test(first) && !phrases.some((phrase) => phrase.start === start)) return { READ: 1 };
  const intent: Partial<Record<Category, number>> = {};
  for (const [stem, worth] of head?.terms ?? []) {
    const verb = verbOf(stem);
    if (verb === undefined || !isUsedAsVerb(verb, stem === head?.stem)) continue;
    const votes: EffectTraits['votes'] = EFFECTS[verb.effect].votes;
    for (const [category, vote] of Object.entries(votes) as [Category, number][]) {
      intent[category] = Math.max(intent[category] ?? 0, worth * vote);
    }
  }
  return head === undefined || Object.keys(intent).length > 0 ? intent : { READ: noVerb };
}

/** The caller's own first word is likely meant as a verb; a synonym from the thesaurus must certainly be one. */
function isUsedAsVerb({ nounness }: Verb, isOwn: boolean): boolean {
  return nounness === 'never' || (isOwn && nounness === 'often');
}
