import { digest } from '../lib/canonical-json.js';
import type { HandlerCall } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';

/** An operation never changes, and every cached call asks. */
const definitions = new WeakMap<Operation, string>();

/**
 * Equal for calls that ask the same of the same: the order of members does not count, nor does a catalog that was built again
 * from the same definition. Who asks does not count either: upstreams see the gateway alone.
 */
export function questionKey({ operation, arguments: args }: HandlerCall): string {
  return `${operation.qualifiedName} ${definitionOf(operation)} ${digest(args)}`;
}

function definitionOf(operation: Operation): string {
  const known = definitions.get(operation);
  if (known !== undefined) return known;
  const { tool, description, inputSchema, outputSchema, fixedArguments, cacheSeconds } = operation;
  const definition = digest({ tool, description, inputSchema, outputSchema, fixedArguments, cacheSeconds });
  definitions.set(operation, definition);
  return definition;
}
