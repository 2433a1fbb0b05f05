import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { PayloadLimits } from '../../protocol/payload-limits.js';
import { limitPayload } from '../limit.js';
import type { Snapshot } from '../snapshot.js';
import { mapTexts } from './map-texts.js';
import { isSpecial, parseText } from './parse-reference.js';

/** One operation of a batch, before anything of it has run. */
export interface BatchItem {
  readonly index: number;
  /** As it was sent; empty where there is none. */
  readonly operation: string;
  readonly request: JsonObject;
  /** Whether it may change something: everything before it ends first, and nothing after it begins before it ends. */
  readonly isBarrier: boolean;
  /** Earlier items whose results it uses. */
  readonly needs: readonly number[];
  /** Whether texts in its parameters stand for something else. */
  readonly isSpecial: boolean;
  /** Why it cannot be run at all. */
  readonly fault?: OperationError;
}

/** Reads one element of `operations`. Never throws: what is wrong with one item is that item's failure. */
export function readItem(value: unknown, index: number, snapshot: Snapshot, limits: PayloadLimits): BatchItem {
  const sent = isJsonObject(value) ? value : {};
  const operation = typeof sent['operation'] === 'string' ? sent['operation'] : '';
  const known = snapshot.catalog.find(operation);
  const request = withoutPosition(sent, known);
  const fault = findFault(value, index, limits);
  if (fault !== undefined) return { index, operation, request, isBarrier: false, needs: [], isSpecial: false, fault };
  const category = known?.classification.category;
  const texts = listSpecialTexts(request);
  return {
    index,
    operation,
    request,
    isBarrier: category !== undefined && category !== 'READ',
    needs: listNeeds(texts, index),
    isSpecial: texts.length > 0,
  };
}

/** `pending_operations` can be sent as they came: where an operation stood in the last batch is no parameter of it. */
function withoutPosition(sent: JsonObject, operation: Operation | undefined): JsonObject {
  const { index, ...request } = sent;
  const isParameter = operation?.parameters.some(({ name }) => name === 'index') ?? false;
  const isPosition = Number.isInteger(index) && (isJsonObject(sent['params']) || !isParameter);
  return isPosition ? request : sent;
}

function findFault(value: unknown, index: number, limits: PayloadLimits): OperationError | undefined {
  const name = `operations[${index}]`;
  if (!isJsonObject(value)) {
    return wrongType(name, 'object', value, `: {"operation": "...", "params": {...}}`);
  }
  try {
    limitPayload(value, limits);
  } catch (thrown) {
    if (thrown instanceof OperationError) return thrown;
    throw thrown;
  }
  const { operation } = value;
  if (operation === undefined || operation === null || operation === '') {
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
  mapTexts(parameters, (text) => {
    if (isSpecial(text)) texts.push(text);
  });
  return texts;
}

function listNeeds(texts: readonly string[], index: number): readonly number[] {
  const needs = texts.map(parseText).map((parsed) => (parsed.kind === 'reference' ? parsed.reference.index : index));
  return [...new Set(needs)].filter((needed) => needed < index);
}
