import { EFFECTS, type EffectTraits } from '../../catalog/classify/effects.js';
import { LEXICON, type Verb } from '../../catalog/classify/verbs.js';
import type { Category } from '../../protocol/category.js';
import { stemWord } from './stem-word.js';

/** How much a request wants an operation of each category, 0 to 1; what is absent is not wanted. */
export type SearchIntent = Readonly<Partial<Record<Category, number>>>;

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
export function readIntent(words: readonly string[], [head]: readonly Worded[]): SearchIntent {
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
