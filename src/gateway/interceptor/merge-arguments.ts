import { findMarked } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type Operation, pathOf } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { checkArguments } from '../../catalog/arguments/bind-arguments.js';
import { findField } from './resource.js';

interface MergedArguments {
  readonly arguments: JsonObject;
  /** The resource's fields whose values are written back: they must not change before that. */
  readonly writtenBack: readonly string[];
  /** The resource as the update makes it. */
  readonly after: JsonObject;
}

/**
 * An update's arguments merged with the resource: objects are merged and all other values are the caller's. A field that the
 * caller left out is sent with its present value where the upstream requires it, or replaces the whole resource; else not at
 * all. Where the whole is replaced, null removes a field by leaving it out.
 * @throws OperationError when the whole does not fit the tool's schema, or cannot be written back as it was
 */
export function mergeArguments(operation: Operation, args: JsonObject, resource: JsonObject): MergedArguments {
  const merged = new Map(Object.entries(args));
  const after = new Map(Object.entries(resource));
  const writtenBack: string[] = [];
  for (const parameter of operation.parameters.filter(({ place }) => place === 'input')) {
    const { upstreamName } = parameter;
    const field = findField(resource, parameter);
    const present = field === undefined ? undefined : resource[field];
    const given = merged.get(upstreamName);
    const isNeeded = isRequired(operation, upstreamName);
    if (given === null && writesWhole(operation) && !isNeeded) {
      merged.delete(upstreamName);
      if (field !== undefined) after.delete(field);
      continue;
    }
    const isSent = isNeeded || (writesWhole(operation) && present !== null);
    const isFilled = field !== undefined && !merged.has(upstreamName) && isSent;
    if (isFilled) merged.set(upstreamName, present);
    if (isJsonObject(given)) merged.set(upstreamName, deepMerge(present, given));
    if (merged.has(upstreamName)) after.set(field ?? upstreamName, merged.get(upstreamName));
    if (field === undefined || !(isFilled || (isJsonObject(given) && isJsonObject(present)))) continue;
    requireExact(operation, field, merged.get(upstreamName));
    writtenBack.push(field);
  }
  const all = Object.fromEntries(merged);
  requireFit(operation, all);
  return { arguments: all, writtenBack, after: Object.fromEntries(after) };
}

function writesWhole({ merge }: Operation): boolean {
  return merge?.writes === 'whole';
}

function isRequired({ inputSchema }: Operation, upstreamName: string): boolean {
  const { required } = inputSchema;
  return Array.isArray(required) && required.includes(upstreamName);
}

function requireExact(operation: Operation, field: string, written: unknown): void {
  const place = findMarked(written, field);
  if (place === undefined) return;
  const message = `Internal error: 'the update was not attempted: ${place} holds a number of more digits than can be written back'. Give it in 'input' to replace it`;
  throw new OperationError('INTERNAL_ERROR', message, { operation: operation.name, field: place, outcome: 'not_run' });
}

function requireFit(operation: Operation, args: JsonObject): void {
  const faults = checkArguments(operation, args);
  const [fault] = faults;
  if (fault === undefined) return;
  const kept = operation.parameters.filter(({ upstreamName }) => args[upstreamName] === null).map(pathOf);
  const unremovable = faults.filter(({ param }) => kept.includes(param)).map(({ param }) => param);
  if (unremovable.length > 0) throw cannotRemove(operation, unremovable);
  throw new OperationError(
    fault.code,
    `The update was not attempted: merged with the present values, it does not fit the tool's schema. ${faults.map(({ message }) => message).join('. ')}`,
    {
      operation: operation.name,
      param_name: fault.param,
      ...(faults.length > 1 ? { faults } : {}),
      outcome: 'not_run',
    },
  );
}

function cannotRemove(operation: Operation, params: readonly string[]): OperationError {
  const names = params.map((param) => `'${param}'`).join(', ');
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `The update was not attempted: ${names} cannot be removed, because the tool takes no null for it. Give it another value`,
    { operation: operation.name, param_name: params[0], actual_type: 'null', outcome: 'not_run' },
  );
}

/**
 * A value with a change merged into it (specification, section 4.5.1; the same as RFC 7396): members of objects one by one, null
 * removes a member, and everything else, lists included, replaces what was there.
 */
export function deepMerge(current: unknown, change: unknown): unknown {
  if (!isJsonObject(change)) return change;
  const base = isJsonObject(current) ? current : {};
  const names = new Set([...Object.keys(base), ...Object.keys(change)]);
  const members = [...names].flatMap((name): readonly [string, unknown][] => {
    const present = Object.hasOwn(base, name) ? base[name] : undefined;
    if (!Object.hasOwn(change, name)) return [[name, present]];
    return change[name] === null ? [] : [[name, deepMerge(present, change[name])]];
  });
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(members);
}
