import { Minimatch } from 'minimatch';
import { isSensitiveName } from '../catalog/sensitive-name.js';
import type { AuditConfig } from '../config/gateway-config.js';
import { setMember } from '../lib/json-path.js';
import { toSnakeCase } from '../lib/names.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';

/** Copies arguments for audit records and for approvers: without secrets, and of bounded size. */
export type Redactor = (operation: Pick<Operation, 'sensitive'>, args: JsonObject) => JsonObject;

/** Bounds of the copy. */
const MAX_TEXT = 1_000;
const MAX_KEY = 200;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;
/** Of the whole copy, in bytes of JSON; 16 kB including the notes on what was left out. */
const MAX_BYTES = 15_500;
/** The size of the brackets of a list or an object, with the comma that follows. */
const BRACKETS = 3;

/** Members of a call that contain values of its parameters. */
const PARAMETER_HOLDERS: ReadonlySet<string> = new Set(['input', 'if_match']);

/** The members that hold the names in a list of pairs, such as headers or variables. */
const NAMING_MEMBERS = ['name', 'key', 'header', 'variable'];

export function createRedactor(config: Pick<AuditConfig, 'redactKeys' | 'redactPatterns'>): Redactor {
  const isSecretKey = createSecretKeyTest(config.redactKeys);
  const filterText = createSecretTextFilter(config.redactPatterns);
  return ({ sensitive = [] }, args) => {
    const declared = new Set(sensitive.map((name) => toSnakeCase(name)));
    const isDeclared = (key: string): boolean => declared.has(toSnakeCase(key));
    return new Redaction({ isSecretKey, isDeclared, filterText }).copyArguments(args);
  };
}

interface RedactionTests {
  readonly isSecretKey: SecretKeyTest;
  /** Whether curation declares a parameter's values as secret. */
  readonly isDeclared: SecretKeyTest;
  readonly filterText: SecretTextFilter;
}

/** Makes one copy. */
class Redaction {
  readonly #tests: RedactionTests;
  #bytes = 0;

  constructor(tests: RedactionTests) {
    this.#tests = tests;
  }

  /** Declared names are parameters: at the top, or in an UPDATE's `input` and, dotted, in its `if_match`. */
  copyArguments(args: JsonObject): JsonObject {
    const { isSecretKey, isDeclared } = this.#tests;
    const isSecret: SecretKeyTest = (key) =>
      isSecretKey(key) || isDeclared(key) || isDeclared(key.replace(/\..*/s, ''));
    return this.#copyObject(args, 1, isSecret, (key, value) =>
      PARAMETER_HOLDERS.has(key) && isJsonObject(value) ? this.#copyObject(value, 2, isSecret) : this.#copy(value, 2),
    );
  }

  #copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#copyText(value);
    if (typeof value !== 'object' || value === null) return this.#spend(toPlain(value));
    if (depth > MAX_DEPTH) return this.#spend(Array.isArray(value) ? '[...]' : '{...}');
    return Array.isArray(value) ? this.#copyList(value, depth) : this.#copyObject(value as JsonObject, depth);
  }

  #copyList(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    this.#bytes += BRACKETS;
    for (const item of items) {
      if (copy.length === MAX_ITEMS || this.#bytes >= MAX_BYTES) {
        copy.push(`... (${items.length} elements)`);
        break;
      }
      copy.push(this.#copy(item, depth + 1));
    }
    return copy;
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
      const name = cutText(this.#tests.filterText(key), key.length, MAX_KEY);
      if (!this.#fits(name)) {
        setMember(copy, '...', `(${keys.length - index} more members)`);
        break;
      }
      const hidden = isSecret(key) || (namesSecret && key === 'value');
      setMember(copy, this.#spend(name), hidden ? this.#spend(REDACTED) : copyMember(key, value[key]));
    }
    return copy;
  }

  /** A text without secrets, cut to the remaining size. */
  #copyText(text: string): string {
    const cut = cutText(this.#tests.filterText(text), text.length, MAX_TEXT);
    return this.#spend(this.#fits(cut) ? cut : `... (${text.length} characters)`);
  }

  #fits(text: string): boolean {
    return this.#bytes + sizeOf(text) <= MAX_BYTES;
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

function cutText(text: string, length: number, limit: number): string {
  return text.length <= limit && length <= limit ? text : `${text.slice(0, limit)}... (${length} characters)`;
}

/** Whether a member's name says that its value must not be recorded. */
type SecretKeyTest = (key: string) => boolean;

/** Names that are secret beyond `isSensitiveName`: spellings without separators, and proofs of identity. */
const SECRET_WORDS =
  /passw(?:or)?d|passphrase|passcode|pwd|secret|credential|(?:api|access|private|signing|encryption|ssh|host|master|account)keys?(?:id)?$|authori[sz]ation|^auth$|bearer|cookie|session(?:id|key)|connectionstring|signature$|mnemonic|pincode|^(?:otp|totp|mfa|cvv|cvc|ssn)(?:code)?$/;

/** A token is secret, unless its name says that it counts something or marks a position. */
const TOKEN_KEY = /tokens?$/;
const HARMLESS_TOKEN =
  /(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count|of|per|input|output|prompt|completion)tokens?$/;

/**
 * Recognizes secret members by their names, in any case and with any separators: `apiKey`, `API-KEY`, `api key`.
 * @param patterns further names (minimatch), matched with the name as written and in snake_case
 */
function createSecretKeyTest(patterns: readonly string[]): SecretKeyTest {
  const matchers = patterns.map((pattern) => new Minimatch(pattern, { nocase: true, dot: true, nocomment: true }));
  return (key) => {
    const name = toSnakeCase(key);
    const squeezed = name.replaceAll('_', '');
    if (isSensitiveName(name) || SECRET_WORDS.test(squeezed)) return true;
    if (TOKEN_KEY.test(squeezed) && squeezed !== 'tokens' && !HARMLESS_TOKEN.test(squeezed)) return true;
    // A slash in a name does not separate folders.
    return matchers.some((matcher) => matcher.match(key.replaceAll('/', '_')) || matcher.match(name));
  };
}

/** Replaces what is not recorded. */
const REDACTED = '[redacted]';

/**
 * Texts that are secret by their form, wherever they occur. No pattern looks further back or ahead than it
 * must: a text that nearly matches costs time in proportion to its length.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // The credentials of an address: https://user:password@host.
  /(?<=:\/\/)[^\s/?#"'<>]+(?=@)/g,
  /\bbearer\s{1,3}[\w.~+/=-]{8,}/gi,
  // Base64 with a digit or padding: "basic understanding" is neither.
  /\bbasic\s{1,3}(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{6,}={0,2}/gi,
  // JSON Web Tokens, of two parts where there is no signature.
  /(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/g,
  /gh[oprsu]_\w{16,}/g,
  /github_pat_\w{16,}/g,
  /gl(?:pat|ptt|rt|dt|soat)-[\w-]{16,}/g,
  /xox[a-z](?:\.\w+)?-[\w-]{8,}/g,
  /xapp-[\w-]{8,}/g,
  /(?<![A-Za-z0-9])sk-[\w-]{16,}/g,
  /(?<![A-Za-z0-9])[prs]k_(?:live|test)_\w{8,}/g,
  /whsec_\w{16,}/g,
  /(?<![A-Z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}/g,
  /AIza[\w-]{30,}/g,
  /ya29\.[\w-]{16,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf|dop_v1|pypi|glc|shpat|lin_api|ntn|secret|figd|sq0[a-z]{3})[_-]\w{20,}/g,
  /SG\.[\w-]{16,}\.[\w-]{16,}/g,
  // The gateway's own confirmation tokens.
  /(?:conf|quota_continue)_[\w-]{16,}/g,
];

/** A secret name and its value: `password=x`, `--api-key x`, `"secret": "x"`. */
const SECRET_ASSIGNMENT =
  /((?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|authorization|api[_-]?key|(?:access|private|secret)[_-]?key)["']?(?:\s{0,3}[=:]\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})(?:(?:bearer|basic)\s{1,3})?)(?!\[redacted\])("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&)}\]]+)/gi;

/** How much of a text is searched, in characters; what follows is never recorded. */
const SEARCHED_LENGTH = 16 * 1024;

/** Replaces the secrets in a text. */
type SecretTextFilter = (text: string) => string;

/** @param patterns further regular expressions; what they match is replaced completely */
function createSecretTextFilter(patterns: readonly string[]): SecretTextFilter {
  const own = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  return (text) => {
    let filtered = text.length > SEARCHED_LENGTH ? text.slice(0, SEARCHED_LENGTH) : text;
    for (const pattern of own) filtered = filtered.replace(pattern, REDACTED);
    for (const form of SECRET_FORMS) filtered = filtered.replace(form, REDACTED);
    return filtered.replace(SECRET_ASSIGNMENT, `$1${REDACTED}`);
  };
}
