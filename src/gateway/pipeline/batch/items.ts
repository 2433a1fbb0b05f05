import { isJsonObject, type JsonObject } from '../../../base/json/json.js';
import { quoteValues } from '../../../base/lib/text.js';
import type { RawCall } from '../../../base/protocol/call.js';
import { limitPayload } from '../../../base/protocol/limit-payload.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import type { Operation } from '../../../base/protocol/operation.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import { mayWrite } from '../../../catalog/operation.js';
import { isBatch, isSilentMember, paramsOf, readEnvelope } from '../decode.js';
import { DRY_RUN, EXECUTION } from '../directive-names.js';
import { misspeltDirectives } from '../directives.js';
import type { Snapshot } from '../snapshot.js';
import { isSpecial, parseText } from './reference-syntax.js';

/** Resolves where this turn of the event loop has room for more. @param alone whether what follows needs a turn of its own */
export type Pause = (alone?: boolean) => Promise<void> | undefined;

/** One operation of a batch, before anything has run. */
export interface BatchItem {
  readonly index: number;
  /** The name as sent; empty where there is none. */
  readonly operation: string;
  readonly request: JsonObject;
  /** Whether it may change something, by what it sends: it starts after all earlier items have ended, and later items start after it has ended. */
  readonly isBarrier: boolean;
  /** Indexes of the earlier items whose results it uses. */
  readonly needs: readonly number[];
  /** Whether its parameters contain references or escaped references. */
  readonly isSpecial: boolean;
  /** Why it cannot run at all. */
  readonly fault?: OperationError;
}

/**
 * Reads the elements of `operations`. Each item alone is bounded by the limits of a call, but those of a batch add up.
 * @param pause waits before an item where this turn of the event loop has no room left
 */
export async function readItems(
  operations: readonly unknown[],
  catalog: Pick<Snapshot['catalog'], 'find'>,
  limits: PayloadLimits,
  pause: Pause,
): Promise<readonly BatchItem[]> {
  const items: BatchItem[] = [];
  for (const [index, operation] of operations.entries()) {
    await pause();
    items.push(readItem(operation, index, catalog, findFault(operation, index, limits)));
  }
  return items;
}

/** Never throws: a fault in one item fails that item only. */
function readItem(
  value: unknown,
  index: number,
  catalog: Pick<Snapshot['catalog'], 'find'>,
  fault: OperationError | undefined,
): BatchItem {
  const sent = isJsonObject(value) ? value : {};
  const operation = typeof sent['operation'] === 'string' ? sent['operation'] : '';
  const known = catalog.find(operation);
  const request = withoutPosition(sent, known);
  if (fault !== undefined) return { index, operation, request, isBarrier: false, needs: [], isSpecial: false, fault };
  const texts = listSpecialTexts(request);
  return {
    index,
    operation,
    request,
    // What a reference stands for is not known yet.
    isBarrier: known !== undefined && mayWrite(known, texts.length > 0 ? undefined : paramsOf(request)),
    needs: listNeeds(texts, index),
    isSpecial: texts.length > 0,
  };
}

/** Clients send `pending_operations` again unchanged, so an `index` that gives the position in the last batch is no parameter. */
function withoutPosition(sent: JsonObject, operation: Operation | undefined): JsonObject {
  const { index, ...request } = sent;
  const isParameter = operation?.parameters.some(({ name }) => name === 'index') ?? false;
  const isPosition = Number.isInteger(index) && (isJsonObject(sent['params']) || !isParameter);
  return isPosition ? request : sent;
}

function findFault(value: unknown, index: number, limits: PayloadLimits): OperationError | undefined {
  const name = `operations[${index}]`;
  if (!isJsonObject(value)) return wrongType(name, 'object', value, `: {"operation": "...", "params": {...}}`);
  try {
    limitPayload(value, limits);
    return findNameFault(value, name, index);
  } catch (thrown) {
    if (thrown instanceof OperationError) return thrown;
    throw thrown;
  }
}

function findNameFault(item: JsonObject, name: string, index: number): OperationError | undefined {
  const { operation } = readEnvelope(item);
  if (operation === undefined) {
    return new OperationError(
      'VALIDATION_MISSING_PARAM',
      `Missing required parameter 'operation' in '${name}'. Expected: string (the name of the operation)`,
      { param_name: `${name}.operation`, index },
    );
  }
  return typeof operation === 'string' ? undefined : wrongType(`${name}.operation`, 'string', operation, '');
}

function wrongType(name: string, expected: string, value: unknown, hint: string): OperationError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return new OperationError('VALIDATION_INVALID_TYPE', `'${name}' expected '${expected}', got '${actual}'${hint}`, {
    param_name: name,
    expected_type: expected,
    actual_type: actual,
  });
}

function listSpecialTexts({ operation: _operation, ...parameters }: JsonObject): readonly string[] {
  const texts: string[] = [];
  collectSpecialTexts(parameters, texts);
  return texts;
}

/** Copies nothing: most items hold no special text. */
function collectSpecialTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (isSpecial(value)) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const each of value) collectSpecialTexts(each, texts);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) collectSpecialTexts(value[key], texts);
  }
}

function listNeeds(texts: readonly string[], index: number): readonly number[] {
  const needs = texts.map(parseText).map((parsed) => (parsed.kind === 'reference' ? parsed.reference.index : index));
  return [...new Set(needs)].filter((needed) => needed < index);
}

/** The same JSON value with each text in it, at any depth, replaced. `at` is the path of the text: `params.items[0].id`. */
export function mapTexts(value: unknown, exchange: (text: string, at: string) => unknown, at = ''): unknown {
  if (typeof value === 'string') return exchange(value, at);
  if (Array.isArray(value)) return value.map((each, index) => mapTexts(each, exchange, `${at}[${index}]`));
  if (!isJsonObject(value)) return value;
  // `fromEntries` defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapTexts(member, exchange, at === '' ? key : `${at}.${key}`)]),
  );
}

export type Fault = Pick<OperationError, 'code' | 'message'>;

/**
 * Checks the form of the batch as a whole. One message names all faults, because the published schema of a refused batch
 * allows only code and message.
 *
 * @throws OperationError before anything has run
 */
export function checkForm(raw: RawCall, operations: readonly unknown[], maxOperations: number): void {
  refuse([...findUnknownMembers(raw), ...findWrongCount(operations, maxOperations), ...findNestedBatches(operations)]);
}

export function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first !== undefined) throw new OperationError(first.code, faults.map(({ message }) => message).join('. '));
}

/** Members with an underscore are metadata (specification, section 4.6.1), but for what is said of one call. */
function findUnknownMembers({ arguments: given }: RawCall): readonly Fault[] {
  const request = isJsonObject(given) ? given : {};
  const misspelt = new Set(misspeltDirectives(request).map(({ key }) => key));
  const unknown = Object.keys(request).filter((key) => {
    if (key === 'operations' || request[key] === null || isSilentMember(request, key)) return false;
    return key === EXECUTION || key === DRY_RUN || !key.startsWith('_') || misspelt.has(key);
  });
  if (unknown.length === 0) return [];
  return [
    {
      code: 'VALIDATION_UNKNOWN_PARAM',
      message: `Unknown member(s) beside 'operations': ${quoteValues(unknown)}. Parameters belong inside each operation: {"operations": [{"operation": "...", "params": {...}}]}`,
    },
  ];
}

function findWrongCount({ length }: readonly unknown[], maxOperations: number): readonly Fault[] {
  if (length <= maxOperations) return [];
  return [
    {
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      message: `Payload exceeds array_elements limit of ${maxOperations}: 'operations' contains ${length}. Send them in several batches`,
    },
  ];
}

/** The most positions that a message lists; it gives the number of the others. */
const MOST_POSITIONS = 20;

function findNestedBatches(operations: readonly unknown[]): readonly Fault[] {
  const nested = operations.flatMap((item, index) => (isBatch(item) ? [`operations[${index}]`] : []));
  if (nested.length === 0) return [];
  const named = nested.slice(0, MOST_POSITIONS);
  const more = nested.length > named.length ? ` and ${nested.length - named.length} more` : '';
  return [
    {
      code: 'VALIDATION_INVALID_VALUE',
      message: `A batch cannot contain a batch: ${quoteValues(named)}${more}. Move their operations into the outer batch`,
    },
  ];
}
