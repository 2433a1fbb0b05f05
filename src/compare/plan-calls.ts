import { isDeepStrictEqual } from 'node:util';
import { bindArguments } from '../catalog/arguments/bind-arguments.js';
import { findValidExample } from '../catalog/arguments/example-params.js';
import type { OfferedOperation, PlannedCall } from './comparison.js';

/** Calls that only read, as classification understands each tool, with arguments that its schema takes. */
export function planCalls(operations: readonly OfferedOperation[]): readonly PlannedCall[] {
  return operations.flatMap(({ operation }): readonly PlannedCall[] => {
    const { category, danger } = operation.classification;
    if (category !== 'READ' || danger.level !== 'safe') return [];
    const params = findValidExample(operation);
    const bound = params === undefined ? undefined : bindArguments(operation, params);
    return bound?.ok === true ? [{ tool: operation.tool, arguments: bound.arguments }] : [];
  });
}

/** The same call by the names of the gateway; undefined where no operation takes it. */
export function operationFor(operations: readonly OfferedOperation[], call: PlannedCall): PlannedCall | undefined {
  for (const { operation, tool } of operations) {
    if (operation.tool !== call.tool) continue;
    const params = Object.fromEntries(
      Object.entries(call.arguments).filter(([name]) => operation.fixedArguments?.[name] === undefined),
    );
    const bound = bindArguments(operation, params);
    if (bound.ok && isDeepStrictEqual(bound.arguments, call.arguments))
      return { tool, arguments: { operation: operation.name, params } };
  }
  return undefined;
}
