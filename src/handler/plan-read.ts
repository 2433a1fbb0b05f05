import { checkArguments } from '../catalog/bind-arguments.js';
import { parameterScope } from '../catalog/parameter-scope.js';
import type { HandlerCall } from '../protocol/handler.js';
import type { JsonObject } from '../protocol/json.js';
import type { MergeRule, Operation, Parameter } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';

/** Finds an upstream's operation by any of its names. */
export type FindOperation = (upstream: string, name: string) => Operation | undefined;

/** A parameter of the read, and the update's that fills it. */
interface Pair {
  readonly read: Parameter;
  readonly update: Parameter | undefined;
}

/**
 * The call that reads what an update is about to change.
 * @throws OperationError when the curation names no such read, or the caller's identifiers do not fit it
 */
export function planRead(call: HandlerCall, merge: MergeRule, find: FindOperation): HandlerCall {
  const { operation, caller, cancellation } = call;
  const read = find(operation.upstream, merge.read);
  if (read?.classification.category !== 'READ') {
    throw brokenCuration(operation, 'merge.read', 'names no READ operation of it');
  }
  const args = { ...collectIdentifiers(call, pairParameters(operation, read, merge)), ...read.fixedArguments };
  const [fault, ...others] = checkArguments(read, args);
  if (fault !== undefined) {
    const faults = [fault, ...others].map(({ message }) => message).join('. ');
    throw new OperationError(
      fault.code,
      `The update was not attempted: '${read.name}', which reads what is there, does not take these identifiers. ${faults}`,
      { operation: operation.name, read_operation: read.name, param_name: fault.param },
    );
  }
  return { operation: read, arguments: args, caller, cancellation };
}

/** The gateway's own fault, in the words that its operator needs. */
export function brokenCuration(operation: Operation, key: string, problem: string): OperationError {
  const { name, tool, upstream } = operation;
  return new OperationError(
    'INTERNAL_ERROR',
    `Internal error: '${name} was not attempted: ${key} of its curation ${problem}. An operator must correct it for ${tool} of upstream ${upstream}'`,
    { operation: name, upstream, setting: key, retryable: false, outcome: 'not_run' },
  );
}

function pairParameters(update: Operation, read: Operation, { identifiers = {} }: MergeRule): readonly Pair[] {
  const { byName } = parameterScope(update);
  const names = new Map(Object.entries(identifiers));
  const pairs = read.parameters.map((parameter): Pair => {
    const declared = names.get(parameter.name) ?? names.get(parameter.upstreamName);
    if (declared !== undefined) return { read: parameter, update: byName.get(declared) };
    const namesake = byName.get(parameter.name) ?? byName.get(parameter.upstreamName);
    return { read: parameter, update: namesake?.place === 'params' ? namesake : undefined };
  });
  const unfilled = pairs
    .filter((pair) => pair.read.required && pair.update === undefined)
    .map((pair) => pair.read.name);
  if (unfilled.length === 0) return pairs;
  throw brokenCuration(update, 'merge.identifiers', `does not say what ${unfilled.join(', ')} of ${read.name} is`);
}

function collectIdentifiers({ arguments: args }: HandlerCall, pairs: readonly Pair[]): JsonObject {
  return Object.fromEntries(
    pairs.flatMap(({ read, update }): readonly [string, unknown][] => {
      if (update === undefined || !Object.hasOwn(args, update.upstreamName)) return [];
      const value = args[update.upstreamName];
      // A read of many is asked for one.
      const isOneOfMany = read.schema['type'] === 'array' && !Array.isArray(value);
      return [[read.upstreamName, isOneOfMany ? [value] : value]];
    }),
  );
}
