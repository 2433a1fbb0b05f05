import { EFFECTS, type EffectTraits, LEXICON, type Verb } from '../classify/lexicon.js';
import type { Category } from '../protocol/operation.js';
import type { SearchSettings } from './settings.js';
import type { Synonyms, Thesaurus } from './thesaurus.js';
import { FUNCTION_WORDS, REQUEST_WORDS, splitRequest, stemWord } from './words.js';

/** One thing that a request speaks of: a word or a phrase, and every stem by which an operation may mean it. */
export interface Concept {
  /** The caller's own word; a phrase has none that operations would use. */
  readonly word?: string;
  readonly stem?: string;
  /** What each stem is worth, 0 to 1. */
  readonly terms: ReadonlyMap<string, number>;
  /** What the concept counts beside the others, 0 to 1. */
  readonly weight: number;
}

export interface SearchQuery {
  readonly concepts: readonly Concept[];
  readonly intent: SearchIntent;
}

/** Longer requests than anybody words are cut here: a search costs time for each word. */
const MOST_WORDS = 40;

/** What a request asks for, in the words of operations. */
export function readQuery(text: string, thesaurus: Thesaurus, settings: SearchSettings): SearchQuery {
  const words = splitRequest(text).slice(0, MOST_WORDS);
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
    if (!saysSomething(word) || stems.indexOf(stem) < place) continue;
    const synonyms = thesaurus.words.get(stem) ?? new Map();
    const terms = new Map([[stem, 1], ...weighSynonyms(synonyms, settings)]);
    concepts.push({ place, word, stem, terms, weight: inPhrase.has(place) ? settings.phraseWords : 1 });
  }
  concepts.sort((a, b) => a.place - b.place);
  return { concepts, intent: readIntent(words, concepts) };
}

function saysSomething(word: string): boolean {
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

/** How much a request wants an operation of each category, 0 to 1; what is absent is not wanted. */
type SearchIntent = Readonly<Partial<Record<Category, number>>>;

/** Who begins like this wants to know something. */
const QUESTION = /^(?:what|which|who|whose|where|when|how|why|is|are|was|were|does|do|did|has|have|can|could)$/;

/** What a term of a request may be worth and stand for. */
interface Worded {
  readonly stem?: string;
  readonly terms: ReadonlyMap<string, number>;
}

let verbsByStem: ReadonlyMap<string, Verb> | undefined;

/**
 * Reads the deed at a request's head: a question reads, else the first concept's verbs say what they do. Words that are
 * mostly nouns say nothing, and a request without a verb has no intent.
 */
function readIntent(words: readonly string[], [head]: readonly Worded[]): SearchIntent {
  if (QUESTION.test(words[0] ?? '')) return { READ: 1 };
  verbsByStem ??= new Map(Array.from(LEXICON.values(), (verb) => [stemWord(verb.lemma), verb]));
  const intent: Partial<Record<Category, number>> = {};
  for (const [stem, worth] of head?.terms ?? []) {
    const verb = verbsByStem.get(stem);
    if (verb === undefined || !speaks(verb, stem === head?.stem)) continue;
    const votes: EffectTraits['votes'] = EFFECTS[verb.effect].votes;
    for (const [category, vote] of Object.entries(votes) as [Category, number][]) {
      intent[category] = Math.max(intent[category] ?? 0, worth * vote);
    }
  }
  return intent;
}

/** The caller's own word at the head is likely meant as a verb; one that the thesaurus brings in has to be one for sure. */
function speaks({ nounness }: Verb, isOwn: boolean): boolean {
  return nounness === 'never' || (isOwn && nounness === 'often');
}
