import { rememberTexts } from '../base/lib/remember.js';
import { type Category, type DangerLevel, type Deciding, dangerRank } from '../base/protocol/operation.js';
import { readName } from './text/read-name.js';
import { stemsOf } from './words/find-verb.js';
import { EFFECTS, type Effect, LEXICON, leadingCategory, setOfWords, writeShare } from './words/lexicon.js';
import { findOtherVerb } from './words/other-verbs.js';
import { splitWords } from './words/vocabulary.js';

/** What one call does by the value of a parameter that decides it. */
export interface ValueVerdict {
  readonly category: Category;
  readonly danger: DangerLevel;
  /** In words: "'order.cancel' drives something that runs". */
  readonly reason: string;
}

/** An effect of which no more is known than that something is done. */
const VAGUE: ReadonlySet<Effect> = new Set<Effect>(['act', 'write', 'manage', 'run']);

/**
 * What an action does by its name, in any style: `list`, `order.cancel`, `getHarvest`. A reading verb in front decides unless another
 * verb follows behind "and" or "or"; elsewhere the most dangerous verb does. Undefined where the words name no action.
 */
export function effectOfAction(value: string): Effect | undefined {
  const words = splitWords(value);
  const [first = ''] = words;
  const other = findOtherVerb(first);
  if (other?.effect === 'end' && other.form === 'base') return 'end';
  if (words.length === 1 && first === 'new') return 'create';
  const matches = readName(words, new Set(words)).filter(({ role }) => TELLING.has(role));
  const [lead] = matches;
  const isFront = lead?.role === 'lead' && lead.word === first && writeShare(lead.effect) === 0;
  const counted = isFront ? matches.filter(({ role }) => role === 'lead' || role === 'joined') : matches;
  const effects = counted.map(({ effect }) => effect);
  return effects.toSorted((one, other) => severity(other) - severity(one))[0];
}

const TELLING: ReadonlySet<string> = new Set(['lead', 'joined', 'likely', 'next', 'noun', 'deed']);
const severity = (effect: Effect): number => dangerRank(EFFECTS[effect].danger) * 2 + (writeShare(effect) > 0 ? 1 : 0);

/** Whether an effect leaves less behind than was there, or is not undone by the same means. */
export const isLoss = (effect: Effect): boolean => dangerRank(EFFECTS[effect].danger) >= dangerRank('destructive');

/** Nothing but names, numbers and places: whatever else a command holds may be a second one. */
const PLAIN_COMMAND = /^[\p{L}\p{N}_.:/@*\- ]{1,200}$/u;
const PLAIN_ACTION = /^[\p{L}\p{N}_.:/\- ]{1,120}$/u;
/** "Send all" and "close all" leave nothing out. */
const EVERYTHING_WORDS = setOfWords('all everything every everyone everybody');

/** Judges the value that a call sends for a parameter that decides what is done. What is not understood may destroy. */
export function judgeValue({ parameter, kind, listed }: Deciding, value: unknown): ValueVerdict {
  const shown = typeof value === 'string' ? `'${value.slice(0, 60)}'` : 'no text';
  const unknown: ValueVerdict = {
    category: 'EXECUTE',
    danger: 'destructive',
    reason: `what ${shown} in '${parameter}' does is not known`,
  };
  if (typeof value !== 'string') return unknown;
  if (kind === 'method') return judgeMethod(value, shown);
  const text = value.trim();
  if (!(kind === 'command' ? PLAIN_COMMAND : PLAIN_ACTION).test(text)) return unknown;
  const effect = kind === 'command' ? effectOfCommand(text) : effectOfAction(text);
  if (effect === undefined || VAGUE.has(effect)) {
    if (!listed.includes(text)) return unknown;
    return { category: 'EXECUTE', danger: 'reversible', reason: `${shown} is one of the values that its texts list` };
  }
  const { danger, phrase } = EFFECTS[effect];
  const bulk = writeShare(effect) > 0 && splitWords(text).some((word) => EVERYTHING_WORDS.has(word));
  return {
    category: leadingCategory(effect),
    danger: bulk && !isLoss(effect) ? 'destructive' : danger,
    reason: bulk ? `${shown} ${phrase}, and leaves nothing out` : `${shown} ${phrase}`,
  };
}

/** Of several words the first must be the verb: "GET session:1". */
function effectOfCommand(text: string): Effect | undefined {
  const [first = '', ...rest] = text.split(/\s+/);
  const effect = effectOfAction(first);
  const others = rest.filter((word) => /^[a-z]+$/i.test(word)).map(effectOfAction);
  const worst = others.find((other) => other !== undefined && writeShare(other) > 0);
  if (effect === undefined || rest.some((word) => word.startsWith('-') && rest.length > 0 && isLosingOption(word)))
    return undefined;
  return writeShare(effect) === 0 && worst !== undefined ? worst : effect;
}

const isLosingOption = (word: string): boolean => splitWords(word).some(losesByWord);

function judgeMethod(value: string, shown: string): ValueVerdict {
  const method = value.trim().toUpperCase();
  if (method === 'GET' || method === 'HEAD')
    return { category: 'READ', danger: 'safe', reason: `the method ${shown} reads` };
  const category = method === 'DELETE' ? 'DELETE' : 'EXECUTE';
  return { category, danger: 'destructive', reason: `the method ${shown} may write` };
}

/** States that are left for good, beside what verbs of loss leave. */
const FINAL = setOfWords('terminate close void retire expel');
/** What is said of the state that each of them ends; where it is a choice, too, there is a way back. */
const WAYS_BACK: ReadonlyMap<string, RegExp> = new Map([
  ['close', /^(?:(?:re)?open(?:ed)?|active|new|todo|in[ _-]?progress)$/i],
]);

/** Whether a word in any form says that something is lost: `truncate`, `deleted`, `purging`, `VOIDED`. */
export const losesByWord = rememberTexts((word): boolean => {
  if (word === 'deletion' || word === 'removal') return true;
  return formsOf(word).some((stem) => {
    const effect = LEXICON.get(stem)?.effect ?? (findOtherVerb(stem)?.effect === 'end' ? 'end' : undefined);
    return effect !== undefined && LOSING.has(effect) && !HARMLESS_ALONE.has(stem);
  });
});

/** Effects that lose something whatever they are used on. */
const LOSING: ReadonlySet<Effect> = new Set<Effect>(['delete', 'purge', 'reset', 'rebuild', 'end', 'overwrite']);
/** Verbs of these effects that as words of a switch, a state or a mode say less. */
const HARMLESS_ALONE = setOfWords('write put rotate regenerate forget leave empty quit expire clean prune void burn');

function formsOf(word: string): readonly string[] {
  const past = /ed$/.test(word) ? [word.slice(0, -2), word.slice(0, -1), word.slice(0, -3)] : [];
  return [...stemsOf(word).map(([stem]) => stem), ...past, ...(word === 'written' ? ['write'] : [])];
}

/** Words that lose only as the verb of a switch: `clean`, `emptyBefore`, `flush`. */
const LOSING_FIRST = setOfWords('empty clean prune void burn expire');

/** Whether a switch of these words loses something when it is on. */
export function losesBySwitch(words: readonly string[]): boolean {
  return LOSING_FIRST.has(words[0] ?? '') || words.some(losesByWord);
}

/** The verb of a word for a state that is left for good. */
const endOf = rememberTexts((word): string | undefined => formsOf(word).find((stem) => FINAL.has(stem)));

/** Whether a state says that what has it is lost or ended. @param choices the other states that may be given; empty where any may */
export function losesByState(value: string, choices: readonly string[] = []): boolean {
  const words = splitWords(value);
  const ended = words.map(endOf).find((stem) => stem !== undefined);
  if (ended !== undefined) {
    const back = WAYS_BACK.get(ended);
    return back === undefined || !choices.some((other) => back.test(other));
  }
  return words.some((word) => losesByWord(word) || /^(?:trash|trashed|voided|burnt|burned|expunged)$/.test(word));
}

/** Whether a selection leaves nothing out. @param whenEmpty whether an empty one means everything */
export function selectsEverything(value: unknown, whenEmpty: boolean): boolean {
  if (typeof value === 'string') return (whenEmpty && value.trim() === '') || WILDCARD.test(value.trim());
  if (Array.isArray(value))
    return value.length === 0 ? whenEmpty : value.some((one) => typeof one === 'string' && WILDCARD.test(one.trim()));
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return members.length === 0 ? whenEmpty : members.every((member) => selectsEverything(member, true));
}

const WILDCARD = /^(?:\*|%|\.\*|\*\/?\*|\*:\*|all|everything|any|1\s*=\s*1|true|\{\s*\}|\[\s*\])$/i;
