import type { ToolFacts } from './facts.js';
import { takesNoValue } from './parameter-values.js';
import { isResult, namesActing, namesInformation } from './text/information.js';
import { isNamedThing, isPlural } from './text/noun-phrase.js';
import { findVerb } from './words/find-verb.js';
import { writeShare } from './words/lexicon.js';
import { MEASURES } from './words/measures.js';
import { findOtherVerb, mayBeAnyVerb } from './words/other-verbs.js';
import { isDone } from './words/participles.js';

/**
 * A tool whose texts hold no verb may still show plainly that it reads: its name and its first sentence name a thing, nothing says
 * that anything happens, and no parameter holds a value that could be written. Everything here is needed at once.
 */
export function namesOnlyThings(facts: ToolFacts): boolean {
  return facts.parameters.length > 0 && takesNoValue(facts.parameters) && hasQuietName(facts) && hasQuietText(facts);
}

/** Whether no word of the name may be a verb, and what it names is neither an act nor something that acts. */
function hasQuietName({ input, name, words }: ToolFacts): boolean {
  const last = words.at(-1) ?? '';
  if (input.groupValue !== undefined || name.some(({ role }) => role !== 'thing' && role !== 'noun')) return false;
  return isResult(last) || (words.every((word) => !mayBeAnyVerb(word) || isPluralNoun(word)) && isThing(last));
}

/** The verb of a name is in the base form, so its words in -s and -ing are nouns. */
const isPluralNoun = (word: string): boolean =>
  (isPlural(word) && findVerb(word)?.form !== 'base') || (word.endsWith('ing') && findVerb(word)?.form !== 'base');
const isThing = (word: string): boolean => isNamedThing(word) && isNamedThing(word.replace(/s$/, ''));

const STOPS =
  /^(?:of|for|from|in|on|with|by|per|at|against|over|to|up|into|out|between|near|about|within|across|around|under|behind|after|before|since|until|along|above|below|during|among|as|de|del|du|des|en|por|pour|par|et|y|und|ou|oder|mit|avec|con|[,:;/&]|and|or)$/;
const FOREIGN =
  /^(?:de|del|du|des|en|por|pour|par|la|las|los|les|el|le|der|die|das|im|von|et|y|und|einen|einer|einem|eines|un|una|une)$/;
/** What only stands behind a verb, or makes a whole sentence. */
const SENTENCE =
  /^(?:an?|the|this|that|it|them|un|une|una|uno|unos|unas|um|uma|ein|eine|einen|einem|einer|eines|den|dem|is|are|was|were|be|has|have|had|did|does|do|will|gets?|goes|can|may|must|new|now|then|on|off|i|we|you|he|she)$/;
const MOST_WORDS = 7;
/** A noun with its adjective, which agree: "Vaches gestantes". */
const MOST_FOREIGN = 2;

/** Whether there is no description, or its one sentence is a noun with what belongs to it. */
function hasQuietText({ descriptionText, description, words }: ToolFacts): boolean {
  const last = words.at(-1) ?? '';
  if (descriptionText === '')
    return isPlural(last) || isResult(last) || (words.length > 1 && MEASURES.has(last)) || namesInformation(words);
  if (namesActing(descriptionText)) return false;
  if (description.matches.length > 0 || /[.;!\n]\s*\S/.test(descriptionText)) return false;
  const tokens = descriptionText.toLowerCase().match(/\p{L}[\p{L}\p{M}'-]*|[,:;/&]/gu) ?? [];
  const end = tokens.findIndex((token) => STOPS.test(token));
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end);
  const head = phrase.at(-1) ?? '';
  if (isDone(tokens)) return false;
  if (phrase.length === 0 || phrase.length > MOST_WORDS || phrase.some((token) => SENTENCE.test(token))) return false;
  if (tokens.some((token) => FOREIGN.test(token)))
    return phrase.length <= MOST_FOREIGN && phrase.every(isPlural) && tokens.every((token) => !changes(token));
  return isThing(head) && cannotBegin(phrase) && tokens.every((token) => token !== 'now' && !changes(token));
}

/** Whether the first word is no verb that begins a sentence: no known one, nor an unknown one with an object behind it. */
function cannotBegin([first = '', second = '', ...rest]: readonly string[]): boolean {
  if (findVerb(first) !== undefined || findOtherVerb(first) !== undefined) return false;
  if (second === '') return isPlural(first);
  if (isPlural(first)) return false;
  return !(isPlural(second) && rest.length === 0);
}

function changes(token: string): boolean {
  const verb = findVerb(token);
  return verb !== undefined && verb.form !== 'base' && verb.nounness === 'never' && writeShare(verb.effect) > 0;
}
