import { findVerb, verbOfAgent } from '../words/find-verb.js';
import { LEXICON, writeShare } from '../words/lexicon.js';
import { mayBeAnyVerb } from '../words/other-verbs.js';
import { isParticiple } from '../words/participles.js';
import { wordList } from '../words/word-lists.js';
import { readStart, saysThat } from './sentence-start.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const DETERMINERS = words('the all every any each its my one two three four five ten both several');
/** Forms of "be" and "have": what stands before "that" and one of these is a noun. */
const STATES = words('are is were was have has');
const JOINS = /^(?:and|or|[,/&])$/;
const PREPOSITIONS = wordList('prepositions');
/** Endings of adjectives, and words that end so and are verbs. */
const ADJECTIVE = /(?:ful|less|able|ible|ive|al|ic)$/;
const NO_ADJECTIVE =
  /(?:eal|[aeiou]all|^(?:give|drive|dive|live|hive|strive|thrive|survive|revive|forgive|deprive|arrive|mimic|panic|bless|total|signal|equal|rival|withdrawal|table|cable|enable|disable|archive|receive|.*ceive|.*lieve|.*serve|.*solve|.*prove|.*move|.*leave|.*save))$/;

/** Things that do something, or are made for their reader: a tool that is only named so may make or run one. */
const MADE = wordList('made');

/**
 * Common nouns of trades, nature and daily life that are hardly ever verbs, in the singular. A sentence or a name that begins with one
 * of them names a thing; a word that is neither here nor a known verb stays a doubt where it could be either.
 */
const PLAIN_NOUNS = wordList('plain-nouns');

/** Whether a word, in the singular or in -s, is a noun that is hardly ever a verb. */
const isPlainNoun = (word: string): boolean =>
  PLAIN_NOUNS.has(word) ||
  (word.endsWith('s') &&
    (PLAIN_NOUNS.has(word.slice(0, -1)) ||
      PLAIN_NOUNS.has(word.slice(0, -2)) ||
      PLAIN_NOUNS.has(`${word.slice(0, -3)}y`)));

/** Whether a word can only be an adjective or a participle: "expected", "functional", "reusable". */
export function isAdjective(word: string): boolean {
  if (findVerb(word) !== undefined) return false;
  return isParticiple(word) || (word.length > 4 && ADJECTIVE.test(word) && !NO_ADJECTIVE.test(word));
}

/** "removal", "deletion", "payment": a noun for a change. Its plural names what was changed: "deployments of a project". */
function isAct(word: string): boolean {
  const own = LEXICON.get(word);
  if (own !== undefined) return own.nounness === 'never' && writeShare(own.effect) > 0;
  const [, stem = ''] = /^(.{2,}?)(?:ation|ition|ion|ment|al|ance|ing)$/.exec(word) ?? [];
  const stems = [stem, stem.replace(/miss$/, 'mit'), stem.replace(/([^aeiou])\1$/, '$1')];
  return stems
    .flatMap((one) => [one, `${one}e`, `${one}ate`, `${one}y`, `${one}t`])
    .some((lemma) => {
      const verb = LEXICON.get(lemma);
      return stem !== '' && verb !== undefined && writeShare(verb.effect) > 0;
    });
}

/** Whether a word is a verb of change in any form. */
function isChange(word: string): boolean {
  const verb = findVerb(word);
  return verb?.nounness === 'never' && writeShare(verb.effect) > 0;
}

export const isPlural = (word: string): boolean =>
  /[a-z]{2}s$/.test(word) && !/(?:ss|us|is)$/.test(word) && word.length > 3;

const names = (word: string | undefined): boolean =>
  word !== undefined && !MADE.has(word) && !isAct(word) && verbOfAgent(word) === undefined;

/**
 * The thing that a sentence without a verb names, by its grammar, whatever the thing is: "Entries of a docket", "Students enrolled
 * in a course", "The feature closest to a point", "People who are at home". Undefined where the first word may be a verb, and
 * where the thing is an act ("removal of ..."), does something or is made.
 * @param sentence in lower case, without openers
 */
export function findThing(sentence: readonly string[]): string | undefined {
  const tokens = sentence.filter((token, index) => index === 0 || !ASIDES.has(token));
  const [first = '', second = ''] = tokens;
  const end = tokens.findIndex(
    (token) => PREPOSITIONS.has(token) || RELATIVES.has(token) || token === ':' || token === ';',
  );
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end);
  const stop = tokens[end];
  const head = phrase.findLast((word) => !isParticiple(word) && !JOINS.test(word));
  if (head === undefined || phrase.length > MOST_WORDS || !names(head)) return undefined;
  if (DETERMINERS.has(first)) return head === first || isWholeSentence(phrase) ? undefined : head;
  if (isPlural(first) && tokens[2] === 'than') return first;
  if (
    isParticiple(second) &&
    phrase.length === 2 &&
    first !== 'get' &&
    findVerb(first)?.nounness !== 'never' &&
    !isAct(first)
  )
    return first;
  if (isKnownVerb(first)) return undefined;
  const owned = stop === 'of' || (stop !== undefined && isRelative(tokens, end));
  const participle = isPlural(first) && isParticiple(second) && (phrase.length === 2 || phrase.at(-1) === second);
  if (participle && (stop === undefined || PREPOSITIONS.has(stop))) return first;
  if (!owned) return undefined;
  if (phrase.length === 1) return isPlural(first) || stop !== 'of' ? head : undefined;
  if (isAdjective(first)) return head;
  // A list of nouns ends in "of"; a list of verbs has objects.
  return JOINS.test(phrase[1] ?? '') && !phrase.some((word) => isAct(word) || isChange(word)) ? head : undefined;
}

/** "Pay still owed", "Names not taken yet", "Medicines aboard": they say when and where, and not what. */
const ASIDES = wordList('asides');
const RELATIVES = words('that which who whom whose where');
const MOST_WORDS = 9;

/** "No answers are accepted", "Student leaves a course": a subject with its verb, which says what happens. */
function isWholeSentence(phrase: readonly string[]): boolean {
  return phrase.slice(1).some((word, index) => {
    const verb = findVerb(word);
    const before = phrase[index] ?? '';
    const follows = verb !== undefined && verb.form !== 'gerund' && !JOINS.test(before) && !DETERMINERS.has(before);
    const acts =
      follows &&
      verb.nounness === 'never' &&
      (writeShare(verb.effect) > 0 ||
        OBJECTS.has(phrase[index + 2] ?? '') ||
        (verb.form === 'third' && asks(phrase, index)));
    // "All paint comes off a wall".
    const leaves =
      verb === undefined && /^(?:come|go|fall|get|[a-z]{3,}s)$/.test(word) && AWAY.test(phrase[index + 2] ?? '');
    return leaves || STATES.has(word) || word === 'be' || word === 'go' || word === 'goes' || acts;
  });
}

/** "A holder asks for water": one subject, and its verb at the end. */
const asks = (phrase: readonly string[], before: number): boolean =>
  /^an?$/.test(phrase[0] ?? '') && before + 2 === phrase.length && !isPlural(phrase[before] ?? '');

const AWAY = /^(?:off|out|away|down|back|apart)$/;

/** In front of a noun they say that it is made, not shown. */
export const MADE_NEW = words('new fresh another brand-new own');
/** Prepositions that hardly follow a verb without an object. */
const FIRM = words('of for between along by per in within near across above below behind about around among during');
const OBJECTS = words('a an the this that these those my your our its it them all any each every one some');
const SUPERLATIVE = /^[a-z]{3,}(?:est)$/;
const MOST_BARE_WORDS = 5;

/**
 * The thing that a sentence names although no preposition tells it from an instruction: it begins with an article ("A question with
 * four answers"), an adjective ("Former versions"), or a word that is no verb ("Pathways of a gene", "Vegetation maps"), or it
 * lists nouns ("Name, picture and traits").
 * @param informs whether a noun names information
 */
export function findBareThing(
  tokens: readonly string[],
  named: ReadonlySet<string>,
  informs: (word: string) => boolean,
): string | undefined {
  const end = tokens.findIndex((token) => PREPOSITIONS.has(token) || BEHIND.has(token) || RELATIVES.has(token));
  const cut = tokens.slice(0, end < 0 ? tokens.length : end);
  const phrase = JOINS.test(cut.at(-1) ?? '') ? cut.slice(0, -1) : cut;
  const [first = '', second = ''] = phrase;
  if (phrase.some((word) => MADE_NEW.has(word)) || isWholeSentence(phrase)) return undefined;
  if (isParticiple(first) && !OUTDATED.has(first) && phrase.every((word) => isParticiple(word) || JOINS.test(word)))
    return phrase.length < tokens.length ? first : undefined;
  if (phrase.some((word) => JOINS.test(word))) return listsThings(phrase, informs) ? first : undefined;
  const head = phrase.findLast((word) => !isParticiple(word) && !word.endsWith('ly'));
  if (head === undefined || phrase.length > MOST_BARE_WORDS) return undefined;
  // "Deepest ship that gets in".
  if (SUPERLATIVE.test(first) && phrase.length > 1 && !mayBeAnyVerb(first) && names(head)) return head;
  if (!isQuiet(head)) return undefined;
  const describes = isDescribing(first) && !OBJECTS.has(second) && !(first === 'free' && named.has(first));
  const described = first === 'a' || first === 'an' || describes;
  if (described) return phrase.length > 1 && head !== first ? head : undefined;
  if (OBJECTS.has(second)) return undefined;
  const start = readStart(tokens);
  if (tokens[end] === undefined && tokens[1] === 'up' && tokens[2] === 'to' && isPlural(first)) return first;
  // "Wave height" is hardly an instruction: what is done to one thing has an article.
  if (start === 'either') return phrase.length > 1 && informs(head) && !isPlural(head) ? head : undefined;
  if (start === 'verb' || mayBeNamed(first, phrase.length, named, informs)) return undefined;
  if (isPlural(first) && !informs(first) && hasObject(phrase)) return undefined;
  const stop = tokens[end] ?? '';
  const certain = isPlural(first) || mayBeAnyVerb(first) || named.has(first) || isPlainNoun(first);
  const followed = certain ? stop !== '' || isPlural(first) : FIRM.has(stop) || RELATIVES.has(stop);
  if (phrase.length === 1) return followed ? head : undefined;
  return isPlural(head) || informs(head) || FIRM.has(stop) || isWaiting(phrase) ? head : undefined;
}

/** A plural has no noun behind it, so an unknown word in -s is a verb: "Glorks planks", but "Guests currently aboard". */
function hasObject([first = '', second, third]: readonly string[]): boolean {
  if (second === undefined || /[ao]s$/.test(first) || second.endsWith('ly') || isParticiple(second)) return false;
  return !isWaiting([first, second]) && (third !== undefined || !isAdjective(second));
}

/** "Lots running low": what things are doing. */
const isWaiting = ([first = '', second = '']: readonly string[]): boolean =>
  isPlural(first) && second.endsWith('ing') && !isChange(second);

/** Words that end what names a thing as prepositions do. */
const BEHIND = words('to so still already yet whether');
/** Beginnings that say what became of the tool. */
const OUTDATED = words('deprecated removed renamed moved replaced superseded retired');
/** Adjectives and ordinals that are no verbs, and "free", which seldom is one. */
const DESCRIBING = wordList('describing');

const isDescribing = (word: string): boolean =>
  isAdjective(word) || DESCRIBING.has(word) || (SUPERLATIVE.test(word) && !mayBeAnyVerb(word));

/** A word that begins the tool's name may be the verb of it, and so may any other word of it before a further noun. */
function mayBeNamed(
  word: string,
  length: number,
  named: ReadonlySet<string>,
  informs: (word: string) => boolean,
): boolean {
  if (informs(word) || mayBeAnyVerb(word) || isPlainNoun(word) || !isNamed(word, named)) return false;
  const [first] = named;
  return length > 1 || first === word;
}

/** A word of the tool's own name may be the verb of it. */
function isNamed(word: string, named: ReadonlySet<string>): boolean {
  // The name of a tool has its verb in the base form, so its words in -s are nouns.
  if (isPlural(word) && named.has(word)) return false;
  return named.has(word) || named.has(word.replace(/s$/, '')) || named.has(word.replace(/es$/, ''));
}

/** Whether a noun neither is a change nor makes one. */
function isQuiet(word: string): boolean {
  const verb = LEXICON.get(word);
  return names(word) && (verb === undefined || verb.nounness === 'mostly' || writeShare(verb.effect) === 0);
}

/** Whether all items between commas and "and" are nouns; of verbs, the last would have an object. */
function listsThings(phrase: readonly string[], informs: (word: string) => boolean): boolean {
  const items = phrase
    .join(' ')
    .split(/ (?:and|or|[,/&])(?: (?:and|or))? /)
    .map((item) => item.split(' '));
  // What is joined is alike: beside a word that is no verb stands none.
  const joined =
    items[0]?.length === 1 &&
    items.slice(1).some(([only = '', more]) => !mayBeAnyVerb(only) && (more === undefined || !isPlural(only)));
  return items.every((item, index) => {
    const head = item.at(-1) ?? '';
    const [first = ''] = item;
    const noun =
      joined ||
      informs(head) ||
      !mayBeAnyVerb(first) ||
      (isPlural(head) && (index > 0 || isPluralThing(item) || readStart(item) === 'noun'));
    return noun && item.length <= 3 && names(head) && !isChange(first) && !OBJECTS.has(first);
  });
}

/** "Purchases" beside another plural: the first word of a sentence that was found to have no verb. */
function isPluralThing([first = '', ...rest]: readonly string[]): boolean {
  const verb = findVerb(first);
  return rest.length === 0 && verb?.form === 'third' && verb.nounness !== 'never';
}

/** Behind a noun: "whose", "who", "that are". */
function isRelative(tokens: readonly string[], at: number): boolean {
  const word = tokens[at] ?? '';
  if (word === 'whose' || word === 'who') return true;
  return (
    RELATIVES.has(word) &&
    (STATES.has(tokens[at + 1] ?? '') || (at === 1 && isPlural(tokens[0] ?? '') && !saysThat(tokens, at - 1)))
  );
}

/** Whether a first word is a verb in its own right; nouns that are seldom verbs do not count. */
function isKnownVerb(word: string): boolean {
  const verb = findVerb(word);
  return verb !== undefined && !(verb.form === 'third' && verb.nounness !== 'never');
}
