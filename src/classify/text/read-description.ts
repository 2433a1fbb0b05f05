import { findVerb, senseOf } from '../words/find-verb.js';
import {
  findForeignInformation,
  findUnspacedVerbs,
  isForeignArticle,
  isForeignWord,
  translateVerb,
} from '../words/languages.js';
import {
  type Effect,
  type InflectedVerb,
  joinEffects,
  LEXICON,
  readShare,
  type Verb,
  writeShare,
} from '../words/lexicon.js';
import { findOtherVerb } from '../words/other-verbs.js';
import {
  ACTION_NOUNS,
  CALLER_VERBS,
  CLAUSE_ENDS,
  COMPOUND_NOUNS,
  findPhrasalVerb,
  LIGHT_VERBS,
  LY_ADJECTIVES,
  LY_VERBS,
  SENTENCE_ADVERBS,
} from '../words/vocabulary.js';
import { wordList } from '../words/word-lists.js';
import { findGiven, findInformation, findMeasure, namesActing } from './information.js';
import { findThing, isPlural } from './noun-phrase.js';
import { type Deed, findDeed, isFirstOfNouns, readStart, saysThat } from './sentence-start.js';
import { CLAUSE_CHARACTERS, splitSentences, stripOpeners, tokenizeClause } from './sentences.js';

/**
 * `head`: what the tool does; `late`: the same, found only after a sentence without a known verb. `joined`: what it also does
 * ("... or creates it"). `later`: what a later sentence adds. `information`: the first sentence names information and has no
 * verb ("Current weather in a city"). `deed`: it begins with a verb of which no more is known than that it does something
 * ("Lends an object to another museum").
 */
export type DescriptionRole = 'head' | 'late' | 'joined' | 'later' | 'information' | 'deed';

export interface DescriptionReading {
  readonly matches: readonly DescriptionMatch[];
  /** The sentence that says what the tool does, cleaned of openers and mark-up; empty where none does. */
  readonly main: string;
}

interface DescriptionMatch {
  readonly role: DescriptionRole;
  readonly word: string;
  readonly effect: Effect;
  /** The effect of the object of "run" and the like. "Run a search" only searches, if the name says so too. */
  readonly objectEffect?: Effect;
  /** Set where the sentence says when the tool is of use, not what it does: "Use this when the user wants to create a rule". */
  readonly occasion?: true;
  /** Set where the verb may as well only look or answer. */
  readonly vague?: true;
}

/** The sentence that says what the tool does is one of so many first ones. */
const MAIN_WITHIN = 3;
/** So many words behind a verb can be its object and decide its sense. */
const OBJECT_WORDS = 9;
/** A word that follows one of these is not an object. */
const PREPOSITION = /^(?:of|for|from|in|on|with|by|per|at|against|over)$/;
/** Enough of a later sentence for its verb and object. */
const LATER_CHARACTERS = 80;

/** Reads what a description says that its tool does, and ignores what it only mentions. */
export function readDescription(description: string, context: ReadonlySet<string>): DescriptionReading {
  const matches: DescriptionMatch[] = [];
  let main = '';
  splitSentences(description).forEach((sentence, index) => {
    const foreign = index === 0 ? readForeign(sentence) : [];
    if (foreign.length > 0) {
      main = sentence;
      matches.push(...foreign);
    } else if (main !== '') {
      matches.push(...readLaterSentence(sentence));
    } else if (index < MAIN_WITHIN) {
      const clause = stripOpeners(sentence);
      const direct = readMainClause(tokenizeClause(clause), context, index > 0, clause !== sentence);
      const found = direct.length > 0 || index > 0 ? direct : readIndirect(clause, context);
      if (found.length > 0) main = clause;
      const said = OCCASION.test(sentence) ? found.map((match) => ({ ...match, occasion: true as const })) : found;
      matches.push(...(index > 0 && clause === sentence ? said.map(asLate) : said));
      if (found.length === 0 && index === 0) {
        const purpose = PURPOSE.test(sentence.slice(0, sentence.length - clause.length));
        const unknown = readUnknown(tokenizeClause(clause), context);
        matches.push(...(purpose ? unknown.map((match) => ({ ...match, occasion: true as const })) : unknown));
      }
    }
  });
  return { matches, main };
}

/** Openers behind which stands what the tool is good for: "helps debug builds", "used to address items". */
const PURPOSE = /\b(?:helps?|used|useful|designed|intended|meant)\b/i;

/** "Night audit: cancels what has not arrived": a label, and what is done. */
const LABELLED = /^[\w -]{1,40}:\s+(?=[a-z]{3,}s\b)/i;
/** "Its reservations are dropped", "It is taken off the list". */
const PASSIVE = /\b(?:is|are|gets?|will be)\s+(?:\w+ly\s+)?([a-z]+)(?:\s+(off|out|away|down))?/gi;
/** What is behind them only describes a thing: "Packets that are dropped". */
const RELATIVE = /\b(?:that|which|who|whose|whether|if|where|when|how|what)\b/i;
/** Participles that no rule of spelling leads back to their verb. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['taken', 'take'],
  ['thrown', 'throw'],
  ['struck', 'strike'],
  ['sent', 'send'],
  ['written', 'write'],
  ['overwritten', 'overwrite'],
  ['paid', 'pay'],
]);

/** A first sentence that does not begin with its verb: what is done stands behind a label, or in the passive. */
function readIndirect(clause: string, context: ReadonlySet<string>): DescriptionMatch[] {
  const unlabelled = clause.replace(LABELLED, '');
  if (unlabelled !== clause) {
    const done = readMainClause(tokenizeClause(unlabelled), context, false, true);
    if (done.some(({ effect }) => writeShare(effect) > 0)) return done;
  }
  const [whole = ''] = clause.slice(0, CLAUSE_CHARACTERS).split(RELATIVE);
  return [...whole.matchAll(PASSIVE)].flatMap(([, participle = '', particle]) => {
    const verb = verbOfParticiple(participle.toLowerCase(), particle?.toLowerCase());
    if (verb === undefined || !HARMFUL.has(verb.effect)) return [];
    return [{ role: 'joined' as const, word: verb.lemma, effect: verb.effect }];
  });
}

/** Only what is lost is told from how something is: "Devices that are paired" are shown. */
const HARMFUL: ReadonlySet<Effect> = new Set<Effect>(['delete', 'purge', 'overwrite', 'reset']);

function verbOfParticiple(participle: string, particle: string | undefined): Verb | undefined {
  const stem = participle.replace(/ed$/, '');
  const lemmas = [IRREGULAR.get(participle) ?? stem, `${stem}e`, stem.replace(/([^aeiou])\1$/, '$1')];
  for (const lemma of lemmas) {
    const phrasal = particle === undefined ? undefined : findPhrasalVerb(lemma, particle);
    const verb = LEXICON.get(phrasal ?? lemma);
    if (verb !== undefined) return verb;
  }
  return undefined;
}

/** Behind the first word they make no instruction of it: "Start here", "Set is taken down". */
const NO_OBJECT = /^(?:not|here|is|are|was|were|has|have|left|due|still|yet|already|owed|found|lost|seen|spent)$/;

function readMainClause(
  tokens: readonly string[],
  context: ReadonlySet<string>,
  late: boolean,
  opened: boolean,
): DescriptionMatch[] {
  const start = skipAdverbs(tokens);
  const first = isForeign(tokens) ? undefined : tokens[start];
  const verb = first === undefined ? undefined : (findSplitVerb(tokens, start) ?? findVerb(first));
  if (first === undefined || verb === undefined || NO_OBJECT.test(tokens[start + 1] ?? '')) return [];
  if (verb.form === 'gerund' && !opened) return [];
  if (verb.nounness === 'mostly' && verb.form === 'base' && !takesObject(tokens[start + 1])) return [];
  const around = new Set([...context, ...tokens.slice(start + 1, start + OBJECT_WORDS)]);
  if (isNoun(verb, first, tokens, start, context)) return [];
  if (LIGHT_VERBS.has(verb.lemma)) return readLightVerb(tokens, start, around, verb);
  if (late && verb.form === 'base' && CALLER_VERBS.has(verb.lemma)) return [];
  const head = asMatch('head', verb, around);
  const object = head.effect === 'run' ? findObjectAction(tokens, start, around) : undefined;
  const match = object === undefined ? head : { ...head, objectEffect: object.effect };
  return [match, ...readJoined(tokens, start, verb, around)];
}

/** "Tintes y cortes de un cliente": in other languages no word is an English verb. */
const isForeign = (tokens: readonly string[]): boolean =>
  tokens.slice(1, FOREIGN_WITHIN).filter(isForeignWord).length > 1;
const FOREIGN_WITHIN = 7;

/** So many words of an object stand between the two parts of a verb: "Take a record out", "Turns the lights on". */
const SPLIT_WITHIN = 5;

/** The verb whose second part stands behind its object. */
function findSplitVerb(tokens: readonly string[], start: number): InflectedVerb | undefined {
  const word = tokens[start] ?? '';
  const verb = findVerb(word) ?? findOtherVerb(word);
  if (verb === undefined || verb.form === 'gerund') return undefined;
  const behind = tokens.slice(start + 2, start + 2 + SPLIT_WITHIN);
  for (const [index, token] of behind.entries()) {
    const particle = PARTICLES.has(token) || (token === 'in' && endsClause(behind[index + 1]));
    const whole = particle ? findPhrasalVerb(verb.lemma, token) : undefined;
    const found = whole === undefined ? undefined : LEXICON.get(whole);
    if (found !== undefined) return { ...found, form: verb.form };
    if (CLAUSE_ENDS.has(token) || PREPOSITION.test(token) || isConjunction(token)) return undefined;
  }
  return undefined;
}

/** Second parts of verbs; "in" is one only where nothing stands behind it that something could be in: "Checks a bag in". */
const PARTICLES: ReadonlySet<string> = new Set(['out', 'off', 'on', 'up', 'down', 'back', 'away', 'aside', 'know']);
const endsClause = (next: string | undefined): boolean => next === undefined || isConjunction(next) || next === 'to';

/** The first sentence in another language: its first verb, and every further one that changes something, wherever it stands. */
function readForeign(sentence: string): DescriptionMatch[] {
  const [first = ''] = /\p{L}+/u.exec(sentence) ?? [];
  const begins = translateVerb(first.toLowerCase()) !== undefined;
  const tokens = begins ? tokenizeClause(sentence) : [];
  const lemmas = begins
    ? tokens.flatMap((token, index) => (isForeignArticle(tokens[index - 1]) ? [] : (translateVerb(token) ?? [])))
    : findUnspacedVerbs(sentence);
  return lemmas.flatMap((lemma, index) => {
    const verb = LEXICON.get(lemma);
    if (verb === undefined || (index > 0 && writeShare(verb.effect) === 0)) return [];
    return [{ role: index === 0 ? ('head' as const) : ('joined' as const), word: lemma, effect: verb.effect }];
  });
}

/** A first sentence without a verb that is known: it says what is done in another verb, or names information. */
function readUnknown(tokens: readonly string[], named: ReadonlySet<string>): DescriptionMatch[] {
  const given = findGiven(tokens);
  const deed = given === undefined && !isForeign(tokens) ? findDeed(tokens, skipAdverbs(tokens)) : undefined;
  if (deed !== undefined) return [{ role: 'deed', ...deed }];
  if (namesActing(tokens.join(' '))) return [];
  const word = given ?? findInformation(tokens, named) ?? findForeignInformation(tokens);
  return word === undefined ? [] : [{ role: 'information', word, effect: 'read' }];
}

/** "Merge requests that ...", "Replies for a message", "Comments on an issue" of `issue_comments`: a thing is named, not done. */
function isNoun(
  verb: InflectedVerb,
  word: string,
  tokens: readonly string[],
  start: number,
  named: ReadonlySet<string>,
): boolean {
  const next = tokens[start + 1];
  if (next !== undefined && (COMPOUND_NOUNS.get(verb.lemma)?.has(next) ?? false)) return true;
  // "Share of seeds", "New, repeated and matched words".
  if ((next === 'of' && !OF_VERBS.has(verb.lemma)) || (verb.lemma === 'new' && next === ',')) return true;
  // "Poll with several answers", "Text with accents": what is done has its object in front of "with".
  if (next === 'with' && verb.form === 'base' && verb.nounness !== 'never' && !WITH_VERBS.has(verb.lemma)) return true;
  if (
    verb.form === 'base' &&
    verb.nounness !== 'never' &&
    (isFirstOfNouns(tokens, start) || findMeasure(tokens.slice(start)) !== undefined)
  )
    return true;
  if (verb.form !== 'third' || next === undefined || saysThat(tokens, start)) return false;
  // The name of a tool has its verb in the base form, so its words in -s are nouns.
  return (
    isFollowedByClause(verb, next, tokens[start + 2]) ||
    isFirstOfNouns(tokens, start) ||
    isOneOfNouns(verb, tokens.slice(start + 1)) ||
    (writeShare(verb.effect) > 0 && (next === 'for' || next === 'of')) ||
    (named.has(word) && PREPOSITION.test(next)) ||
    readStart(tokens, start) === 'noun' ||
    (verb.nounness !== 'never' && findThing(tokens.slice(start)) !== undefined)
  );
}

/** Verbs with an object behind "of". */
const OF_VERBS: ReadonlySet<string> = new Set('dispose approve think learn make remind inform warn'.split(' '));

/** Verbs that need no object in front of "with". */
const WITH_VERBS = wordList('with-verbs');

/** "Flags that are stale", "Notes which link here": what is changed stands behind a verb, and no clause on it. */
const isFollowedByClause = ({ effect, lemma }: InflectedVerb, next: string, then: string | undefined): boolean =>
  writeShare(effect) > 0 &&
  !SAYING.has(lemma) &&
  (next === 'which' || next === 'who' || (next === 'that' && then !== undefined));
const SAYING = wordList('saying');

/** "Calls and puts with their prices", "Purchases and sales by month": two verbs would have an object. */
function isOneOfNouns({ nounness }: InflectedVerb, rest: readonly string[]): boolean {
  const [link = '', second = '', third] = rest;
  return (
    nounness !== 'never' &&
    /^(?:and|or|&)$/.test(link) &&
    isPlural(second) &&
    (third === undefined || PREPOSITION.test(third))
  );
}

/** What follows is what its caller wants, of which the tool may do a part. */
const OCCASION =
  /^\W*(?:use|call|invoke|run)\s+(?:this|it)\s+(?:tool\s+)?(?:only\s+|proactively\s+)*(?:when|whenever|if)\b/i;

const asLate = (match: DescriptionMatch): DescriptionMatch =>
  match.role === 'head' && readShare(match.effect) > 0 ? { ...match, role: 'late' } : match;

const skipAdverbs = (tokens: readonly string[]): number => skipAdverbsFrom(tokens, 0);

function skipAdverbsFrom(tokens: readonly string[], from: number): number {
  let index = from;
  while (index < tokens.length) {
    const token = tokens[index] ?? '';
    const adverb = token.endsWith('ly') && !LY_VERBS.has(token) && !LY_ADJECTIVES.has(token);
    if (!adverb && !SENTENCE_ADVERBS.has(token) && !/^[,:;/&\d]/.test(token)) break;
    index += 1;
  }
  return index;
}

function takesObject(next: string | undefined): boolean {
  return (
    next !== undefined &&
    /^(?:an?|the|on|to|in|into|your|new|all|one|multiple|this|it|them|him|her|its|any|some|with|for|what|how|whether)$/.test(
      next,
    )
  );
}

/** "Make line-based edits", "take a screenshot": the noun names the action; "take in a question" has no such noun. */
function readLightVerb(
  tokens: readonly string[],
  start: number,
  context: ReadonlySet<string>,
  light: InflectedVerb,
): DescriptionMatch[] {
  const object = findObjectAction(tokens, start, context);
  if (object !== undefined) return [object];
  const issues = light.lemma === 'issue' && light.form === 'third';
  return light.nounness === 'never' || light.lemma === 'make' || issues ? [asMatch('head', light, context)] : [];
}

function findObjectAction(
  tokens: readonly string[],
  start: number,
  context: ReadonlySet<string>,
): DescriptionMatch | undefined {
  for (const token of tokens.slice(start + 1, start + 7)) {
    if (CLAUSE_ENDS.has(token) || PREPOSITION.test(token)) return undefined;
    const verb = findVerb(ACTION_NOUNS.get(token) ?? token);
    if (verb !== undefined && !LIGHT_VERBS.has(verb.lemma)) return asMatch('head', verb, context);
  }
  return undefined;
}

/** Further verbs of the main clause: a list right behind the head, or a coordinate in the head's own form. */
function readJoined(
  tokens: readonly string[],
  head: number,
  verb: InflectedVerb,
  context: ReadonlySet<string>,
): DescriptionMatch[] {
  const found: DescriptionMatch[] = [];
  let chained = true;
  for (let index = head + 1; index < Math.min(tokens.length, head + 40); index += 1) {
    const token = tokens[index] ?? '';
    if (CLAUSE_ENDS.has(token)) break;
    if (startsPurpose(tokens, index)) {
      if (verb.effect === 'compute') found.push(...readOutcome(tokens, index, context));
      break;
    }
    if (isConjunction(token) || SENTENCE_ADVERBS.has(token) || token.endsWith('ly')) continue;
    const labelled = findLabelled(tokens, index);
    if (labelled !== undefined) {
      found.push(asMatch('joined', labelled, context));
      continue;
    }
    const linked = isLinked(tokens, index, verb, chained) && !endsNounList(tokens, index);
    const other = linked ? (findSplitVerb(tokens, index) ?? findVerb(token)) : undefined;
    const next = tokens[index + 1];
    const sure = other !== undefined && (other.nounness === 'never' ? hasObject(next) : takesObject(next));
    const joins = other !== undefined && other.form === verb.form && (chained || sure);
    const around = new Set([...context, ...tokens.slice(index + 1, index + OBJECT_WORDS)]);
    const deed = other === undefined ? findJoinedDeed(tokens, index, verb.form) : undefined;
    if (other !== undefined && joins) found.push(joinTo(verb, asMatch('joined', other, around)));
    else if (deed !== undefined) found.push({ role: 'joined', ...deed });
    else chained = false;
  }
  return found;
}

/** "Describe a copy: saves its condition": what is done stands behind a colon, whatever the form of the first verb. */
function findLabelled(tokens: readonly string[], index: number): InflectedVerb | undefined {
  const verb = tokens[index - 1] === ':' && hasObject(tokens[index + 1]) ? findVerb(tokens[index] ?? '') : undefined;
  const acts = verb?.form === 'third' && writeShare(verb.effect) > 0 && readStart(tokens, index) === 'verb';
  return acts && verb.nounness !== 'mostly' ? verb : undefined;
}

/** "... and caches the record", "... and hold it for the courier": a deed, as it has the form of the first verb and an object. */
function findJoinedDeed(tokens: readonly string[], index: number, form: InflectedVerb['form']): Deed | undefined {
  const object = tokens[index + 1] ?? '';
  if (!isConjunction(tokens[index - 1]) || !PLAIN_OBJECT.test(object)) return undefined;
  const verb = findOtherVerb(tokens[index] ?? '');
  // What may as well only look does something to what was found: "Find a berth and keep it".
  const effect = verb?.effect ?? (PRONOUN.test(object) ? 'act' : undefined);
  return verb?.form !== form || effect === undefined ? undefined : { word: verb.lemma, effect };
}

const PRONOUN = /^(?:it|them|him|her)$/;
/** What hardly stands behind a noun. */
const PLAIN_OBJECT = /^(?:an?|the|it|them|its|this|these|those|their|your|him|her)$/;

/** "Parse a document to create tasks": what is computed is stored. */
function readOutcome(tokens: readonly string[], to: number, context: ReadonlySet<string>): DescriptionMatch[] {
  const verb = findVerb(tokens[skipAdverbsFrom(tokens, to + 1)] ?? '');
  if (verb === undefined) return [];
  const match = asMatch('joined', verb, context);
  return writeShare(match.effect) > 0 ? [match] : [];
}

const joinTo = (head: InflectedVerb, match: DescriptionMatch): DescriptionMatch => ({
  ...match,
  effect: joinEffects(head.effect, match.effect, match.word),
});

const isConjunction = (token: string | undefined): boolean => /^(?:[,:;/&]|and|or|then)$/.test(token ?? '');

/** "... to create or update records" says what the result is for. */
function startsPurpose(tokens: readonly string[], index: number): boolean {
  if (tokens[index] !== 'to') return false;
  const next = findVerb(tokens[skipAdverbsFrom(tokens, index + 1)] ?? '');
  return next !== undefined && next.form === 'base' && next.nounness === 'never';
}

/** What ends a phrase cannot be a verb's object: "rules, and rollouts of a flag" is a list of nouns. */
function hasObject(next: string | undefined): boolean {
  return next !== undefined && !isConjunction(next) && !CLAUSE_ENDS.has(next) && !PREPOSITION.test(next);
}

function isLinked(tokens: readonly string[], index: number, head: InflectedVerb, chained: boolean): boolean {
  let before = index - 1;
  while (before > 0 && (SENTENCE_ADVERBS.has(tokens[before] ?? '') || (tokens[before] ?? '').endsWith('ly')))
    before -= 1;
  const link = tokens[before];
  if (link === ',' || link === ':') return head.effect === 'manage' || head.form === 'third' || isListed(tokens, index);
  return link === '/' || link === '&' ? chained : isConjunction(link);
}

/** "Returns tokens, components, and styles in one answer": behind a bare noun between commas stands another noun. */
function endsNounList(tokens: readonly string[], index: number): boolean {
  let before = index - 1;
  while (before > 0 && isConjunction(tokens[before])) before -= 1;
  const item = tokens[before];
  return before > 1 && isConjunction(tokens[before - 1]) && item !== undefined && findVerb(item) === undefined;
}

/** Whether a verb behind a comma is in a list of verbs: "Create, update, or delete". */
function isListed(tokens: readonly string[], index: number): boolean {
  return (
    isConjunction(tokens[index + 1]) ||
    isConjunction(tokens[index - 2]) ||
    findVerb(tokens[index - 2] ?? '') !== undefined
  );
}

/** Later sentences count where they describe the tool in the third person: "Creates a directory for the result." */
function readLaterSentence(sentence: string): DescriptionMatch[] {
  const tokens = tokenizeClause(sentence.slice(0, LATER_CHARACTERS));
  const start = skipAdverbs(tokens);
  const verb = findVerb(tokens[start] ?? '');
  if (verb === undefined || verb.form !== 'third' || verb.nounness !== 'never' || !hasObject(tokens[start + 1]))
    return [];
  return writeShare(verb.effect) > 0 ? [asMatch('later', verb, new Set(tokens))] : [];
}

function asMatch(role: DescriptionRole, verb: InflectedVerb, context: ReadonlySet<string>): DescriptionMatch {
  return { role, word: verb.lemma, effect: senseOf(verb, context) };
}
