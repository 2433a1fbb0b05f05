import { isJsonObject, type JsonObject, setMember } from '../../base/json/json.js';
import { compileNameGlob, matchBudget } from '../../base/lib/glob.js';
import { isSensitiveName, toSnakeCase } from '../../base/lib/names.js';
import type { Operation } from '../../base/protocol/operation.js';
import {
  ADDRESS_CREDENTIALS,
  PASSWORD_WORDS,
  QUOTE,
  SECRET_FORMS,
  SECRET_NAME,
  SECRET_OPTIONS,
} from '../../base/protocol/secret-forms.js';
import type { AuditConfig } from '../../config/gateway-config.js';
import { isRunnerParameter, orderParameters } from './parameter-order.js';

/** The operation whose arguments are copied. */
type Subject = Pick<Operation, 'sensitive'> & Partial<Pick<Operation, 'identifiers' | 'classification'>>;

/** Copies arguments for audit records: without secrets, of bounded size, the most important first. */
export type Redactor = (operation: Subject, args: JsonObject) => JsonObject;

/** What an approver sees of a call's arguments. What is run (a command, a query) is in both copies as it is. */
export interface ShownArguments {
  /** Of bounded size, for lists and messages. */
  readonly parameters: JsonObject;
  /** The same with larger bounds; absent where it would be equal. */
  readonly full?: JsonObject;
}

export type ApproverView = (operation: Subject, args: JsonObject) => ShownArguments;

/** Bounds of a copy. */
interface Bounds {
  /** Of one text, in characters. */
  readonly text: number;
  /** Of a text that is run, for approvers. */
  readonly runnerText: number;
  readonly items: number;
  readonly depth: number;
  /** Of the whole copy, in bytes of JSON, without the notes on what was left out. */
  readonly bytes: number;
  /** Characters of all its texts that are searched for secrets: of a text that is cut, much more is searched than is kept. */
  readonly searched: number;
}

/** At most 16 kB including the notes. */
const SHORT: Bounds = { text: 1_000, runnerText: 6_000, items: 50, depth: 6, bytes: 15_500, searched: 130_000 };
const FULL: Bounds = {
  text: 60_000,
  runnerText: 60_000,
  items: 5_000,
  depth: 40,
  bytes: 250_000,
  searched: Number.POSITIVE_INFINITY,
};
const MAX_KEY = 200;
/** How much of a text that is cut comes from its end. */
const TAIL_SHARE = 0.3;
/** The size of the brackets of a list or an object, with the comma that follows. */
const BRACKETS = 3;

/** Members of a call that contain values of its parameters. */
const PARAMETER_HOLDERS: ReadonlySet<string> = new Set(['input', 'if_match']);

/** The members that hold the names and the values in a list of pairs, such as headers or variables. */
const NAMING_MEMBERS = [
  'name',
  'key',
  'header',
  'variable',
  'var',
  'env',
  'field',
  'parameter',
  'param',
  'option',
  'k',
];
const VALUE_MEMBERS: ReadonlySet<string> = new Set(['value', 'val', 'v', 'string_value', 'stringValue']);

/** An option by its name; what is in a file is not written behind it. */
const LONG_OPTION = /^--?([A-Za-z][\w-]{2,60})(?<![-_](?:file|path|env|stdin))$/;
/** Headers and variables are written so; columns and scopes (`["password", "email"]`) are not. */
const PAIR_NAME = /^[A-Z][\w.-]{2,60}$/;

export function createRedactor(config: Pick<AuditConfig, 'redactKeys' | 'redactPatterns'>): Redactor {
  const isSecretKey = createSecretKeyTest(config.redactKeys);
  const filterText = createSecretTextFilter(config.redactPatterns);
  return (operation, args) =>
    new Redaction({ isSecretKey, isDeclared: testDeclared(operation), filterText }, SHORT).copyArguments(
      orderParameters(operation, args),
    );
}

/** The same for approvers, who must read what would run. */
export function createApproverView(config: Pick<AuditConfig, 'redactKeys' | 'redactPatterns'>): ApproverView {
  const isSecretKey = createSecretKeyTest(config.redactKeys);
  const filterText = createSecretTextFilter(config.redactPatterns);
  return (operation, args) => {
    const isRunner = (key: string): boolean => isRunnerParameter(operation, key);
    const tests = { isSecretKey, isDeclared: testDeclared(operation), filterText, isRunner };
    const ordered = orderParameters(operation, args);
    const parameters = new Redaction(tests, SHORT).copyArguments(ordered);
    const full = new Redaction(tests, FULL).copyArguments(ordered);
    return JSON.stringify(full) === JSON.stringify(parameters) ? { parameters } : { parameters, full };
  };
}

/** Of an operation that takes secrets under names that it does not describe. */
const ALL_PARAMETERS = '*';

function testDeclared({ sensitive = [] }: Subject): SecretKeyTest {
  const declared = new Set(sensitive.map((name) => toSnakeCase(name)));
  return (key) => declared.has(toSnakeCase(key)) || sensitive.includes(ALL_PARAMETERS);
}

interface RedactionTests {
  readonly isSecretKey: SecretKeyTest;
  /** Whether curation declares a parameter's values as secret. */
  readonly isDeclared: SecretKeyTest;
  readonly filterText: SecretTextFilter;
  /** Whether a parameter's value is run, so that its texts are copied as they are. */
  readonly isRunner?: (key: string) => boolean;
}

/** Makes one copy. */
class Redaction {
  readonly #tests: RedactionTests;
  readonly #bounds: Bounds;
  #bytes = 0;
  /** Characters that were searched. */
  #searched = 0;
  #copiesRunner = false;

  constructor(tests: RedactionTests, bounds: Bounds) {
    this.#tests = tests;
    this.#bounds = bounds;
  }

  /** Declared names are parameters: at the top, or in an UPDATE's `input` and, dotted, in its `if_match`. */
  copyArguments(args: JsonObject): JsonObject {
    const { isSecretKey, isDeclared } = this.#tests;
    const isSecret: SecretKeyTest = (key) =>
      isSecretKey(key) || isDeclared(key) || isDeclared(key.replace(/\..*/s, ''));
    return this.#copyObject(args, 1, isSecret, (key, value) =>
      PARAMETER_HOLDERS.has(key) && isJsonObject(value)
        ? this.#copyObject(value, 2, isSecret, (inner, member) => this.#copyParameter(inner, member, 3))
        : this.#copyParameter(key, value, 2),
    );
  }

  #copyParameter(key: string, value: unknown, depth: number): unknown {
    this.#copiesRunner = this.#tests.isRunner?.(key) ?? false;
    const copy = this.#copy(value, depth);
    this.#copiesRunner = false;
    return copy;
  }

  #copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#copyText(value);
    if (typeof value !== 'object' || value === null) return this.#spend(toPlain(value));
    if (depth > this.#bounds.depth) return this.#spend(Array.isArray(value) ? '[...]' : '{...}');
    return Array.isArray(value) ? this.#copyList(value, depth) : this.#copyObject(value as JsonObject, depth);
  }

  #copyList(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    this.#bytes += BRACKETS;
    for (const [index, item] of items.entries()) {
      if (copy.length === this.#bounds.items || this.#bytes >= this.#bounds.bytes) {
        copy.push(`... (${items.length} elements)`);
        break;
      }
      copy.push(this.#isNamedSecret(items, index) ? this.#spend(hide(item)) : this.#copy(item, depth + 1));
    }
    return copy;
  }

  /** Whether an item is the value of the option before it (`["--password", "x"]`), or of a pair (`["X-Api-Key", "x"]`). */
  #isNamedSecret(items: readonly unknown[], index: number): boolean {
    const [name, value] = [items[index - 1], items[index]];
    if (this.#copiesRunner || typeof name !== 'string' || typeof value !== 'string') return false;
    if (!/^\S{1,500}$/.test(value) || value.startsWith('-')) return false;
    const option = LONG_OPTION.exec(name)?.[1] ?? (items.length === 2 && PAIR_NAME.test(name) ? name : undefined);
    return option !== undefined && this.#tests.isSecretKey(option);
  }

  #copyObject(
    value: JsonObject,
    depth: number,
    isSecret = this.#tests.isSecretKey,
    copyMember = (_key: string, member: unknown): unknown => this.#copy(member, depth + 1),
  ): JsonObject {
    const copy: JsonObject = {};
    const namesSecret = NAMING_MEMBERS.some((name) => isSecretName(value[name], isSecret));
    const keys = Object.keys(value);
    this.#bytes += BRACKETS;
    for (const [index, key] of keys.entries()) {
      const name = this.#tests.filterText(key.slice(0, MAX_KEY + 1)).slice(0, MAX_KEY) + noteLength(key, MAX_KEY);
      if (!this.#fits(name)) {
        setMember(copy, '...', `(${keys.length - index} more members)`);
        break;
      }
      const hidden = isSecret(key) || (namesSecret && VALUE_MEMBERS.has(key));
      this.#spend(name);
      setMember(copy, name, hidden ? this.#spend(hide(value[key])) : copyMember(key, value[key]));
    }
    return copy;
  }

  /** A text without secrets, cut to the remaining size. */
  #copyText(text: string): string {
    const filter = this.#copiesRunner ? (whole: string): string => whole : this.#tests.filterText;
    const limit = this.#copiesRunner ? this.#bounds.runnerText : this.#bounds.text;
    // What cannot fit is not searched for secrets first: a list may have thousands of such texts.
    if (Math.min(text.length, limit) > this.#bounds.bytes - this.#bytes) return this.#spend(noteText(text));
    // Nor is more searched than a copy may cost.
    const searched = this.#copiesRunner ? 0 : Math.min(text.length, 2 * SEARCHED_LENGTH);
    if (this.#searched + searched > this.#bounds.searched) return this.#spend(noteText(text));
    this.#searched += searched;
    const cut = cutMiddle(text, limit, filter);
    return this.#spend(this.#fits(cut) ? cut : noteText(text));
  }

  #fits(text: string): boolean {
    return this.#bytes + sizeOf(text) <= this.#bounds.bytes;
  }

  #spend<T extends Scalar>(value: T): T {
    this.#bytes += sizeOf(value);
    return value;
  }
}

type Scalar = string | number | boolean | null;

/** The size of a value in JSON, with the character that follows it, in bytes. */
function sizeOf(value: Scalar): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function isSecretName(value: unknown, isSecret: SecretKeyTest): boolean {
  return typeof value === 'string' && isSecret(value);
}

/** Arguments come from JSON; any other value is recorded as text. */
function toPlain(value: unknown): Scalar {
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

/** The text without secrets; where it is long, its beginning, its length and its end, since either may be what matters. */
function cutMiddle(text: string, limit: number, filter: SecretTextFilter): string {
  const isSearched = text.length <= SEARCHED_LENGTH;
  const head = filter(isSearched ? text : text.slice(0, SEARCHED_LENGTH));
  if (isSearched && head.length <= limit) return head;
  const tail = isSearched ? head : filter(text.slice(-SEARCHED_LENGTH));
  const tailLength = Math.floor(limit * TAIL_SHARE);
  return `${head.slice(0, limit - tailLength)}... (${text.length} characters) ...${tail.slice(-tailLength)}`;
}

function noteText(text: string): string {
  return `... (${text.length} characters)`;
}

function noteLength(key: string, limit: number): string {
  return key.length <= limit ? '' : `... (${key.length} characters)`;
}

/** Whether a member's name says that its value must not be recorded. */
type SecretKeyTest = (key: string) => boolean;

/** Names that are secret beyond `isSensitiveName`: spellings without separators, and proofs of identity. */
const SECRET_WORDS =
  /passw(?:or)?d|passphrase|passcode|pwd|secret|credential|(?:api|access|private|signing|encryption|ssh|host|master|account)keys?(?:id)?$|authori[sz]ation|^auth$|bearer|cookie|session(?:id|key)|connectionstring|signature$|^pass$|(?:user|db|database|smtp|ftp|http|proxy|mysql|pg|postgres|redis|mongo|root|admin|login|mail|ssh|basic|auth)pass$|mnemonic|pincode|^(?:otp|totp|mfa|cvv|cvc|ssn)(?:code)?$/;

const FOREIGN_WORDS = new RegExp(PASSWORD_WORDS, 'i');

/** A name such as `password_command` is that of a program, which must not run unseen. */
const CARRIES_PROGRAM = /_(?:command|cmd|script|program|helper)$/;

/** A token is secret, unless its name says that it counts something or marks a position. */
const TOKEN_KEY = /tokens?$/;
const HARMLESS_TOKEN =
  /(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count|of|per|input|output|prompt|completion)tokens?$/;

/**
 * Recognizes secret members by their names, in any case and with any separators: `apiKey`, `API-KEY`, `api key`.
 * @param patterns patterns of further names, matched with the name as written and in snake_case
 */
function createSecretKeyTest(patterns: readonly string[]): SecretKeyTest {
  const globs = patterns.map((pattern) => compileNameGlob(pattern.toLowerCase()));
  // A name that cannot be compared may be secret.
  const isNamed = (name: string): boolean => globs.some((glob) => glob.match(name, matchBudget()) !== 'no');
  return (key) => {
    const name = toSnakeCase(key);
    if (CARRIES_PROGRAM.test(name)) return isNamed(name);
    const squeezed = name.replaceAll('_', '');
    if (isSensitiveName(name) || SECRET_WORDS.test(squeezed) || FOREIGN_WORDS.test(key.slice(0, MAX_KEY))) return true;
    if (TOKEN_KEY.test(squeezed) && squeezed !== 'tokens' && !HARMLESS_TOKEN.test(squeezed)) return true;
    return isNamed(key.toLowerCase()) || isNamed(name);
  };
}

/** Replaces what is not recorded. */
const REDACTED = '[redacted]';

/** From this length on, what is hidden says its length. In characters. */
const LONG = 64;

/** What stands in place of a value; where much is hidden, it says how much. */
function hide(value: unknown): string {
  const length = typeof value === 'string' ? value.length : 0;
  return length < LONG ? REDACTED : `[redacted: ${length} characters]`;
}

/** What a value looks like that is written without quotes, or in them: without the characters by which a shell or a query goes on. */
const BARE = String.raw`(?:${QUOTE})?[\w.~+/=@!%^*-]{1,200}(?:${QUOTE})?`;

/** A value in quotes may contain blanks. */
const QUOTED = String.raw`\\{0,7}(?:"[^"\\\n$\x60(){};|&<>]{1,200}\\{0,7}"|'[^'\\\n$\x60(){};|&<>]{1,200}\\{0,7}')`;

/** The words before the value of an `Authorization` header. */
const SCHEME = String.raw`(?:(?:bearer|basic|token|api-?key|digest|negotiate|oauth|bot)\s{1,3})?`;

/** A value in a URL's form: it ends at a sign of its own, or at the encoded quote, comma, ampersand, bracket or line's end. */
const ENCODED = String.raw`(?:[\w.~+*-]|%(?!2[267C]|0[AD]|5[BD]|7[BD])[0-9A-F]{2}){1,200}`;

const COOKIE = String.raw`[\w.-]{1,100}=[^\s;,"'$\x60(){}|&<>]{1,4000}`;

/** What stands before a secret, and the secret: the first is kept. Nothing that has been replaced is matched again. */
const SECRET_ASSIGNMENTS: readonly RegExp[] = [
  // "password": "x y", \"password\": \"x\"
  [String.raw`${SECRET_NAME}(?:${QUOTE})\s{0,3}:\s{0,3}`, QUOTED],
  // password='x y': a quotation that begins before the name may end behind the sign, and what follows is no value.
  [String.raw`${SECRET_NAME}(?<!["'][\w.-]{0,60})\s{0,3}[:=]\s{0,3}`, QUOTED],
  // password=x, --api-key x, Authorization: Bearer x
  [String.raw`${SECRET_NAME}(?:${QUOTE})?(?:\s{0,3}[=:]\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})${SCHEME}`, BARE],
  // <password>x</password>
  [
    String.raw`<(?:[\w.-]{1,40}:)?(?:[\w.-]{0,40}[_.-])?${SECRET_NAME}(?:\s[^<>]{0,200})?>`,
    String.raw`[^<>$\x60;|&]{1,200}(?=</)`,
  ],
  // ALTER USER x PASSWORD 'y', IDENTIFIED BY 'y'
  [String.raw`\b(?:identified\s{1,3}by|password)\s{1,3}`, QUOTED],
  // password%3Dx, %22password%22%3A%22x%22
  [String.raw`${SECRET_NAME}(?:(?:%5C){0,3}%2[27])?(?:%20|\+)?%3[AD](?:%20|\+)?(?:(?:%5C){0,3}%2[27])?`, ENCODED],
  // Cookie: session=x; theme=dark
  [String.raw`\b(?:set-)?cookie${QUOTE}?\s{0,3}[:=]\s{0,3}${QUOTE}?`, String.raw`${COOKIE}(?:;\s{0,3}${COOKIE}){0,50}`],
  // Of options the case counts: `mysql -P` is a port.
  [SECRET_OPTIONS, BARE, 'g'],
].map(
  ([before, secret, flags = 'gi']) => new RegExp(String.raw`(${before})(?!\\{0,7}["']?\[redacted)${secret}`, flags),
);

/** How much of a text is searched at once, in characters; a longer text is recorded by its beginning and its end. */
const SEARCHED_LENGTH = 64 * 1024;

/** Replaces the secrets in a text. */
type SecretTextFilter = (text: string) => string;

/** @param patterns further regular expressions; what they match is replaced completely */
export function createSecretTextFilter(patterns: readonly string[]): SecretTextFilter {
  const own = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  return (text) => {
    let filtered = text;
    for (const form of [...own, ADDRESS_CREDENTIALS, ...SECRET_FORMS]) filtered = filtered.replace(form, hide);
    for (const form of SECRET_ASSIGNMENTS) filtered = filtered.replace(form, `$1${REDACTED}`);
    return filtered;
  };
}
