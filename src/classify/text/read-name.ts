import { senseOf, verbOfAgent } from '../words/find-verb.js';
import { findUnspacedVerbs, isPlain, translateVerb } from '../words/languages.js';
import {
  type Effect,
  joinEffects,
  LEXICON,
  type Nounness,
  readShare,
  type Verb,
  writeShare,
} from '../words/lexicon.js';
import { MEASURES } from '../words/measures.js';
import { COMPOUND_NOUNS, LIGHT_VERBS } from '../words/vocabulary.js';
import { wordList } from '../words/word-lists.js';
import { isQuestion, isResult, namesInformation } from './information.js';
import type { DescriptionRole } from './read-description.js';
import { findNamedDeed } from './sentence-start.js';

/**
 * The role of a word in a name. `lead`: its verb. `joined`: a further verb behind "or" or "and". `likely` and `possible`: a
 * word that is also a noun, where it is more or less likely the verb. `next`: a verb of change right behind the reading verb
 * or at the end, as in `get_delete_token`; `inner`: one in between. `noun`: the name ends in a word for a result. `thing`: it
 * has no verb at all and names information. `deed`: its only verb is one of which no more is known than that it does something.
 */
export type NameRole = 'lead' | 'joined' | 'likely' | 'possible' | 'next' | 'inner' | 'noun' | 'thing' | 'deed';

export interface NameMatch {
  readonly role: NameRole;
  readonly word: string;
  readonly effect: Effect;
}

interface Candidate {
  readonly index: number;
  readonly word: string;
  readonly nounness: Nounness;
  readonly effect: Effect;
}

/** The description's verb, which resolves an ambiguous name. */
export interface NameHint {
  readonly role: DescriptionRole;
  readonly word: string;
  readonly effect: Effect;
}

/**
 * Finds the verbs of a name at any place; of the first `objectWords`, which say what it is about, only certain ones. The hint decides which of several words that can be nouns (`issue_list`,
 * `run_search`) is the verb.
 */
export function readName(
  words: readonly string[],
  context: ReadonlySet<string>,
  hint?: NameHint,
  objectWords = 0,
): readonly NameMatch[] {
  // `no_show` does not show.
  const candidates = findCandidates(words, context).filter(
    ({ index, nounness }) => (index >= objectWords || nounness === 'never') && words[index - 1] !== 'no',
  );
  const agent = findAgent(words, candidates, context);
  if (agent !== undefined) return [agent];
  const joined = candidates.filter((candidate) => candidate.index > 0 && isJoined(words, candidate.index));
  const rest = candidates.filter((candidate) => !joined.includes(candidate));
  const head = findHead(words, rest, hint);
  const matches = head === undefined ? readAmbiguous(words, rest, hint) : readHead(rest, head, words.length);
  const noun = head === undefined ? readNoun(words, candidates) : [];
  const compound = hint !== undefined && isSureRead(hint) && words.length > 1 && MEASURES.has(words.at(-1) ?? '');
  const deed = findNamedDeed(words, head === undefined && objectWords === 0 && !compound);
  return [
    ...matches,
    ...joined.map((candidate) => asMatch('joined', joinTo(head, candidate))),
    ...noun,
    ...(deed === undefined ? [] : [{ role: 'deed' as const, ...deed }]),
  ];
}

/**
 * The certain verb of a name: the first word that is never a noun. A word before it can still be the verb: one that the
 * description begins with, or a reading word in front where the certain one neither follows it nor ends the name
 * (`list_installed_press_plugins`, but `list_item_delete`).
 */
function findHead(words: readonly string[], candidates: readonly Candidate[], hint?: NameHint): Candidate | undefined {
  const sure = candidates.find(({ nounness }) => nounness === 'never');
  if (sure === undefined) return undefined;
  const named = candidates.find(({ word, index }) => word === hint?.word && index < sure.index);
  const last = sure.index === words.length - 1 && words.length > 1 && LAST_VERBS.has(sure.word);
  if (named !== undefined && !(last && named.nounness === 'mostly')) return named;
  const front = candidates.find(
    ({ index, nounness, effect }) => index === 0 && nounness === 'often' && readShare(effect) > 0,
  );
  const inside = sure.index > 1 && sure.index < words.length - 1;
  if (front !== undefined && inside) return front;
  return findLast(words, candidates, sure, hint) ?? sure;
}

/**
 * The verb at the end of a name that begins with its object, although that begins with a verb too: `deploy_plan_get`. A word
 * that is also a noun needs a description that reads: `create_task_list` creates.
 */
function findLast(
  words: readonly string[],
  candidates: readonly Candidate[],
  sure: Candidate,
  hint?: NameHint,
): Candidate | undefined {
  const last = candidates.at(-1);
  if (last === undefined || last.index !== words.length - 1 || words.length < 3 || last === sure) return undefined;
  if (candidates.some(({ index }) => index === last.index - 1) || LINKS.has(words.at(-2) ?? '')) return undefined;
  if (hint?.word === sure.word) return undefined;
  const contradicted = hint !== undefined && readShare(last.effect) > 0 && writeShare(hint.effect) > 0;
  if (last.nounness === 'never') return LAST_VERBS.has(last.word) && !contradicted ? last : undefined;
  return last.nounness === 'often' && readShare(last.effect) > 0 && hint !== undefined && isSureRead(hint)
    ? last
    : undefined;
}

/** Verbs that servers put at the end of their names. */
const LAST_VERBS = wordList('last-verbs');

/** In front of the last word they make a part of the phrase of it: `mark_as_seen`, `list_to_delete`. */
const LINKS = wordList('name-links');

function findCandidates(words: readonly string[], context: ReadonlySet<string>): readonly Candidate[] {
  const candidates: Candidate[] = [];
  words.forEach((word, index) => {
    const verb = verbOf(word);
    if (verb !== undefined) candidates.push({ index, word, nounness: verb.nounness, effect: senseOf(verb, context) });
  });
  const whole = candidates.filter(({ word, index }) => !LIGHT_VERBS.has(word) && !isHalfNoun(word, words[index + 1]));
  const informs = isResult(words.at(-1) ?? '');
  return whole.length > 0 || informs ? whole : candidates;
}

/** The verb that a word is, in any known language; of several that are written as one word, one that changes something. */
function verbOf(word: string): Verb | undefined {
  const known = LEXICON.get(word) ?? LEXICON.get(translateVerb(word) ?? '');
  if (known !== undefined || isPlain(word)) return known;
  const verbs = findUnspacedVerbs(word).flatMap((lemma) => LEXICON.get(lemma) ?? []);
  return verbs.find(({ effect }) => writeShare(effect) > 0) ?? verbs[0];
}

function isHalfNoun(word: string, next: string | undefined): boolean {
  return next !== undefined && (COMPOUND_NOUNS.get(word)?.has(next) ?? false);
}

function isJoined(words: readonly string[], index: number): boolean {
  const before = words[index - 1];
  return before === 'or' || before === 'and';
}

function readHead(candidates: readonly Candidate[], head: Candidate, length: number): NameMatch[] {
  if (writeShare(head.effect) > 0) return [asMatch('lead', head)];
  const others = candidates.filter(
    ({ nounness, index, effect }) => nounness === 'never' && index !== head.index && writeShare(effect) > 0,
  );
  const role = (candidate: Candidate): NameRole => (isClose(candidate, head, length) ? 'next' : 'inner');
  return [asMatch('lead', head), ...others.map((candidate) => asMatch(role(candidate), candidate))];
}

/** Right behind the head, or at the end, where some servers put the verb (`read_receipt_send`). */
function isClose(candidate: Candidate, head: Candidate, length: number): boolean {
  return candidate.index === head.index + 1 || candidate.index === length - 1;
}

/** Where all words can be nouns, all stay possible unless the description decides or there is only one. */
function readAmbiguous(words: readonly string[], candidates: readonly Candidate[], hint?: NameHint): NameMatch[] {
  const last = words.length - 1;
  const verbs = candidates.filter(
    ({ index, word, nounness }) => index === 0 || index < last || nounness !== 'mostly' || !isResult(word),
  );
  const open = verbs.filter((candidate) => candidate.nounness === 'often' || candidate.index === 0);
  const running = open.length > 0 ? open : verbs;
  const settled = hint === undefined ? undefined : running.find(({ effect }) => sameKind(effect, hint.effect));
  if (settled !== undefined) return [asMatch(leads(settled) ? 'lead' : 'likely', settled)];
  const shows = hint?.role === 'information' && isResult(words.at(-1) ?? '');
  const asNoun = ({ index, nounness }: Candidate): boolean => {
    if (hint?.role !== 'information' || isQuestion(hint.word)) return index > 0;
    // What only names a thing may leave the verb to the end of the name: "pdf_split: One file per page".
    return index > 0 && (nounness === 'mostly' || index < words.length - 1);
  };
  // "fill_levels: How full each container is": nobody does anything to levels but note them down.
  const measured = hint?.role === 'information' && words.length > 1 && MEASURES.has(words.at(-1) ?? '');
  const compound = measured && running.every(({ word }) => !NOTING.has(word));
  const nouns = hint !== undefined && isSureRead(hint) && (shows || compound || running.every(asNoun));
  if (nouns) return running.slice(0, 1).map((candidate) => asMatch('possible', candidate));
  const alone = running.length === 1 && words.length > 1;
  return running.map((candidate) => asMatch(alone && leads(candidate) ? 'lead' : roleOf(candidate), candidate));
}

/** Verbs with which measures are written down or set. */
const NOTING = wordList('noting');

/** A description that begins with "Retrieve" makes nouns of a name's later words: `pipelines_run` is about runs. */
function isSureRead({ role, word, effect }: NameHint): boolean {
  return role === 'information' || (readShare(effect) > 0 && LEXICON.get(word)?.nounness === 'never');
}

const leads = ({ index, nounness }: Candidate): boolean => index === 0 && nounness === 'often';

function roleOf(candidate: Candidate): NameRole {
  return candidate.nounness === 'often' ? 'likely' : 'possible';
}

function sameKind(a: Effect, b: Effect): boolean {
  return a === b || (readShare(a) > 0 && readShare(b) > 0);
}

function readNoun(words: readonly string[], candidates: readonly Candidate[]): NameMatch[] {
  const last = words.at(-1);
  if (last === undefined) return [];
  if (isResult(last)) return [{ role: 'noun', word: last, effect: 'read' }];
  const verbless = candidates.every(({ nounness, effect }) => nounness === 'mostly' && writeShare(effect) === 0);
  return verbless && namesInformation(words) ? [{ role: 'thing', word: last, effect: 'read' }] : [];
}

/** `team-services-reader`: where no word is certainly the verb, a last word for what does something names it. */
function findAgent(
  words: readonly string[],
  candidates: readonly Candidate[],
  context: ReadonlySet<string>,
): NameMatch | undefined {
  const last = words.at(-1) ?? '';
  if (words.length < 2 || candidates.some(({ nounness }) => nounness === 'never')) return undefined;
  const verb = verbOfAgent(last);
  return verb && { role: 'likely', word: verb.lemma, effect: senseOf(verb, new Set([...context, verb.lemma])) };
}

/** create_or_update creates what is not there (CRUDE guide 6.4: prefer CREATE). */
function joinTo(head: Candidate | undefined, candidate: Candidate): Candidate {
  return head === undefined
    ? candidate
    : { ...candidate, effect: joinEffects(head.effect, candidate.effect, candidate.word) };
}

function asMatch(role: NameRole, candidate: Candidate): NameMatch {
  return { role, word: candidate.word, effect: candidate.effect };
}
