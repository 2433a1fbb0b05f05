import { formatPath } from '../lib/json-path.js';
import { cutText, removeInvisible } from '../lib/text.js';
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

/** A value that is still to be looked at, and where it stands: a chain, since paths are written out for refusals alone. */
interface Pending {
  readonly value: unknown;
  readonly depth: number;
  readonly key: string | number | undefined;
  readonly parent: Pending | undefined;
}

/**
 * Holds a parsed request against the limits that need its structure; the byte limit was held before parsing, by the
 * server. A call is refused here when it is too deep, too long, not well-formed Unicode, or holds a number without end.
 * Without recursion: nothing is known of the depth before it is looked at.
 */
export function limitPayload(value: unknown, limits: PayloadLimits): void {
  const pending: Pending[] = [{ value, depth: 1, key: undefined, parent: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value === 'string') inspectString(next.value, next, limits);
    else if (typeof next.value === 'number') inspectNumber(next.value, next);
    else if (typeof next.value === 'object' && next.value !== null) inspectStructure(next.value, next, limits, pending);
  }
}

/** Members are put in reverse, so that they are looked at, and refused, in their order. */
function inspectStructure(value: object, place: Pending, limits: PayloadLimits, pending: Pending[]): void {
  const { depth } = place;
  if (depth > limits.maxNestingDepth) throw payloadTooLarge('nesting_depth', depth, limits);
  if (Array.isArray(value)) {
    if (value.length > limits.maxArrayElements) throw payloadTooLarge('array_elements', value.length, limits);
    for (let index = value.length - 1; index >= 0; index -= 1) {
      pending.push({ value: value[index], depth: depth + 1, key: index, parent: place });
    }
    return;
  }
  const members = Object.entries(value);
  for (const [key] of members) inspectString(key, place, limits);
  for (const [key, member] of members.reverse()) pending.push({ value: member, depth: depth + 1, key, parent: place });
}

function inspectString(text: string, place: Pending, limits: PayloadLimits): void {
  if (text.length * MAX_BYTES_PER_UNIT > limits.maxStringLength) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.maxStringLength) throw payloadTooLarge('string_length', bytes, limits);
  }
  if (!text.isWellFormed()) throw invalidEncoding('a string contains a lone surrogate (U+D800 to U+DFFF)', place);
  if (text.includes('\0')) throw invalidEncoding('a string contains a null byte (U+0000)', place);
}

/** `1e999` parses as infinity, which rules would compare as a number and JSON would write as null. */
function inspectNumber(number: number, place: Pending): void {
  if (Number.isFinite(number)) return;
  const at = locationOf(place);
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter '${at}' must be a finite number; the given one is too large`,
    {
      param_name: at,
      constraint: 'a finite number',
    },
  );
}

const LONGEST_LOCATION = 200;

/** The path as the caller writes it: what is in `params` is named without it. */
function locationOf(place: Pending): string {
  const path: (string | number)[] = [];
  for (let at: Pending | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  const [first, ...rest] = path.reverse();
  return cutText(removeInvisible(formatPath(first === 'params' && rest.length > 0 ? rest : path)), LONGEST_LOCATION);
}

function invalidEncoding(why: string, place: Pending): OperationError {
  const location = locationOf(place);
  return new OperationError(
    'VALIDATION_INVALID_ENCODING',
    `Invalid character encoding in request: ${why}, in '${location}'`,
    {
      reason: why,
      location,
    },
  );
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
