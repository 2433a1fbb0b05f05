import { rememberTexts } from '../../base/lib/remember.js';
import { type Effect, type InflectedVerb, LEXICON, type Verb, type VerbForm } from './lexicon.js';
import { GIVEN, NO_INPUT, READ_ONLY, VERB_SENSES } from './verb-senses.js';
import { wordList } from './word-lists.js';

const SENSES_OF: ReadonlyMap<string, typeof VERB_SENSES> = new Map(
  VERB_SENSES.map(({ verb }) => [verb, VERB_SENSES.filter((sense) => sense.verb === verb)]),
);

/** Whether a verb means different things beside different words. */
export const hasSenses = (lemma: string): boolean => SENSES_OF.has(lemma);

/** The lemmas that a word in -s or -ing may come from, the likeliest first. */
export function stemsOf(word: string): readonly (readonly [string, VerbForm])[] {
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
export const findVerb: (word: string) => InflectedVerb | undefined = rememberTexts((word) => {
  for (const [lemma, form] of stemsOf(word)) {
    const verb = LEXICON.get(lemma);
    if (verb !== undefined) return { ...verb, form };
  }
  const hyphen = word.lastIndexOf('-');
  if (hyphen <= 0) return undefined;
  return findVerb(word.replaceAll('-', '')) ?? findVerb(word.slice(hyphen + 1));
});

/** Nouns in -er and -or that name a person, a place or a part, and nothing that a tool does. */
const NO_AGENTS = wordList('no-agents');

/** The verb of a noun for what does it: `reader`, `team-services-writer`, `image_converter`. */
export function verbOfAgent(word: string): Verb | undefined {
  const stem = /^([a-z]{2,})(?:er|or)$/.exec(word)?.[1];
  if (stem === undefined || NO_AGENTS.has(word)) return undefined;
  const undoubled = /([^aeiou])\1$/.test(stem) ? [stem.slice(0, -1)] : [];
  for (const lemma of [stem, `${stem}e`, ...undoubled]) {
    const verb = LEXICON.get(lemma);
    if (verb !== undefined) return verb;
  }
  return undefined;
}

/** What a verb does beside the given words: its first fitting sense, else its usual effect. */
export function senseOf(verb: Verb, context: ReadonlySet<string>): Effect {
  for (const { near, unless, given, effect: sense } of SENSES_OF.get(verb.lemma) ?? []) {
    if (unless !== undefined && holdsAny(context, unless)) continue;
    if (given === true && !context.has(GIVEN) && !context.has(NO_INPUT)) continue;
    if (holdsAny(context, near)) return sense;
  }
  const computes =
    (context.has(READ_ONLY) && ANSWERING.has(verb.lemma)) || (context.has(GIVEN) && REWORKING.has(verb.lemma));
  return computes ? 'compute' : verb.effect;
}

/** Verbs that only compute an answer where the author says that nothing is changed. */
const ANSWERING = wordList('answering');
/** Verbs that return another version of what they are given, where there is nothing else that they could change. */
const REWORKING = wordList('reworking');

function holdsAny(words: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  for (const word of some) if (words.has(word)) return true;
  return false;
}
