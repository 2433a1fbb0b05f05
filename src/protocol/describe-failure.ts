import type { ErrorCode } from './error-table.js';

/** How the message of an upstream's failure begins, by the code it was given (companion document "errors"). */
const SENTENCES = {
  VALIDATION_INVALID_TYPE: 'The upstream refused the arguments',
  PERMISSION_DENIED: 'Permission denied',
  NOT_FOUND_RESOURCE: 'Resource not found',
  CONFLICT_ALREADY_EXISTS: 'Resource already exists',
  RATE_LIMIT_EXCEEDED: 'API rate limit exceeded',
  INTERNAL_ERROR: 'Internal error',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** What an upstream's failure can be called. */
export type FailureCode = keyof typeof SENTENCES;

const MAX_QUOTE_LENGTH = 200;

/** The message of an upstream's failure, with the beginning of what the upstream said. */
export function describeFailure(code: FailureCode, words: string): string {
  return `${SENTENCES[code]}: '${quote(words)}'`;
}

/** An absolute path of two folders or more, on any system; the path of a URL is none. */
const ABSOLUTE_PATH = /(?<![\w:/.])(?:[A-Za-z]:\\|\/)(?:[^\s'"`,;:()]+[\\/])+[^\s'"`,;:()]*/g;

/** `TypeError: ` and its like: a language's words, not the reader's. */
const ERROR_CLASS = /^(?:Uncaught )?\w*(?:Error|Exception): /;

/**
 * The first line, short enough for a message and without what messages must not hold (companion document "errors"); the
 * whole is in the details, word for word.
 */
function quote(words: string): string {
  const [line = ''] = words.trim().split('\n', 1);
  const plain = line.replace(ERROR_CLASS, '').replace(ABSOLUTE_PATH, '[path]');
  if (plain === '') return 'the upstream reported a failure without saying why';
  return plain.length > MAX_QUOTE_LENGTH ? `${plain.slice(0, MAX_QUOTE_LENGTH - 1)}…` : plain;
}
