import { isJsonObject, type JsonObject } from '../json/json.js';
import { formatPath } from '../json/json-path.js';
import { cutText, removeInvisible } from '../lib/text.js';
import { type PayloadLimits, payloadTooLarge } from './limits.js';
import { OperationError } from './operation-error.js';

/** A UTF-8 string is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/** An object or a list that is still to be looked at, and where it stands: a chain, since paths are written out for refusals alone. */
interface Pending extends Place {
  readonly value: JsonObject | readonly unknown[];
  readonly depth: number;
}

interface Place {
  readonly key: string | number | undefined;
  readonly parent: Place | undefined;
}

/** Units of work (about 15 nanoseconds each) that a value costs, and that so many characters of a text cost. */
const VALUE_UNITS = 4;
const CHARACTERS_PER_UNIT = 64;

/** What a member costs besides, and a structure: each is an object, and members of many names are looked up. */
const MEMBER_UNITS = 16;
const STRUCTURE_UNITS = 16;

/**
 * Holds a parsed request against the limits that need its structure; the byte limit was held before parsing, by the
 * server. A call is refused here when it is too deep, too long, not well-formed Unicode, or holds a number without end.
 * Without recursion: nothing is known of the depth before it is looked at.
 *
 * @returns the work that it took, which grows with the request and tells what the stages after this one may cost
 */
export function limitPayload(value: unknown, limits: PayloadLimits): number {
  const looking: Looking = { limits, pending: [], work: 0 };
  inspect(value, undefined, undefined, 1, looking);
  for (let next = looking.pending.pop(); next !== undefined; next = looking.pending.pop())
    inspectStructure(next, looking);
  return looking.work;
}

interface Looking {
  readonly limits: PayloadLimits;
  readonly pending: Pending[];
  work: number;
}

/** Most values are texts and numbers, which are looked at where they stand; structures wait for their turn. */
function inspect(value: unknown, key: Place['key'], parent: Place | undefined, depth: number, looking: Looking): void {
  looking.work += VALUE_UNITS;
  if (typeof value === 'string') inspectString(value, key, parent, looking);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notFinite({ key, parent });
  } else if (isJsonObject(value)) looking.pending.push({ value, depth, key, parent });
  else if (Array.isArray(value)) looking.pending.push({ value, depth, key, parent });
}

function inspectStructure(place: Pending, looking: Looking): void {
  const { value, depth } = place;
  const { limits, pending } = looking;
  looking.work += STRUCTURE_UNITS;
  if (depth > limits.maxNestingDepth) throw payloadTooLarge('nesting_depth', depth, limits);
  const before = pending.length;
  if (!isJsonObject(value)) {
    if (value.length > limits.maxArrayElements) throw payloadTooLarge('array_elements', value.length, limits);
    for (let index = 0; index < value.length; index += 1) inspect(value[index], index, place, depth + 1, looking);
  } else {
    const keys = Object.keys(value);
    if (keys.length > limits.maxArrayElements) throw payloadTooLarge('object_members', keys.length, limits);
    for (const key of keys) {
      looking.work += MEMBER_UNITS;
      inspectString(key, place.key, place.parent, looking);
      inspect(value[key], key, place, depth + 1, looking);
    }
  }
  if (pending.length - before > 1) reverseFrom(pending, before);
}

/** So that what was added last, which is taken first, is the first in its order. */
function reverseFrom(pending: Pending[], start: number): void {
  for (let low = start, high = pending.length - 1; low < high; low += 1, high -= 1) {
    const [first, last] = [pending[low], pending[high]];
    if (first !== undefined && last !== undefined) [pending[low], pending[high]] = [last, first];
  }
}

function inspectString(text: string, key: Place['key'], parent: Place | undefined, looking: Looking): void {
  const { limits } = looking;
  looking.work += text.length / CHARACTERS_PER_UNIT;
  if (text.length * MAX_BYTES_PER_UNIT > limits.maxStringLength) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.maxStringLength) throw payloadTooLarge('string_length', bytes, limits);
  }
  if (!text.isWellFormed())
    throw invalidEncoding('a string contains a lone surrogate (U+D800 to U+DFFF)', { key, parent });
  if (text.includes('\0')) throw invalidEncoding('a string contains a null byte (U+0000)', { key, parent });
}

/** `1e999` parses as infinity, which rules would compare as a number and JSON would write as null. */
function notFinite(place: Place): OperationError {
  const at = locationOf(place);
  return new OperationError(
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
function locationOf(place: Place): string {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  const [first, ...rest] = path.reverse();
  return cutText(removeInvisible(formatPath(first === 'params' && rest.length > 0 ? rest : path)), LONGEST_LOCATION);
}

function invalidEncoding(why: string, place: Place): OperationError {
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
