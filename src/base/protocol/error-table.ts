/** The properties of every error with a given code. */
export interface ErrorTraits {
  /** The HTTP status that a REST API would answer with (companion document "errors"). */
  readonly httpStatus: number;
  /** Whether the model can recover by itself; decides `isError` where `endpoint.errors` is `unrecoverable`. */
  readonly recoverable: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

const refused = (httpStatus: number): ErrorTraits => ({ httpStatus, recoverable: true, logLevel: 'info' });

/** Every code the gateway can answer with. `docs/errors.md` explains each; a test checks that the two agree. */
export const ERROR_TABLE = {
  VALIDATION_MISSING_PARAM: refused(400),
  VALIDATION_INVALID_TYPE: refused(400),
  VALIDATION_UNKNOWN_PARAM: refused(400),
  VALIDATION_UNKNOWN_FIELD: refused(400),
  VALIDATION_INVALID_ENUM: refused(400),
  VALIDATION_OUT_OF_RANGE: refused(400),
  VALIDATION_PATTERN_MISMATCH: refused(400),
  VALIDATION_INVALID_VALUE: refused(400),
  VALIDATION_INVALID_ENCODING: refused(400),
  VALIDATION_PAYLOAD_TOO_LARGE: refused(413),
  VALIDATION_ENDPOINT_MISMATCH: refused(400),
  NOT_FOUND_OPERATION: refused(404),
  NOT_FOUND_RESOURCE: refused(404),
  PERMISSION_DENIED: { httpStatus: 403, recoverable: true, logLevel: 'warn' },
  PERMISSION_TRUST_LEVEL_INSUFFICIENT: { httpStatus: 403, recoverable: true, logLevel: 'warn' },
  PERMISSION_DANGER_LEVEL_DENIED: { httpStatus: 403, recoverable: true, logLevel: 'warn' },
  CONFIRMATION_REQUIRED: refused(403),
  TOKEN_INVALID: { httpStatus: 400, recoverable: true, logLevel: 'warn' },
  TOKEN_EXPIRED: refused(403),
  TOKEN_ALREADY_USED: { httpStatus: 403, recoverable: true, logLevel: 'warn' },
  TOKEN_SCOPE_MISMATCH: { httpStatus: 403, recoverable: true, logLevel: 'warn' },
  CONFLICT_ALREADY_EXISTS: refused(409),
  CONFLICT_VERSION_MISMATCH: refused(409),
  CONFLICT_INVALID_STATE: refused(409),
  RATE_LIMIT_EXCEEDED: { httpStatus: 429, recoverable: true, logLevel: 'warn' },
  RATE_LIMIT_QUOTA_PAUSE: refused(429),
  RATE_LIMIT_QUOTA_EXHAUSTED: { httpStatus: 429, recoverable: true, logLevel: 'warn' },
  INTROSPECTION_ERROR: refused(400),
  INTERNAL_ERROR: { httpStatus: 500, recoverable: false, logLevel: 'error' },
} as const satisfies Readonly<Record<string, ErrorTraits>>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** Refusals that ask for an answer: nothing has failed, and the same call goes on with the token that they carry. */
const QUESTIONS: ReadonlySet<ErrorCode | 'OK'> = new Set(['CONFIRMATION_REQUIRED', 'RATE_LIMIT_QUOTA_PAUSE']);

export function isQuestionCode(code: ErrorCode | 'OK'): boolean {
  return QUESTIONS.has(code);
}
