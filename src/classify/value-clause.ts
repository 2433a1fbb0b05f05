import type { RawTool } from '../base/protocol/tools.js';
import { descriptionOf, sayingsOf } from './read-value.js';
import { readDescription } from './text/read-description.js';
import type { NameMatch } from './text/read-name.js';
import { type Effect, LEXICON, readShare, setOfWords, writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';

/** What the texts of a grouped tool say of one of its values. */
type Said = 'reads' | 'changes' | undefined;

const TEXT_CHARACTERS = 3_000;
const CHANGING_LIST =
  /\b(?:modif\w+|writ(?:e|ing)|mutat\w+|chang\w+|destructive|updating) (?:actions?|operations?|commands?|modes?|methods?)\b[^:\n]{0,30}:([^\n]*)/gi;
const READING_LIST =
  /\b(?:read[- ]only|read(?:ing)?|quer(?:y|ies|ying)|inspection|non-destructive|safe) (?:actions?|operations?|commands?|modes?|methods?)?[^:\n.]{0,30}:([^\n]*)/gi;

/** Up to the next list of the other kind. */
const END_OF_LIST = /\. [A-Z]|;/;

function isIn(list: RegExp, text: string, value: string): boolean {
  const named = new RegExp(`(?<![\\w-])${value.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&')}(?![\\w-])`);
  return [...text.matchAll(list)].some(([, members = '']) =>
    named.test(members.slice(0, END_OF_LIST.exec(members)?.index)),
  );
}

/** What the texts say of a value: in lists of reading and of changing actions, or in the clause that explains it. */
export function saidOfValue(tool: RawTool, parameter: string, value: string, values: readonly string[]): Said {
  const texts = [descriptionOf(tool, parameter), tool['description']].flatMap((text) =>
    typeof text === 'string' ? [text.slice(0, TEXT_CHARACTERS)] : [],
  );
  for (const text of texts) {
    if (isIn(CHANGING_LIST, text, value)) return 'changes';
    if (isIn(READING_LIST, text, value)) return 'reads';
  }
  for (const clause of texts.flatMap((text) => sayingsOf(text, value, values))) {
    const [head] = readDescription(clause.replace(/^(?:to|will) /, ''), new Set(splitWords(value))).matches;
    if (head === undefined || (head.role !== 'head' && head.role !== 'information')) continue;
    if (writeShare(head.effect) > 0 && LEXICON.get(head.word)?.nounness === 'never') return 'changes';
    if (readShare(head.effect) > 0) return 'reads';
  }
  return undefined;
}

const UNDOING = /^un[-_]?/i;
/** Names of tools that put something into a state: their values are states. */
const MARKING = setOfWords('mark flag tag change set toggle');

/**
 * What a value does by its own words, its neighbours and its tool: `read` beside `unread` is a state that is set, `download` that "installs"
 * is no reading, and neither is what only computes where the others change what is computed.
 */
export function settleValue(
  matches: readonly NameMatch[],
  {
    value,
    name,
    values,
    said,
  }: {
    readonly value: string;
    readonly name: readonly string[];
    readonly values: readonly string[];
    readonly said: Said;
  },
): readonly NameMatch[] {
  const reads = matches.length > 0 && matches.every(({ effect }) => writeShare(effect) === 0);
  if (matches.length === 0) return isPaired(value, values) ? [asUpdate(value)] : matches;
  if (!reads || said === 'reads') return matches;
  const words = splitWords(value);
  const isState =
    isPaired(value, values) ||
    (words.length === 1 &&
      words[0] === 'read' &&
      [...name, ...values.flatMap(splitWords)].some((word) => MARKING.has(word)));
  if (isState || said === 'changes') return [asUpdate(value)];
  // Only what is a read by itself is one beside values that change.
  const computes = matches.every(({ effect }) => effect === 'compute') && values.some(changesByName);
  return computes || isPosture(value) ? [{ role: 'lead', word: value, effect: 'lifecycle' as Effect }] : matches;
}

const asUpdate = (value: string): NameMatch => ({ role: 'lead', word: value, effect: 'update' });

const changesByName = (value: string): boolean => {
  const verb = LEXICON.get(splitWords(value)[0] ?? '');
  return verb !== undefined && (verb.effect === 'update' || verb.effect === 'add' || verb.effect === 'delete');
};

/** `flag` and `unflag`, `read` and `unread`. */
function isPaired(value: string, values: readonly string[]): boolean {
  const bare = value.toLowerCase();
  return values.some((other) => {
    const one = other.toLowerCase();
    return one !== bare && (one === bare.replace(UNDOING, '') || one.replace(UNDOING, '') === bare);
  });
}

/** What somebody or something turns to: `look_at`. */
const isPosture = (value: string): boolean => /^(?:look|face|point|gaze|aim)[-_ ]?(?:at|to|toward)?s?$/i.test(value);
