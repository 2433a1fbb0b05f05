import { EFFECTS, type EffectTraits, LEXICON, type Verb } from '../classify/lexicon.js';
import type { Category } from '../protocol/operation.js';
import type { SearchSettings } from './settings.js';
import type { Synonyms, Thesaurus } from './thesaurus.js';
import { FUNCTION_WORDS, REQUEST_WORDS, splitRequest, stemWord } from './words.js';

/** One thing that a request mentions: a word or a phrase, with every stem that operations may use for it. */
export interface Concept {
  /** The caller's own word; undefined for a phrase. */
  readonly word?: string;
  readonly stem?: string;
  /** The weight of each stem, 0 to 1. */
  readonly terms: ReadonlyMap<string, number>;
  /** The weight of the concept among the others, 0 to 1. */
  readonly weight: number;
}

export interface SearchQuery {
  readonly concepts: readonly Concept[];
  readonly intent: SearchIntent;
}

/** Longer requests are cut here, as each word costs time. */
const MOST_WORDS = 40;
const LONGEST_REQUEST = 4_000;

/** Reads what a request asks for, in the words of operations. */
export function readQuery(text: string, thesaurus: Thesaurus, settings: SearchSettings): SearchQuery {
  const words = splitRequest(text.slice(0, LONGEST_REQUEST)).slice(0, MOST_WORDS);
  const stems = words.map(stemWord);
  const phrases = settings.phrases > 0 ? findPhrases(stems, thesaurus) : [];
  const inPhrase = new Set(phrases.flatMap(({ start, length }) => Array.from({ length }, (_, index) => start + index)));
  const concepts: (Concept & { readonly place: number })[] = phrases.map(({ start, synonyms }) => ({
    place: start - 0.5,
    terms: weighSynonyms(synonyms, settings, settings.phrases),
    weight: 1,
  }));
  for (const [place, word] of words.entries()) {
    const stem = stems[place] ?? word;
    if (!isContentWord(word) || stems.indexOf(stem) < place) continue;
    const synonyms = thesaurus.words.get(stem) ?? new Map();
    const terms = new Map([[stem, 1], ...weighSynonyms(synonyms, settings)]);
    concepts.push({ place, word, stem, terms, weight: inPhrase.has(place) ? settings.phraseWords : 1 });
  }
  concepts.sort((a, b) => a.place - b.place);
  return { concepts, intent: readIntent(words, concepts) };
}

function isContentWord(word: string): boolean {
  return word.length > 1 && !FUNCTION_WORDS.has(word) && !REQUEST_WORDS.has(word);
}

interface FoundPhrase {
  readonly start: number;
  readonly length: number;
  readonly synonyms: Synonyms;
}

/** The thesaurus' phrases in a row of stems; the longest first, none inside another. */
function findPhrases(stems: readonly string[], { phrases, longestPhrase }: Thesaurus): readonly FoundPhrase[] {
  const found: FoundPhrase[] = [];
  for (let start = 0; start < stems.length; start += 1) {
    for (let length = Math.min(longestPhrase, stems.length - start); length > 1; length -= 1) {
      const synonyms = phrases.get(stems.slice(start, start + length).join(' '));
      if (synonyms === undefined) continue;
      found.push({ start, length, synonyms });
      start += length - 1;
      break;
    }
  }
  return found;
}

function weighSynonyms(synonyms: Synonyms, { synonyms: worth }: SearchSettings, scale = 1): Map<string, number> {
  return new Map(Array.from(synonyms, ([stem, closeness]) => [stem, worth[closeness] * scale]));
}

/** How strongly a request asks for an operation of each category, 0 to 1; absent categories are not asked for. */
type SearchIntent = Readonly<Partial<Record<Category, number>>>;

/** First words of questions, which ask for a READ. */
const QUESTION = /^(?:what|which|who|whose|where|when|how|why|is|are|was|were|does|do|did|has|have|can|could)$/;

/** The part of a concept that its intent is read from. */
interface IntentSource {
  readonly stem?: string;
  readonly terms: ReadonlyMap<string, number>;
}

let verbsByStem: ReadonlyMap<string, Verb> | undefined;

/**
 * Reads the intent from the beginning of a request: a question asks for a READ, else the first concept's verbs decide. Words
 * that are mostly nouns do not count, and a request without a verb has no intent.
 */
function readIntent(words: readonly string[], [head]: readonly IntentSource[]): SearchIntent {
  if (QUESTION.test(words[0] ?? '')) return { READ: 1 };
  verbsByStem ??= new Map(Array.from(LEXICON.values(), (verb) => [stemWord(verb.lemma), verb]));
  const intent: Partial<Record<Category, number>> = {};
  for (const [stem, worth] of head?.terms ?? []) {
    const verb = verbsByStem.get(stem);
    if (verb === undefined || !isUsedAsVerb(verb, stem === head?.stem)) continue;
    const votes: EffectTraits['votes'] = EFFECTS[verb.effect].votes;
    for (const [category, vote] of Object.entries(votes) as [Category, number][]) {
      intent[category] = Math.max(intent[category] ?? 0, worth * vote);
    }
  }
  return intent;
}

/** The caller's own first word is likely meant as a verb; a synonym from the thesaurus must certainly be one. */
function isUsedAsVerb({ nounness }: Verb, isOwn: boolean): boolean {
  return nounness === 'never' || (isOwn && nounness === 'often');
}
