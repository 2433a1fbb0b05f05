import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { rememberTexts } from '../base/lib/remember.js';
import { SQL_DIALECTS } from '../base/protocol/operation.js';
import { actsByName, findActingText } from './acting-text.js';
import { tellsByName, toldFields } from './argument-fields.js';
import { losesByWord } from './judge-value.js';
import { carriesByName } from './runner.js';
import { proveGraphql } from './statement/prove-graphql.js';
import { proveSql } from './statement/sql/prove-sql.js';
import { isUnclear } from './unclear-text.js';
import { LEXICON, writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** A value that a call sends, and where it lies. */
interface Sent {
  readonly value: unknown;
  /** Whether its object says which entries are read: `filter: {action: "delete"}`. */
  readonly filters: boolean;
  /** Whether it is what is searched for, where words are words: `docker delete image`. */
  readonly sought: boolean;
  /** The names of its parents and its own, without places in lists. */
  readonly path: string;
  /** Whether its tool says what it is, or what that is in which it lies. */
  readonly told: boolean | undefined;
  /** Whether that or its name says it. */
  readonly clear: boolean;
  /** Whether its name says that it is run: `sql`, `command`. */
  readonly carries: boolean;
}

/** Without the signs that every language has. */
const WORDS = /^[\p{L}\p{N} _.,:?!'"#@/+-]*$/u;

const METHOD = /(?:^|_)(?:method|verb)(?:_|$)/;
const ACTION =
  /^(?:action|intent|operation|op|command|cmd|verb|act|subcommand|mutation|procedure|do|task)(?:_(?:name|type))?$/;
/** What chooses among many things, of which doing is one. */
const CHOICE = /^(?:mode|kind|type|step|cmd|command)$/;
const FILTERS = /(?:^|_)(?:filters?|where|match|criteria|conditions?|selectors?|search|events?)$/;
/** Names of what is called, which is no name of a thing. */
const CALLED = /^(?:(?:tool|function|method|action|operation|command)_)?name$/;
/** Stages of MongoDB that write, and operators that run code. */
const OPERATOR = /^\$(?:out|merge|where|function|accumulator)$/;
const AFTERWARDS = wordList('afterwards');
/** Commands of MongoDB, and what bulk requests do to one entry, as keys. */
const COMMAND =
  /^(?:(?:delete|drop|remove|insert|upsert|truncate|purge|destroy|erase|wipe)(?:_(?:one|many|all|database|indexes|index|collection|user|users|item|items|data|role))?|find_and_(?:modify|remove|replace)|find_one_and_(?:delete|update|replace)|(?:update|replace)(?:_(?:one|many))?|updates|patch|set|put|coll_mod|rename_collection|create_user|shutdown|kill_op|bulk_write|map_reduce|eval)$/;

const keyOf = rememberTexts((name): string => splitWords(name).join('_'));

/** What the tool of a call says of what is sent. */
export interface Sending {
  /** Whether it reads: what nobody says anything of is then unclear, and not what is stored or sent. */
  readonly reads: boolean;
  readonly inputSchema: JsonSchema;
  /** The parameters that hold what is searched for. */
  readonly sought?: readonly string[] | undefined;
  /** The parameters whose texts are looked at and not run. */
  readonly unrun?: readonly string[] | undefined;
}

/**
 * Why a call that seems to read may change something: what a value of it is, wherever it lies, described or not. Undefined where none does.
 * Looks through everything once and without recursion, because callers decide the depth.
 * @param isKnown whether a parameter is the tool's or the gateway's, so that its own value is judged by its description
 */
export function findActingValue(
  args: JsonObject,
  { reads, inputSchema, sought = [], unrun = [] }: Sending,
  isKnown: (parameter: string) => boolean,
): string | undefined {
  const told = toldFields(inputSchema);
  const open: Sent[] = [];
  const add = (members: JsonObject, parent: Sent | undefined): boolean => {
    return Object.entries(members).some(([name, value]) => {
      const path = parent === undefined ? name : `${parent.path}\n${name}`;
      const known = told.get(path);
      const filters = parent?.filters === true || FILTERS.test(keyOf(name));
      if (parent === undefined && unrun.includes(name)) return false;
      const isOwn = parent === undefined ? isKnown(name) : false;
      if (!isOwn && actsByMember(name, value, filters && parent !== undefined, known !== undefined)) return true;
      const clear =
        !reads ||
        filters ||
        (known ?? parent?.told) === true ||
        (tellsByName(name) && (known !== undefined || !CALLED.test(keyOf(name))));
      const carries = reads && known === undefined && carriesByName(name);
      open.push({
        path,
        value,
        filters,
        clear,
        told: known ?? parent?.told,
        carries,
        sought: parent === undefined && sought.includes(name),
      });
      return false;
    });
  };
  if (add(args, undefined)) return SAYS_SO;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, sought: isSought } = next;
    if (typeof value === 'string') {
      const found = isSought && WORDS.test(value) ? undefined : actingText(value, open, next);
      if (found !== undefined) return found;
    } else if (Array.isArray(value)) {
      if (!isSought && value.length > 1 && isCommandLine(value)) return 'holds a command';
      for (const item of value) open.push({ ...next, value: item });
    } else if (isJsonObject(value) && add(value, { ...next, sought: false })) return SAYS_SO;
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
  if (found !== undefined) return `holds ${found}`;
  if (sent.carries && !readsPlainly(text)) return 'holds what is not proven to only read';
  return !sent.clear && !sent.sought && isUnclear(text) ? 'of which nobody says what it is may be run' : undefined;
}

const readsPlainly = (text: string): boolean => proveSql(text, SQL_DIALECTS).read || proveGraphql(text).read;

/** `["delete", "pod", "web"]`, `["rm", "-rf", "/"]`: the words of one command. */
function isCommandLine(list: readonly unknown[]): boolean {
  if (!list.every((item) => typeof item === 'string' && item.length < 2_000)) return false;
  const [first = '', second = ''] = list as readonly string[];
  if (/^[a-z]+$/.test(first) && losesByWord(first) && !/(?:ed|ion)$/.test(first) && !actsByName(second)) return true;
  return findActingText(list.slice(0, 100).join(' ')) !== undefined;
}

/** Whether the member of an object says that something is changed. */
function actsByMember(name: string, value: unknown, filters: boolean, isListed: boolean): boolean {
  const key = keyOf(name);
  if (isJsonObject(value) && COMMAND.test(key)) return true;
  if (!isGiven(value)) return false;
  if (OPERATOR.test(name)) return true;
  if (typeof value === 'string') {
    if (CHOICE.test(key) && !filters && /^[a-z]+$/i.test(value) && loses(value.toLowerCase())) return true;
    if (/^(?:POST|PUT|PATCH|DELETE)$/.test(value)) return true;
    if (METHOD.test(key) && /^\s*(?:post|put|patch|delete)\s*$/i.test(value)) return true;
    if (ACTION.test(key) && !filters && actsByName(value)) return true;
  }
  if (COMMAND.test(key)) return true;
  const words = key.split('_');
  if (!isListed && !filters && commands(words, value)) return true;
  return words.some(loses) && words.every((word) => loses(word) || AFTERWARDS.has(word));
}

/** Whether a name that no tool lists is that of a deed: `truncateRows`, `archive: true`. */
function commands(words: readonly string[], value: unknown): boolean {
  const verb = LEXICON.get(words[0] ?? '');
  if (verb === undefined || writeShare(verb.effect) === 0) return false;
  const isSwitch = value === true && words.length === 1 && verb.nounness !== 'mostly';
  return isSwitch || (verb.nounness === 'never' && !tellsByName(words.at(-1) ?? ''));
}

/** Neither nothing nor, however it is written, switched off. */
function isGiven(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return !/^(?:null|undefined|false|no|off|0|)$/i.test(String(value).trim());
}

/** In the base form: what is `deleted` is only shown. */
const loses = (word: string): boolean => losesByWord(word) && !/(?:ed|ion|al|truncate)$/.test(word);
