import { findVerb } from '../words/find-verb.js';
import { type Effect, readShare, type VerbForm } from '../words/lexicon.js';
import { findOtherVerb, mayBeAnyVerb, type OtherVerb } from '../words/other-verbs.js';
import { isParticiple } from '../words/participles.js';
import { wordList } from '../words/word-lists.js';

/** A verb of which English says that it does something, and no more: "lends", "feeds", "demolishes". */
export interface Deed {
  readonly word: string;
  readonly effect: Effect;
  /** Set where the verb may as well only look or answer: "Refers a patient to a specialist". */
  readonly vague?: true;
}

/** What the first word of a sentence is, by what follows it. `either`: "Water levels" may be an instruction. */
type Start = 'verb' | 'noun' | 'either';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** What an object begins with. */
const OBJECTS = words('a an the this that these those my your our its it them all any each every one some another no');
/** Behind a verb without an object they say where to: "Delivers to the client". */
const WHITHER = words('to into onto with from through');
/** Behind a noun, and hardly behind a verb without an object. */
const WHERE = wordList('where');
/** Verbs that need no object: "Runs at night". */
const ALONE = wordList('alone');
/** What follows a noun, and no verb that has its object in front of it. */
const BEHIND_NOUN =
  /^(?:for|in|on|against|about|around|after|before|as|via|and|or|who|whose|which|where|when|whether|is|are|was|were|has|have|can|may|not|[,:;/&]|\d.*)$/;

const followsNoun = (word: string): boolean => WHERE.has(word) || WHITHER.has(word) || BEHIND_NOUN.test(word);

const STATES = /^(?:is|are|was|were|has|have|be)$/;
const MODALS = /^(?:may|might|can|could|should|will|must)$/;

/** Whether what follows a word is said: "Notes that two ships have sunk", but neither "Notes that link here" nor "Teams that he is in". */
export function saysThat(tokens: readonly string[], at: number): boolean {
  if (tokens[at + 1] !== 'that' || PREPOSITION.test(tokens.at(-1) ?? '')) return false;
  const state = tokens.findIndex((token, index) => index > at + 2 && index < at + 6 && STATES.test(token));
  return state > 0 && !MODALS.test(tokens[state - 1] ?? '');
}

const PREPOSITION = /^(?:of|in|on|to|for|from|with|by)$/;

/** "Blocks and the trains in them", "Hides, days and lots": what is coordinated with a verb in -s is one, too. */
export function isFirstOfNouns(tokens: readonly string[], start: number): boolean {
  const first = tokens[start] ?? '';
  if (!/^(?:and|or|&|,)$/.test(tokens[start + 1] ?? '')) return false;
  const second = tokens.findIndex(
    (token, index) => index > start + 1 && !/^(?:and|or|&|,|also|then)$/.test(token) && !token.endsWith('ly'),
  );
  const word = tokens[second];
  if (word === undefined || /(?:ed|ing)$/.test(word)) return false;
  const other = findVerb(word) ?? findOtherVerb(word);
  if (/[a-z]s$/.test(first)) return other?.form !== 'third' && other?.nounness !== 'never';
  // "Track and presenter": no verb stands at the end of a sentence, and none without an object.
  const next = tokens[second + 1];
  const mostly = (findVerb(first) ?? findOtherVerb(first))?.nounness ?? 'never';
  return mostly !== 'never' && other === undefined && !mayBeAnyVerb(word) && (next === undefined || WHERE.has(next));
}

/** Whether a sentence begins with a verb or with a thing, as far as its grammar tells. */
export function readStart(tokens: readonly string[], at = 0): Start {
  const [word = '', next, then] = tokens.slice(at);
  if (saysThat(tokens, at)) return 'verb';
  // "Silences longer than ten seconds": what is compared is a thing.
  if (next !== undefined && then === 'than' && /(?:er|more|less)$/.test(next) && word.endsWith('s')) return 'noun';
  const known = findVerb(word);
  if (known?.form === 'third' && known.nounness !== 'never' && isWhatTheyDo(next, then)) return 'noun';
  if (known !== undefined) {
    if (known.form === 'gerund') return readShare(known.effect) > 0 ? 'noun' : 'verb';
    if (known.form !== 'third' || known.nounness === 'never' || next === undefined) return 'verb';
    if (known.nounness === 'mostly') return followsNoun(next) && !WHITHER.has(next) ? 'noun' : 'verb';
    return WHERE.has(next) && !ALONE.has(known.lemma) ? 'noun' : 'verb';
  }
  const other = findOtherVerb(word);
  return other === undefined ? 'noun' : startOf(other, next, then);
}

/** "Ships waiting at a lock", "Drills held and due": behind a participle stands no object. */
const isWhatTheyDo = (next = '', then?: string): boolean =>
  (isParticiple(next) || (next.endsWith('ing') && findVerb(next)?.form !== 'base')) &&
  (then === undefined || WHERE.has(then) || WHITHER.has(then) || BEHIND_NOUN.test(then));

function startOf(
  { nounness, form, effect }: OtherVerb & { readonly form: VerbForm },
  next: string | undefined,
  then: string | undefined,
): Start {
  if (form === 'gerund') return effect === undefined ? 'noun' : 'either';
  if (next === undefined) return form === 'third' ? 'noun' : 'either';
  // "Notes that link here", but "Ensures that something holds" and "Lends that book".
  if (next === 'that') return form === 'third' && nounness === 'mostly' && then !== undefined ? 'noun' : 'verb';
  if (OBJECTS.has(next)) return 'verb';
  if (form === 'base') return nounness === 'never' ? 'verb' : WHERE.has(next) ? 'noun' : 'either';
  if (WHITHER.has(next)) return nounness === 'never' ? 'verb' : 'noun';
  // A plural has no noun behind it: "Issues free tickets", but "Orders shipped today".
  return followsNoun(next) || /(?:ing|ed)$/.test(next) || isWhatTheyDo(next, then) ? 'noun' : 'verb';
}

/** The deed that a sentence begins with: "Lends an object", "Awards points", but neither "Bottles in the racks" nor "Water level". */
export function findDeed(tokens: readonly string[], start: number): Deed | undefined {
  const verb = findOtherVerb(tokens[start] ?? '');
  if (verb === undefined || verb.form === 'gerund') return undefined;
  const alone = tokens.length === start + 1 && verb.nounness === 'never';
  if (!alone && readStart(tokens, start) !== 'verb') return undefined;
  const { lemma: word, effect } = verb;
  return effect === undefined ? { word, effect: 'act', vague: true } : { word, effect };
}

/**
 * The deed of a name: one that it begins or ends with, where no verb of it is known (`award_points`, `segment_confirm`), or one behind
 * a known verb and "and" (`lookup_and_cache`).
 */
export function findNamedDeed(name: readonly string[], verbless: boolean): Deed | undefined {
  const link = name.findIndex((word) => word === 'and' || word === 'or' || word === 'then');
  const joined = link > 0 && findVerb(name[link - 1] ?? '') !== undefined ? asDeed(name[link + 1]) : undefined;
  if (joined !== undefined || !verbless) return joined;
  return asFirmDeed(name[0]) ?? asFirmDeed(name.at(-1));
}

function asDeed(word: string | undefined): (Deed & { readonly firm: boolean }) | undefined {
  const verb = word === undefined ? undefined : findOtherVerb(word);
  if (verb?.effect === undefined || verb.form !== 'base') return undefined;
  return { word: verb.lemma, effect: verb.effect, firm: verb.nounness === 'never' };
}

function asFirmDeed(word: string | undefined): Deed | undefined {
  const deed = asDeed(word);
  return deed?.firm === true ? deed : undefined;
}
