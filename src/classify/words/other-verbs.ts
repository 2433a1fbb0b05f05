import { rememberTexts } from '../../base/lib/remember.js';
import { stemsOf } from './find-verb.js';
import { type Effect, LEXICON, type VerbForm } from './lexicon.js';
import { wordEntries } from './word-lists.js';

/** What a verb does of which no more is known: something, or something that is hardly undone. */
type Deed = Extract<Effect, 'act' | 'end'>;

/** A verb of English that the lexicon does not hold. */
export interface OtherVerb {
  readonly lemma: string;
  /** Nothing where it may as well only look or answer, as "study" and "discuss" do. */
  readonly effect: Deed | undefined;
  /** Whether the word is a noun or an adjective more often than a verb. */
  readonly nounness: 'never' | 'mostly';
}

/**
 * English verbs whose effect on a server is not known, in their base form. They keep a sentence or a name that begins with one of
 * them from being read as the name of a thing, and those that do something say so.
 */
const OTHER_VERBS: ReadonlyMap<string, OtherVerb> = new Map(
  wordEntries('other-verbs').flatMap(([key, lemmas]) => {
    const [nounness, effect] = key.split(' ') as [OtherVerb['nounness'], Deed | undefined];
    return lemmas.map((lemma) => [lemma, { lemma, nounness, effect }] as const);
  }),
);

/** The endings of verbs that are made of any noun: "digitize", "gamify". */
const MADE_VERB = /[a-z]{3}(?:ize|ify)s?$/;

/** The verb that a word is a form of, where the lexicon does not know it. */
export const findOtherVerb = rememberTexts((word): (OtherVerb & { readonly form: VerbForm }) | undefined => {
  for (const [stem, form] of formsOf(word)) {
    if (LEXICON.has(stem)) return undefined;
    const verb = OTHER_VERBS.get(stem);
    if (verb !== undefined) return { ...verb, form };
  }
  return MADE_VERB.test(word)
    ? { lemma: word, effect: 'act', nounness: 'never', form: word.endsWith('s') ? 'third' : 'base' }
    : undefined;
});

/** Whether a word may be a verb of English, in the base form, in -s or in -ing, known to the lexicon or not. */
export function mayBeAnyVerb(word: string): boolean {
  return (
    /(?:ize|ise|ify|ate)s?$/.test(word) || formsOf(word).some(([stem]) => LEXICON.has(stem) || OTHER_VERBS.has(stem))
  );
}

/** A prefix changes what a verb does, not that it is one: "rewrap", "unhook". */
function formsOf(word: string): readonly (readonly [string, VerbForm])[] {
  const bare = word.replace(/^(?:re|un|de|pre|auto|over|mis|dis|co)-?(?=[a-z]{3})/, '');
  return bare === word ? stemsOf(word) : [...stemsOf(word), ...stemsOf(bare)];
}
