import { carryExactNumbers } from '../../base/json/exact-result.js';
import { isJsonObject } from '../../base/json/json.js';
import { occursIn, type Pieces } from '../../base/json/pieces.js';
import type { ProgressUpdate } from '../../base/protocol/call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { UpstreamEndpoint } from '../../config/gateway-config.js';
import { configuredHeaders } from './http-headers.js';
import type { RequestCredentials } from './user-rights.js';

/** Names of variables, headers and query parameters whose values are credentials. */
const CREDENTIAL_NAME =
  /(?:token|secret|password|passwd|passphrase|pwd|credential|authorization|cookie|(?:^|[-_])(?:auth|pass|key))s?$|(?:api|access|private|secret|signing)[-_]?key/i;
/** A file that holds a credential is none itself. */
const PATH_START = /^(?:[/~.]|[A-Za-z]:\\)/;
/** Shorter values occur in other texts by chance. */
const MIN_LENGTH = 8;
const MASK = '[credential]';
const PLAIN_WORD = /^[a-z]+$/i;
/** Members of definitions and introductions. */
const WORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'instructions',
  'default',
  '$comment',
  'websiteUrl',
]);

/**
 * The credentials that the gateway itself gives to one server. A server that repeats them, in an error above all, must not
 * hand them to callers or logs; as they are known, they are looked for word for word.
 */
export class OwnCredentials {
  readonly #literals: readonly string[];
  /** As they stand within a JSON string. */
  readonly #written: readonly Buffer[];

  /** @param given the server's endpoint, or the literals of another such object */
  constructor(given: UpstreamEndpoint | readonly string[]) {
    const values = 'type' in given ? credentialsOf(given) : given;
    const long = values
      .map((value) => value.trim())
      .filter((value) => value.length >= MIN_LENGTH && !PATH_START.test(value));
    // The longest first: another may be a part of it.
    // As they are, and as they stand in a JSON text or in an address.
    const forms = long.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
    this.#literals = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#written = this.#literals.map((literal) => Buffer.from(JSON.stringify(literal).slice(1, -1)));
  }

  get literals(): readonly string[] {
    return this.#literals;
  }

  /** Whether the text of a JSON string holds one. @param content of the string, spelled as JSON.stringify spells it */
  mayOccurIn(content: Pieces): boolean {
    return this.#written.some((written) => occursIn(content, written));
  }

  /** The text without them. */
  mask(text: string): string {
    return this.#literals.reduce((masked, literal) => masked.replaceAll(literal, MASK), text);
  }

  /**
   * What a server says of itself or of a tool, without the credentials in its words for people and models. Names and values that are
   * compared stay, and so do passwords that are a plain word: a description of `postgres` may have it.
   * @param written the value as JSON, where it is at hand
   */
  maskWords<T>(value: T, written: string | undefined = JSON.stringify(value)): T {
    return this.#maskMade(value, written, (key) => WORDS.has(key));
  }

  /** The same for the name and version of a server, which nothing is compared with: all its texts are masked. */
  maskIdentity<T>(value: T): T {
    return this.#maskMade(value, JSON.stringify(value), () => true);
  }

  #maskMade<T>(value: T, written: string | undefined, isMasked: (key: string) => boolean): T {
    const made = this.#literals.filter((literal) => !PLAIN_WORD.test(literal));
    if (!made.some((literal) => written?.includes(JSON.stringify(literal).slice(1, -1)))) return value;
    const maskMade = (text: string): string => made.reduce((text, literal) => text.replaceAll(literal, MASK), text);
    return JSON.parse(written ?? '', (key, member: unknown) =>
      isMasked(key) && typeof member === 'string' ? maskMade(member) : member,
    );
  }

  /** The call, whose caller sees progress without the credentials. */
  maskProgress<T extends { readonly onProgress?: ((update: ProgressUpdate) => void) | undefined }>(call: T): T {
    const { onProgress } = call;
    if (onProgress === undefined) return call;
    return { ...call, onProgress: (update: ProgressUpdate) => onProgress(this.maskAll(update)) };
  }

  /** The value with every text in it masked; the same value where it holds none of them. */
  maskAll<T>(value: T): T;
  maskAll(value: unknown): unknown {
    if (this.#literals.length === 0) return value;
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) {
      const masked = value.map((item: unknown) => this.maskAll(item));
      return masked.some((item, at) => item !== value[at]) ? masked : value;
    }
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value);
    const masked = members.map(([key, member]) => [this.mask(key), this.maskAll(member)] as const);
    const isSame = masked.every(([key, member], at) => key === members[at]?.[0] && member === members[at]?.[1]);
    return isSame ? value : carryExactNumbers(value, Object.fromEntries(masked), (text) => this.mask(text));
  }
}

/** The credentials of one connection at this moment: the configured ones, and those of its user, which change. */
export class CredentialMasking {
  readonly #configured: OwnCredentials;
  readonly #changing: Pick<RequestCredentials, 'secrets'> | undefined;
  #of: readonly string[] | undefined;
  #current: OwnCredentials;

  constructor(endpoint: UpstreamEndpoint, changing: Pick<RequestCredentials, 'secrets'> | undefined) {
    this.#configured = new OwnCredentials(endpoint);
    this.#current = this.#configured;
    this.#changing = changing;
  }

  get current(): OwnCredentials {
    const secrets = this.#changing?.secrets;
    if (secrets === undefined || secrets === this.#of) return this.#current;
    this.#of = secrets;
    this.#current = new OwnCredentials([...this.#configured.literals, ...secrets]);
    return this.#current;
  }
}

/** An error without the credentials. */
export function withoutCredentials(error: OperationError, credentials: OwnCredentials): OperationError {
  const { code, message, details, cause } = error;
  const masked = { message: credentials.mask(message), details: credentials.maskAll(details) };
  if (masked.message === message && masked.details === details) return error;
  return new OperationError(code, masked.message, masked.details, { cause });
}

function credentialsOf(endpoint: UpstreamEndpoint): readonly string[] {
  if (endpoint.type === 'stdio') return listNamed(endpoint.env);
  return [...listNamed(configuredHeaders(endpoint)), ...inUrl(endpoint.url), ...inUrl(endpoint.proxy ?? '')];
}

/** Values under names that speak of credentials; of `Bearer abc` also `abc` alone. */
function listNamed(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values)
    .filter(([name]) => CREDENTIAL_NAME.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\w+ +/, '')]);
}

/** User, password and credential parameters, as they are written and as they are meant. */
function inUrl(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams } = new URL(address);
  const named = [...searchParams].filter(([name]) => CREDENTIAL_NAME.test(name)).map(([, value]) => value);
  return [username, password, ...named].flatMap((value) => [value, decode(value), encodeURIComponent(value)]);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
