import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { rememberTexts } from '../base/lib/remember.js';
import { actsByName, findActingText } from './acting-text.js';
import { losesByWord } from './judge-value.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** A value that a call sends, and where it lies. */
interface Sent {
  readonly value: unknown;
  /** Whether its object says which entries are read: `filter: {action: "delete"}`. */
  readonly filters: boolean;
  /** Whether it is what is searched for, where words are words: `docker delete image`. */
  readonly sought: boolean;
}

/** Without the signs that every language has. */
const WORDS = /^[\p{L}\p{N} _.,:?!'"#@/+-]*$/u;

const METHOD = /^(?:(?:http|request)_)?(?:method|verb)$/;
const ACTION =
  /^(?:action|intent|operation|op|command|cmd|verb|act|subcommand|mutation|procedure|do|task)(?:_(?:name|type))?$/;
/** What chooses among many things, of which doing is one. */
const CHOICE = /^(?:mode|kind|type|step|cmd|command)$/;
const FILTERS = /(?:^|_)(?:filters?|where|match|criteria|conditions?|selectors?|search|events?)$/;
/** Stages of MongoDB that write, and operators that run code. */
const OPERATOR = /^\$(?:out|merge|where|function|accumulator)$/;
const AFTERWARDS = wordList('afterwards');
/** Commands of MongoDB, and what bulk requests do to one entry, as keys. */
const COMMAND =
  /^(?:(?:delete|drop|remove|insert|upsert|truncate|purge|destroy|erase|wipe)(?:_(?:one|many|all|database|indexes|index|collection|user|users|item|items|data|role))?|find_and_(?:modify|remove|replace)|find_one_and_(?:delete|update|replace)|(?:update|replace)_(?:one|many)|rename_collection|create_user|shutdown|kill_op|bulk_write|map_reduce|eval)$/;

const keyOf = rememberTexts((name): string => splitWords(name).join('_'));

/**
 * Why a call that seems to read may change something: what a value of it is, wherever it lies, described or not. Undefined where none does.
 * Looks through everything once and without recursion, because callers decide the depth.
 * @param isKnown whether the tool describes a parameter, whose own value is then judged by that
 * @param words the parameters that hold what is searched for
 */
export function findActingValue(
  args: JsonObject,
  isKnown: (parameter: string) => boolean,
  words: readonly string[] = [],
): string | undefined {
  const open: Sent[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (!isKnown(name) && actsByMember(name, value, false)) return SAYS_SO;
    open.push({ value, filters: FILTERS.test(keyOf(name)), sought: words.includes(name) });
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, filters, sought } = next;
    if (typeof value === 'string') {
      const found = sought && WORDS.test(value) ? undefined : actingText(value, open, next);
      if (found !== undefined) return found;
    } else if (Array.isArray(value)) {
      if (!sought && value.length > 1 && isCommandLine(value)) return 'holds a command';
      for (const item of value) open.push({ ...next, value: item });
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (actsByMember(name, member, filters)) return SAYS_SO;
        open.push({ value: member, filters: filters || FILTERS.test(keyOf(name)), sought: false });
      }
    }
  }
  return undefined;
}

const SAYS_SO = 'holds a member that says what is changed';

/** JSON in a text counts as what it says, too: some servers parse it. */
function actingText(text: string, open: Sent[], sent: Sent): string | undefined {
  if (/^\s*[[{"]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      if (value !== text) open.push({ ...sent, value });
      return undefined;
    } catch {
      // It is no JSON, and what it is otherwise counts.
    }
  }
  const found = findActingText(text);
  return found === undefined ? undefined : `holds ${found}`;
}

/** `["delete", "pod", "web"]`, `["rm", "-rf", "/"]`: the words of one command. */
function isCommandLine(list: readonly unknown[]): boolean {
  if (!list.every((item) => typeof item === 'string' && item.length < 2_000)) return false;
  const [first = '', second = ''] = list as readonly string[];
  if (/^[a-z]+$/.test(first) && losesByWord(first) && !/(?:ed|ion)$/.test(first) && !actsByName(second)) return true;
  return findActingText(list.slice(0, 100).join(' ')) !== undefined;
}

/** Whether the member of an object says that something is changed. */
function actsByMember(name: string, value: unknown, filters: boolean): boolean {
  if (!isGiven(value)) return false;
  if (OPERATOR.test(name)) return true;
  const key = keyOf(name);
  if (typeof value === 'string') {
    if (CHOICE.test(key) && !filters && /^[a-z]+$/i.test(value) && loses(value.toLowerCase())) return true;
    if (METHOD.test(key) && /^\s*(?:post|put|patch|delete)\s*$/i.test(value)) return true;
    if (ACTION.test(key) && !filters && actsByName(value)) return true;
  }
  if (COMMAND.test(key)) return true;
  const words = key.split('_');
  return words.some(loses) && words.every((word) => loses(word) || AFTERWARDS.has(word));
}

/** Neither nothing nor, however it is written, switched off. */
function isGiven(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return !/^(?:null|undefined|false|no|off|0|)$/i.test(String(value).trim());
}

/** In the base form: what is `deleted` is only shown. */
const loses = (word: string): boolean => losesByWord(word) && !/(?:ed|ion|al|truncate)$/.test(word);
