import { digest } from '../lib/canonical-json.js';
import type { HandlerCall } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';

/** Memoized, because an operation never changes and every cached call needs its digest. */
const definitions = new WeakMap<Operation, string>();

/**
 * Equal for calls that ask the same: the order of members does not matter, nor does a catalog that was rebuilt from the same
 * definition. The caller does not matter either, because upstreams see only the gateway.
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
