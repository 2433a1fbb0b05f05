import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { BatchItem } from './batch-item.js';
import type { Found } from './follow-path.js';
import { mapTexts } from './map-texts.js';
import { escapeText, parseText } from './parse-reference.js';
import type { ResultReader } from './read-results.js';

interface ReferenceFault {
  readonly param_name: string;
  readonly reference: string;
  /** The item that is referred to; absent where the reference cannot be read. */
  readonly referred_index?: number;
  readonly why: string;
  /** The keys that are there, where one was missed. */
  readonly available?: readonly string[];
}

/** So many faults of one item are told; nobody corrects more of them at a time. */
const MOST_FAULTS = 10;

/** So much of a text that is no reference is told. */
const MAX_EXCERPT = 100;

/**
 * The item with every reference exchanged for what it stands for. Values of results are put in as they are and never read
 * for references themselves: an upstream's words must not reach into other results.
 *
 * @throws OperationError that names the references of the item that lead nowhere
 */
export function resolveItem(item: BatchItem, read: ResultReader): JsonObject {
  if (!item.isSpecial) return item.request;
  const faults: ReferenceFault[] = [];
  const resolved = exchangeParameters(item.request, (text, at) => {
    const parsed = parseText(text);
    if (parsed.kind === 'text') return parsed.value;
    const found = parsed.kind === 'reference' ? read(parsed.reference, item.index) : NOT_WRITTEN_AS_ONE;
    if (found.found) return found.value;
    const index = parsed.kind === 'reference' ? parsed.reference.index : undefined;
    faults.push(toFault(at, text, index, found));
    return text;
  });
  const [first] = faults;
  if (first !== undefined) throw describeFaults(item, first, faults);
  return resolved;
}

/**
 * The item as it can be sent again in another batch: references exchanged where that is possible by now and left as they were
 * written elsewhere, and values that only look like references escaped.
 */
export function prepareItem(item: BatchItem, read: ResultReader): JsonObject {
  if (!item.isSpecial) return item.request;
  return exchangeParameters(item.request, (text) => {
    const parsed = parseText(text);
    const found = parsed.kind === 'reference' ? read(parsed.reference, item.index) : undefined;
    return found?.found === true ? mapTexts(found.value, escapeText) : text;
  });
}

function exchangeParameters(request: JsonObject, exchange: (text: string, at: string) => unknown): JsonObject {
  const { operation, ...parameters } = request;
  return { operation, ...(mapTexts(parameters, exchange) as JsonObject) };
}

const NOT_WRITTEN_AS_ONE: Found = {
  found: false,
  why: "it is not written as one: expected '$results[N].data' with a path such as '.items[0].id'. Text that only looks like a reference begins with '$$results['",
};

function toFault(
  at: string,
  text: string,
  index: number | undefined,
  { why, available }: Found & { found: false },
): ReferenceFault {
  return {
    param_name: at,
    reference: text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text,
    ...(index === undefined ? {} : { referred_index: index }),
    why,
    ...(available === undefined ? {} : { available }),
  };
}

function describeFaults(
  { index, operation }: BatchItem,
  first: ReferenceFault,
  faults: readonly ReferenceFault[],
): OperationError {
  const told = faults.slice(0, MOST_FAULTS);
  const sentences = told.map(
    ({ reference, param_name, why }) => `Reference '${reference}' at '${param_name}' cannot be followed: ${why}`,
  );
  if (faults.length > told.length) sentences.push(`${faults.length - told.length} more cannot be followed either`);
  const { why: _why, ...main } = first;
  return new OperationError('VALIDATION_INVALID_VALUE', sentences.join('. '), {
    operation,
    index,
    ...main,
    ...(faults.length > 1 ? { faults: told } : {}),
  });
}
