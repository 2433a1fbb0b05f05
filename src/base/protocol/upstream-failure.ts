import type { JsonObject } from '../json/json.js';
import { WordsCleaner, type WordsMode } from './clean-words.js';
import type { ErrorCode } from './error-table.js';
import type { Operation } from './operation.js';
import { saysArgumentFault } from './refused-arguments.js';

/** How the message of an upstream's failure begins, by its code (companion document "errors"). */
const SENTENCES = {
  VALIDATION_INVALID_TYPE: 'The upstream refused the arguments',
  VALIDATION_INVALID_VALUE: 'The upstream refused the arguments',
  PERMISSION_DENIED: 'Permission denied',
  NOT_FOUND_OPERATION:
    'The server has no such tool, and its list is read anew: see introspect for the present one. It answered',
  NOT_FOUND_RESOURCE: 'Resource not found',
  CONFLICT_ALREADY_EXISTS: 'Resource already exists',
  RATE_LIMIT_EXCEEDED: 'API rate limit exceeded',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The codes that an upstream's failure can have. */
export type FailureCode = keyof typeof SENTENCES | 'INTERNAL_ERROR';

/** The call that an upstream says has failed. */
export interface FailedRequest {
  /** The upstream's slug. */
  readonly upstream: string;
  /** As they were sent. */
  readonly arguments: JsonObject;
  readonly words: WordsMode;
  /** The thing that the call is about, where that is known. */
  readonly resource?: FailedResource | undefined;
}

/** Details of NOT_FOUND_RESOURCE (companion document "errors"). */
interface FailedResource {
  readonly resource_type: string;
  readonly resource_id: string;
}

/** What the upstream said. */
interface SaidFailure {
  readonly words: string;
  /** Where the protocol says it; otherwise the words decide. */
  readonly code?: FailureCode;
  /** Structured content of the failure. */
  readonly data?: unknown;
}

/** A failure as a caller gets it. */
interface ReadFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly words: string;
  readonly data?: unknown;
  readonly details: JsonObject;
}

/** The one place where an upstream's words become a message. */
export function readFailure(said: SaidFailure, request: FailedRequest): ReadFailure {
  const code = said.code ?? codeOf(said.words);
  const cleaner = request.words === 'full' ? undefined : new WordsCleaner(request.arguments);
  const words = cleaner?.text(said.words) ?? said.words;
  const data = said.data === undefined ? {} : { data: cleaner === undefined ? said.data : cleaner.data(said.data) };
  return {
    code,
    message: describe(code, words, request.upstream),
    words,
    ...data,
    details: detailsOf(code, said, request),
  };
}

function detailsOf(code: FailureCode, { words }: SaidFailure, { resource }: FailedRequest): JsonObject {
  if (code === 'NOT_FOUND_RESOURCE') return { ...resource };
  const seconds = code === 'RATE_LIMIT_EXCEEDED' ? retryAfterIn(words) : undefined;
  return seconds === undefined ? {} : { retry_after_seconds: seconds };
}

const MAX_QUOTE_LENGTH = 200;

/** A line that gives the number with which a program ended, and no reason. */
const EXIT_ALONE = /\bexit(?:ed)?(?: with)?(?: code| status)?\W{0,3}-?\d{1,5}\W*$/i;

/** The first line that says something, short enough for a message, with the next one where it says only that a program has failed. */
function describe(code: FailureCode, words: string, upstream: string): string {
  const [first, reason] = words
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !/^#*\s*(?:errors?|failures?|failed|stderr|stdout|output):?$/i.test(each));
  const isReason = first !== undefined && reason !== undefined && EXIT_ALONE.test(first);
  const isOpen = first !== undefined && /[[({:,]["']?$/.test(first);
  const said = isReason ? `${first}: ${reason.replace(/^(?:stderr|stdout|output|error)\s*:\s*/i, '')}` : first;
  const line = isOpen ? words.trim().replace(/\s+/g, ' ') : said;
  const begin = code === 'INTERNAL_ERROR' ? `The server '${upstream}' answered` : SENTENCES[code];
  if (line === undefined) return `${begin}: 'the upstream reported a failure without saying why'`;
  return `${begin}: '${line.length > MAX_QUOTE_LENGTH ? `${line.slice(0, MAX_QUOTE_LENGTH - 1)}…` : line}'`;
}

/** A status as messages write one: "HTTP 404" or "status code 404"; any other number may be an amount. */
const status = (code: string): string =>
  `\\b(?:https?(?:/[\\d.]{1,5})?(?: error)?|status(?: ?code)?)\\W{0,3}${code}\\b`;

/**
 * The error code for the text of a failed tool; the first match wins. MCP has no status besides `isError`, so an HTTP status
 * in the text or a usual phrase decides (companion document "errors", upstream mapping).
 */
const MEANINGS: readonly { readonly code: FailureCode; readonly says: Pick<RegExp, 'test'> }[] = [
  {
    // The server lacks a program or a package of its own, which is nothing that the call has named.
    code: 'INTERNAL_ERROR',
    says: /\bspawn \S{1,200} ENOENT\b|\bexecutable (?:does not|does ?n[o']t) exist\b|\bcannot find (?:module|package)\b|\bexit(?:ed)?(?: with)?(?: code| status)? 127\b|\bsh: (?:line )?\d{1,5}: \S{1,200}: not found\b|\bcommand not found\b|\bis not recognized as (?:an internal|the name of)\b|\bcould not locate the bindings file\b/i,
  },
  {
    code: 'RATE_LIMIT_EXCEEDED',
    says: new RegExp(`${status('429')}|rate.?limit|too many requests`, 'i'),
  },
  {
    code: 'NOT_FOUND_RESOURCE',
    says: new RegExp(
      `${status('404')}|(?<!method )\\bnot found\\b|\\bno such\\b|does not exist|doesn't exist|\\bENOENT\\b`,
      'i',
    ),
  },
  {
    code: 'CONFLICT_ALREADY_EXISTS',
    says: new RegExp(`${status('409')}|\\b409 conflict\\b|already exists|\\bEEXIST\\b|\\bduplicate key\\b`, 'i'),
  },
  {
    code: 'PERMISSION_DENIED',
    says: new RegExp(
      `${status('40[13]')}|unauthori[sz]ed|\\bforbidden\\b|(?:permission|access) denied|\\b(?:authentication|authori[sz]ation|login) (?:is )?required\\b|\\bEACCES\\b|\\bEPERM\\b|\\b(?:path|file|directory|folder|command|domain|host|url|operation)s? (?:is |are )?not (?:allowed|permitted)\\b|\\boutside (?:of )?(?:the |any )?(?:allowed|permitted) `,
      'i',
    ),
  },
  {
    code: 'VALIDATION_INVALID_TYPE',
    says: new RegExp(
      `${status('4(?:00|22)')}|\\b400 bad request\\b|\\b422 unprocessable\\b|\\b(?:error|code)\\W{0,3}-32602\\b|invalid (?:argument|param|input|request)`,
      'i',
    ),
  },
  { code: 'VALIDATION_INVALID_VALUE', says: { test: saysArgumentFault } },
];

/** What a failure means stands at its beginning. */
const MAX_MEANT_LENGTH = 10_000;

function codeOf(words: string): FailureCode {
  const beginning = words.slice(0, MAX_MEANT_LENGTH);
  return MEANINGS.find(({ says }) => says.test(beginning))?.code ?? 'INTERNAL_ERROR';
}

const SECONDS_IN: readonly { readonly unit: RegExp; readonly seconds: number }[] = [
  { unit: /^(?:ms|milli)/i, seconds: 0.001 },
  { unit: /^h/i, seconds: 3_600 },
  { unit: /^m/i, seconds: 60 },
  { unit: /^/, seconds: 1 },
];
const RETRY_AFTER =
  /(?:retry|try (?:it )?again|wait|resets?)(?:[-_ ](?:after|in|for|at least))?[\s:="']{1,4}(\d{1,7}(?:\.\d{1,3})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)?\b/i;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** "Retry after 30s", "try again in 2 minutes", "Retry-After: 30". */
function retryAfterIn(words: string): number | undefined {
  const [, amount, unit = ''] = RETRY_AFTER.exec(words.slice(0, MAX_MEANT_LENGTH)) ?? [];
  if (amount === undefined) return undefined;
  const { seconds } = SECONDS_IN.find((each) => each.unit.test(unit)) ?? { seconds: 1 };
  return Math.min(Math.ceil(Number(amount) * seconds), MAX_RETRY_AFTER_SECONDS);
}

const MAX_ID_LENGTH = 200;

/**
 * What an operation's call is about: an UPDATE's identifiers, elsewhere its required texts and numbers. Undefined where there
 * are none, or one of them is sensitive or too long to be an identifier.
 */
export function resourceOf(operation: Operation, args: JsonObject): FailedResource | undefined {
  const { name, identifiers, parameters, sensitive = [] } = operation;
  const identifying = parameters.filter((parameter) =>
    identifiers.length > 0 ? identifiers.includes(parameter.name) : parameter.required && parameter.place === 'params',
  );
  const values = identifying.flatMap((parameter) => {
    const value = args[parameter.upstreamName];
    const isId = typeof value === 'string' || typeof value === 'number';
    return isId && !sensitive.includes(parameter.upstreamName) ? [{ name: parameter.name, value: String(value) }] : [];
  });
  const [only] = values;
  if (only === undefined || values.length < identifying.length) return undefined;
  const id = values.length === 1 ? only.value : values.map((each) => `${each.name}=${each.value}`).join(', ');
  if (id === '' || id.length > MAX_ID_LENGTH) return undefined;
  return { resource_type: typeNamed(name), resource_id: id };
}

/** `get_file_info` is about a `file_info`, `demo__delete_widget` about a `widget`. */
function typeNamed(operation: string): string {
  const bare = operation.slice(operation.lastIndexOf('__') + 1).replace(/^_/, '');
  const noun = bare.slice(bare.indexOf('_') + 1);
  return noun === '' ? bare : noun;
}
