import type { Effect } from './effects.js';
import { VERB_SENSES } from './verb-senses.js';
import { LEXICON, type Verb } from './verbs.js';

/** How a verb is inflected; coordinated verbs of one sentence share it ("Gets ... or creates"). */
export type VerbForm = 'base' | 'third' | 'gerund';

export interface InflectedVerb extends Verb {
  readonly form: VerbForm;
}

/** The lemmas that a word in -s or -ing may come from, the likeliest first. */
function stems(word: string): readonly (readonly [string, VerbForm])[] {
  const found: [string, VerbForm][] = [[word, 'base']];
  if (word.endsWith('ies')) found.push([`${word.slice(0, -3)}y`, 'third']);
  if (word.endsWith('s')) found.push([word.slice(0, -1), 'third']);
  if (word.endsWith('es')) found.push([word.slice(0, -2), 'third']);
  if (word.endsWith('ing')) {
    const stem = word.slice(0, -3);
    found.push([stem, 'gerund'], [`${stem}e`, 'gerund'], [stem.slice(0, -1), 'gerund']);
  }
  return found;
}

/** The known verb that a word of a sentence is a form of; past forms are adjectives ("deleted items") and never match. */
export function findVerb(word: string): InflectedVerb | undefined {
  for (const [lemma, form] of stems(word)) {
    const verb = LEXICON.get(lemma);
    if (verb !== undefined) return { ...verb, form };
  }
  const hyphen = word.lastIndexOf('-');
  if (hyphen <= 0) return undefined;
  return findVerb(word.replaceAll('-', '')) ?? findVerb(word.slice(hyphen + 1));
}

/** What a verb does beside the given words: its first fitting sense, else its usual effect. */
export function senseOf(verb: Verb, context: ReadonlySet<string>): Effect {
  for (const sense of VERB_SENSES) {
    if (sense.verb !== verb.lemma) continue;
    for (const word of sense.near) if (context.has(word)) return sense.effect;
  }
  return verb.effect;
}
