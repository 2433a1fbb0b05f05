import { findVerb } from '../words/find-verb.js';
import { writeShare } from '../words/lexicon.js';
import { isMeasure, MEASURES } from '../words/measures.js';
import { mayBeAnyVerb } from '../words/other-verbs.js';
import { isDone } from '../words/participles.js';
import { wordList } from '../words/word-lists.js';
import { findBareThing, findThing, isAdjective, isPlural, MADE_NEW } from './noun-phrase.js';
import { isFirstOfNouns, readStart } from './sentence-start.js';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Last words of names that say that a result is returned, whatever stands before: `pg_info`, `run_report`. */
const RESULTS = wordList('results');

/**
 * Nouns for information, in the singular or as they are mostly written. A tool whose name or sentence has no verb and ends in
 * one of these answers with it: `pg_info`, `directory_tree`, "Current weather in a city". Nouns that also name something that
 * acts or is made (message, script, session, payment) are not here.
 */
const INFORMATION = wordList('information');

/** Adjectives and nouns that stand before a noun; none of them is a verb of its own, whatever follows. */
const MODIFIERS = wordList('modifiers');

/** What a sentence that names information may begin with: no verb can stand there. */
const QUESTIONS: ReadonlySet<string> = new Set(words('who whom whose which whether how where when why what'));

/** Beginnings of a question or of what is shown, before a subject: "Is it running?", "Everything that I have not read". */
const ASKING: ReadonlySet<string> = new Set(words('is are was were am has have do does did everything'));
const SUBJECTS = wordList('subjects');

const ARTICLES = /^(?:an?|the|this|your)$/;
const WHOLES =
  /^(?:all|both|half|such|everything|is|are|was|were|am|has|have|do|does|did|of|in|from|for|at|on|by|within|between|behind)$/;

/** "Everything on the card of an animal". */
const ABOUT = /^(?:on|about|of|in|from|known|for)$/;

/** Endings of nouns and adjectives that verbs of an instruction hardly have. */
const NO_VERB = /(?:ical|ional|ness|ity|ship|logy|ics|graphic|ous|ary|ory)$/;
/** What ends the part of a sentence that names a thing. */
const ENDS =
  /^(?:of|for|from|in|on|with|by|per|at|against|over|to|into|between|near|about|within|across|around|under|behind|after|before|since|until|that|which|who|whose|when|where|if|as|via|using|based|including|is|are|was|were|[:;])$/;

export const isQuestion = (word: string): boolean => QUESTIONS.has(word);

export const isResult = (word: string): boolean => RESULTS.has(word);

/** Whether a name without a verb names information: `stock_price`, `dns_records`, but neither `frob_records` nor `shell`. */
export function namesInformation(name: readonly string[]): boolean {
  const [first = ''] = name;
  return namesOne(name.at(-1) ?? '') && (name.length === 1 || isModifier(first) || !mayBeAnyVerb(first));
}

/**
 * The noun for information that a sentence names in place of a verb: "Current weather in a city", "Whether a file exists".
 * Undefined where any word before it might be a verb that is not known: what is not understood stays a doubt.
 * @param sentence in lower case, without openers
 * @param named words of the tool's name; "comments" of `issue_comments` is no verb in "Comments on an issue"
 */
export function findInformation(sentence: readonly string[], named: ReadonlySet<string>): string | undefined {
  const adjunct = sentence.findIndex((token, index) => isAdjunct(token, sentence[index + 1]));
  const tokens = adjunct > 0 ? sentence.slice(0, adjunct) : sentence;
  if (
    tokens.some((token, index) => token === 'now' && tokens[index + 1] === 'on') ||
    isCaused(tokens) ||
    isTold(tokens) ||
    isDone(tokens)
  )
    return undefined;
  return (
    findMeasure(tokens) ??
    findListed(tokens, named) ??
    findThing(tokens) ??
    findBareThing(tokens, named, namesOne) ??
    findRange(tokens) ??
    (isFirstOfNouns(tokens, 0) ? tokens[0] : undefined)
  );
}

/** "Soak time and cooling rate for a thickness", "Fire danger level and how it was derived", "Peak particle velocity allowed here". */
export function findMeasure(tokens: readonly string[]): string | undefined {
  const end = tokens.findIndex(
    (token, index) =>
      ENDS.test(token) || LINKS.test(token) || (index > 0 && token.endsWith('ed') && isAdjective(token)),
  );
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end);
  const next = tokens[end];
  const ended = next === undefined || !/^(?:to|is|are|was|were|has|have|[;:])$/.test(next);
  return ended && isMeasure(phrase) ? phrase.at(-1) : undefined;
}

/** "Gives the tide times at a port", but neither "Gives a boat a berth" nor "Gives the keys to the owner". */
export function findGiven([first = '', article = '', ...rest]: readonly string[]): string | undefined {
  if (!/^(?:gives?|covers?)$/.test(first) || !/^(?:an?|the|all|current|full|basic|detailed|latest)$/.test(article))
    return undefined;
  const end = rest.findIndex((token) => ENDS.test(token));
  const phrase = rest.slice(0, end < 0 ? rest.length : end);
  const head = phrase.at(-1) ?? '';
  const single =
    phrase.length > 0 &&
    phrase.length <= MOST_WORDS &&
    !phrase.some((word) => DETERMINING.test(word) || isAdverb(word));
  const kept = rest[end] !== 'to' && !rest.includes('away');
  return single && kept && namesOne(head) && !mayBeVerb(head) ? head : undefined;
}

const DETERMINING =
  /^(?:an?|the|its|his|her|their|your|my|some|any|each|every|up|in|out|back|off|on|me|you|him|them|us)$/;
const isAdverb = (word: string): boolean => word.endsWith('ly');

/** "From family down to variety", "Within a drinking window": no verb begins so, and none is known in the rest. */
function findRange(tokens: readonly string[]): string | undefined {
  const [first = '', ...rest] = tokens;
  const acts = rest.some((token) => {
    const verb = findVerb(token);
    return (
      QUESTIONS.has(token) || ENDS_RANGE.test(token) || (verb?.nounness === 'never' && writeShare(verb.effect) > 0)
    );
  });
  // "In nautical miles".
  if (first === 'in' && rest.length < 4 && MEASURES.has(rest.at(-1) ?? '') && !acts) return first;
  return /^(?:from|within|between|under|above|below|along|around|during|since)$/.test(first) && rest.length > 1 && !acts
    ? first
    : undefined;
}

const ENDS_RANGE = /^(?:[,:;]|on|is|are|was|were|be|has|have|will|gets?|goes|[a-z]+ed)$/;

/** "Has a car towed" makes it happen. */
const isCaused = ([first = '', second = '', ...rest]: readonly string[]): boolean =>
  /^(?:has|have)$/.test(first) && /^(?:an?|the|all)$/.test(second) && isAdjective(rest.at(-1) ?? '');

/** "Downloads, split by app", "Medicines aboard and when they expire": how, or what else, it is shown. */
const isAdjunct = (token: string, next = ''): boolean =>
  (token === ',' && ADJUNCTS.has(next)) || (/^(?:and|or)$/.test(token) && QUESTIONS.has(next));

/** Behind a comma they say in which order or by what something is shown: "Downloads, split by app". */
const ADJUNCTS = wordList('adjuncts');

/** "Someone looks after it", "One more view", "Price, held for a day": somebody acts, something is added or kept. */
function isTold([first = '', second = '', ...rest]: readonly string[]): boolean {
  if (PRONOUNS.has(first) || /^(?:more|further|extra|additional)$/.test(/^(?:one|an?|some)$/.test(first) ? second : ''))
    return true;
  return [second, ...rest].some((token, index) => token === ',' && KEPT.has(rest[index] ?? ''));
}

const PRONOUNS: ReadonlySet<string> = new Set(words('someone somebody nobody everyone everybody i we he she'));
/** Behind a comma they say what is done with the thing that was named. */
const KEPT = wordList('kept');

function findListed(tokens: readonly string[], named: ReadonlySet<string>): string | undefined {
  const [first = '', second = ''] = tokens;
  if (QUESTIONS.has(first) || (ASKING.has(first) && SUBJECTS.has(tokens[1] ?? ''))) return first;
  // "File a report": what has an object behind it is done.
  if (ARTICLES.test(second) && !WHOLES.test(first)) return undefined;
  if (first === 'everything' && ABOUT.test(tokens[1] ?? '')) return first;
  // "Use this tool for any security questions": it answers them.
  if (tokens.length <= MOST_WORDS && tokens.length > 1 && tokens.at(-1) === 'questions' && isModifier(first))
    return 'questions';
  const end = tokens.findIndex((token) => ENDS.test(token));
  // Of several coordinated nouns the last decides: "insight and user management" is no insight.
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end).filter((token) => !LINKS.test(token));
  const head = phrase.at(-1);
  if (head === undefined || phrase.length > MOST_WORDS || !namesOne(head)) return undefined;
  const before = phrase.slice(0, -1);
  const [lead] = before;
  // A bare noun: only what follows it as "of" or "for" does, or the tool's name, tells it from a verb.
  if (lead === undefined) {
    if (tokens[end] === 'of') return head;
    const tells = tokens.length === 1 || named.has(head) || TELLING.test(tokens[end] ?? '');
    return tells && !mayBeVerb(head) ? head : undefined;
  }
  // "A new order" may be one that is made.
  if (phrase.some((word) => word !== 'own' && MADE_NEW.has(word))) return undefined;
  // "Issues free tickets" is done, although issues are information.
  if (
    isPlural(lead) &&
    !MODIFIERS.has(lead) &&
    (readStart(tokens) === 'verb' || (!isModifier(lead) && !/[ao]s$/.test(lead)))
  )
    return undefined;
  const modifies = isModifier(lead) || !(mayBeAnyVerb(lead) || named.has(lead));
  return modifies && !mayBeVerb(lead) ? head : undefined;
}

/** "Record video" and "Order status" may be instructions. */
function mayBeVerb(word: string): boolean {
  const verb = findVerb(word);
  return verb !== undefined && verb.form === 'base' && writeShare(verb.effect) > 0 && !DETERMINERS.has(word);
}

const DETERMINERS: ReadonlySet<string> = new Set(words('open closed'));

/** What joins nouns, and figures. */
const LINKS = /^(?:and|or|[,/&]|\d.*)$/;
/** Behind a single noun they say, as "of" does, whose or what it is; "to" and "on" may follow a verb. */
const TELLING =
  /^(?:for|from|in|at|about|between|by|within|against|over|along|above|below|under|per|near|across|until|since)$/;
const MOST_WORDS = 8;

/** Nouns for a quality, which is measured or known: "conductivity", "hardness", "frequency". */
const QUALITY =
  /^(?!entity|facility|activity|celebrity|identity|quantity$)\w{3,}(?:ivity|ility|idity|osity|ocity|acity|arity|inity|ness|ancy|ency)$/;

/**
 * "Actions for tickets", "Everything about managing invoices", "Commands of the harbour": nouns for what is done, or for what does it, say
 * nothing of what that is.
 */
export function namesActing(text: string): boolean {
  return WAYS_OF_ACTING.test(text) || FOR_MANAGING.test(text);
}

const FOR_MANAGING = /\b(?:for|about) (?:managing|administering|handling|operating|controlling)\b/i;
const WAYS_OF_ACTING =
  /^(?:[a-z-]+ ){0,3}(?:commands?|actions?|tools?|operations?|procedures?|methods?|functions?|tasks?|skills?|services?|handlers?|macros?|scripts?|workflows?|jobs?|utilit(?:y|ies)|routers?) (?:for|to|on)\b/i;

/** Whether a noun, or its singular, names information. */
function namesOne(word: string): boolean {
  if (INFORMATION.has(word) || QUALITY.test(word)) return true;
  return word.endsWith('s') && (INFORMATION.has(word.slice(0, -1)) || INFORMATION.has(`${word.slice(0, -3)}y`));
}

function isModifier(word: string): boolean {
  return MODIFIERS.has(word) || namesOne(word) || NO_VERB.test(word) || isAdjective(word);
}
