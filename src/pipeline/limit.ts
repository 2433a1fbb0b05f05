import type { PayloadLimits } from '../protocol/limits.js';
import { OperationError } from '../protocol/operation-error.js';

/** The limits of specification 4.7.5 by their published names. */
const LIMITS = {
  request_size: { unit: 'bytes', of: (limits: PayloadLimits) => limits.maxRequestSize },
  response_size: { unit: 'bytes', of: (limits: PayloadLimits) => limits.maxResponseSize },
  string_length: { unit: 'bytes', of: (limits: PayloadLimits) => limits.maxStringLength },
  array_elements: { unit: 'elements', of: (limits: PayloadLimits) => limits.maxArrayElements },
  nesting_depth: { unit: 'levels', of: (limits: PayloadLimits) => limits.maxNestingDepth },
} as const;

/** A UTF-8 string is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Checks a parsed request against the limits that need its structure; the server checks the byte limit before parsing. A
 * call is refused here when it is too deep, too long or not well-formed Unicode.
 */
export function limitPayload(value: unknown, limits: PayloadLimits): void {
  inspect(value, 1, limits);
}

function inspect(value: unknown, depth: number, limits: PayloadLimits): void {
  if (typeof value === 'string') inspectString(value, limits);
  if (typeof value !== 'object' || value === null) return;
  if (depth > limits.maxNestingDepth) throw payloadTooLarge('nesting_depth', depth, limits);
  if (Array.isArray(value)) {
    if (value.length > limits.maxArrayElements) throw payloadTooLarge('array_elements', value.length, limits);
    for (const item of value) inspect(item, depth + 1, limits);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    inspectString(key, limits);
    inspect(member, depth + 1, limits);
  }
}

function inspectString(text: string, limits: PayloadLimits): void {
  if (text.length * MAX_BYTES_PER_UNIT > limits.maxStringLength) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.maxStringLength) throw payloadTooLarge('string_length', bytes, limits);
  }
  if (!text.isWellFormed()) throw invalidEncoding('a string contains a lone surrogate (U+D800 to U+DFFF)');
  if (text.includes('\0')) throw invalidEncoding('a string contains a null byte (U+0000)');
}

function invalidEncoding(why: string): OperationError {
  return new OperationError('VALIDATION_INVALID_ENCODING', `Invalid character encoding in request: ${why}`, {
    reason: why,
  });
}

/** The specified refusal of a payload, with the limit, its value and the actual value. */
export function payloadTooLarge(type: keyof typeof LIMITS, actual: number, limits: PayloadLimits): OperationError {
  const { unit, of } = LIMITS[type];
  const limit = of(limits);
  return new OperationError('VALIDATION_PAYLOAD_TOO_LARGE', `Payload exceeds ${type} limit of ${limit}`, {
    limit_type: type,
    limit_value: limit,
    actual_value: actual,
    unit,
  });
}
