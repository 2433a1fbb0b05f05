import { checkArguments } from '../catalog/bind-arguments.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { deepMerge } from './deep-merge.js';
import { findInexactNumber } from './find-inexact-number.js';
import { findField } from './resource.js';

export interface MergedArguments {
  readonly arguments: JsonObject;
  /** The resource's fields whose values are written back: they must not change until then. */
  readonly writtenBack: readonly string[];
}

/**
 * An update's arguments with what is there: objects are merged, all other values are the caller's, and a field that the caller
 * left out is sent with its present value where the upstream demands it, else not at all.
 * @throws OperationError when the whole does not fit the tool's schema, or cannot be written back as it was
 */
export function mergeArguments(operation: Operation, args: JsonObject, resource: JsonObject): MergedArguments {
  const merged = new Map(Object.entries(args));
  const writtenBack: string[] = [];
  for (const parameter of operation.parameters.filter(({ place }) => place === 'input')) {
    const { upstreamName } = parameter;
    const field = findField(resource, parameter);
    const present = field === undefined ? undefined : resource[field];
    const given = merged.get(upstreamName);
    const isFilled = field !== undefined && !merged.has(upstreamName) && isDemanded(operation, upstreamName);
    if (isFilled) merged.set(upstreamName, present);
    if (isJsonObject(given)) merged.set(upstreamName, deepMerge(present, given));
    if (field === undefined || !(isFilled || (isJsonObject(given) && isJsonObject(present)))) continue;
    requireExact(operation, field, present, given);
    writtenBack.push(field);
  }
  const whole = Object.fromEntries(merged);
  requireFit(operation, whole);
  return { arguments: whole, writtenBack };
}

function isDemanded({ inputSchema }: Operation, upstreamName: string): boolean {
  const { required } = inputSchema;
  return Array.isArray(required) && required.includes(upstreamName);
}

function requireExact(operation: Operation, field: string, present: unknown, given: unknown): void {
  const place = findInexactNumber(present, given, field);
  if (place === undefined) return;
  const message = `Internal error: 'the update was not attempted: ${place} holds a number of more digits than can be written back'`;
  throw new OperationError('INTERNAL_ERROR', message, { operation: operation.name, field: place, outcome: 'not_run' });
}

function requireFit(operation: Operation, args: JsonObject): void {
  const faults = checkArguments(operation, args);
  const [fault] = faults;
  if (fault === undefined) return;
  throw new OperationError(
    fault.code,
    `The update was not attempted: laid over what is there, it does not fit. ${faults.map(({ message }) => message).join('. ')}`,
    {
      operation: operation.name,
      param_name: fault.param,
      ...(faults.length > 1 ? { faults } : {}),
      outcome: 'not_run',
    },
  );
}
