import { toSnakeCase } from '../../base/lib/names.js';
import { removeInvisible, spellAsRead } from '../../base/lib/text.js';
import {
  type DangerLevel,
  dangerRank,
  GATEWAY_SOURCE,
  type Operation,
  worseDanger,
} from '../../base/protocol/operation.js';
import { actionOf } from './alarming-words.js';

/** An operation that an action is about, with the danger that the action says. */
export interface MeantOperation {
  readonly operation: Operation;
  readonly danger: DangerLevel;
  /** `named` where the text has its name, `likely` where a search found it. */
  readonly by: 'named' | 'likely';
  /** The risks of the operation that the text names. */
  readonly risks: readonly string[];
}

/** The operations that an agent can call. */
export interface KnownOperations {
  find(name: string): Operation | undefined;
  /** Those that match a text, best first; none where nothing fits it. */
  search(text: string): Promise<readonly Operation[]>;
}

/** An agent's description of what it will do next, ready to be compared. */
export interface Hint {
  /** As it is read: without invisible characters, and in Latin letters where others look like them. */
  readonly text: string;
  /** In lower case, without quotes and brackets, one blank between words. */
  readonly plain: string;
  /** The words of `plain`, without punctuation at their ends. */
  readonly words: readonly string[];
  /** The names in it that stand for calls. */
  readonly calls: readonly HintName[];
}

/** The part of a text that is searched for: what an action is about stands at its beginning. */
const SEARCHED_LENGTH = 500;

/** Operations that a search may mean: the first is the likeliest, and a report is no query of ten things. */
const MOST_LIKELY = 3;

/** Operations that one action names: people read all that it opens. What is named beyond them is covered by no step. */
const MOST_NAMED = 20;

/** The operations of the catalog that an action names; where it names none, those that a search finds for it. */
export async function resolveHint(hint: Hint, known: KnownOperations): Promise<readonly MeantOperation[]> {
  const named = namedIn(hint, known);
  if (named.length > 0) return named.map((operation) => meant(operation, hint, 'named'));
  const found = await known.search(hint.text.slice(0, SEARCHED_LENGTH));
  const reads = actionOf(hint.words)?.level === 'safe';
  return (
    found
      .filter((operation) => operation.upstream !== GATEWAY_SOURCE)
      .slice(0, MOST_LIKELY)
      .map((operation) => meant(operation, hint, 'likely'))
      // Words that only read mean no operation that writes, however well the rest of them fits.
      .filter(({ danger }) => !reads || danger === 'safe')
  );
}

function namedIn({ calls, words, text }: Hint, known: KnownOperations): readonly Operation[] {
  const forms = calls.flatMap((call) => [call.written, ...call.forms]);
  // A text of one word is a name, and one word of a sentence is none.
  const only = words.length === 1 ? [text.trim(), ...words] : [];
  const found = [...forms, ...words.filter((word) => word.includes('_')), ...only].flatMap(
    (name) => known.find(name) ?? [],
  );
  return [...new Map(found.map((operation) => [operation.qualifiedName, operation])).values()].slice(0, MOST_NAMED);
}

/** The operation's danger, raised by each of its risks that the text names: "delete_branch with force" is forced. */
function meant(operation: Operation, { words }: Hint, by: MeantOperation['by']): MeantOperation {
  const said = new Set(words.flatMap((word) => word.split(/[^a-z0-9]+/)));
  const named = (operation.classification.risks ?? []).filter(({ path }) =>
    path.some((name) => wordsOf(name).every((word) => said.has(word))),
  );
  const danger = named.reduce((level, risk) => worseDanger(level, risk.danger), operation.classification.danger.level);
  return { operation, danger, by, risks: named.map(({ reason }) => reason) };
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The worst danger among operations; undefined where there is none. */
export function worstMeant(meants: readonly MeantOperation[]): MeantOperation | undefined {
  return meants.toSorted((one, other) => dangerRank(other.danger) - dangerRank(one.danger))[0];
}

/** The longest description of an action. What is longer is refused, as what is not read could be anything. */
export const LONGEST_HINT = 4_000;

/** A name that stands in the text for a call. */
interface HintName {
  readonly written: string;
  /** In snake_case, as a whole and without what qualifies it: `github.deleteRepo` is `github_delete_repo` and `delete_repo`. */
  readonly forms: readonly string[];
}

/** Reads a description in one pass over its characters. */
export function readHint(hint: string): Hint {
  const text = spellAsRead(removeInvisible(hint.normalize('NFKC')));
  const plain = text
    .toLowerCase()
    .replace(/["'`“”‘’«»()[\]{}<>,;]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const words = plain.split(' ').map((word) => word.replace(/^[.:!?]+|[.:!?]+$/g, ''));
  return { text, plain, words, calls: findCalls(text) };
}

/** A name of several words is no word of prose; a name of one word is a call where brackets or a verb say so. */
const NAME = /(?<![\w./-])(?<name>[A-Za-z]\w*(?:(?:\.|::|\/)[A-Za-z]\w*)*)(?<call>\s?\()?/g;
const SEVERAL_WORDS = /[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z]|\w::\w/;
const INTRODUCES = /\b(?:call|calls|calling|invoke|invokes|invoking|tool|operation|function)\s+["'`]?$/i;
/** How far back the word before a name may begin. */
const LOOK_BACK = 16;

function findCalls(text: string): readonly HintName[] {
  const found = new Map<string, HintName>();
  for (const { groups = {}, index } of text.matchAll(NAME)) {
    const { name = '', call } = groups;
    const isCall =
      call !== undefined ||
      (SEVERAL_WORDS.test(name) && !/^[a-z]+(?:\/[a-z]+)+$/.test(name)) ||
      INTRODUCES.test(text.slice(Math.max(0, index - LOOK_BACK), index));
    if (isCall && !found.has(name)) found.set(name, { written: name, forms: formsOf(name) });
  }
  return [...found.values()];
}

function formsOf(name: string): readonly string[] {
  const parts = name.split(/\.|::|\/|__/).filter((part) => part !== '');
  const last = parts.at(-1) ?? name;
  return [
    ...new Set([
      name.toLowerCase(),
      parts.map((part) => toSnakeCase(part)).join('__'),
      toSnakeCase(name),
      toSnakeCase(last),
    ]),
  ];
}
