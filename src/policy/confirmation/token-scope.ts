import { digest } from '../../protocol/canonical-json.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import type { TokenScope } from './confirmation-tokens.js';

/** An operation never changes, and each question and answer asks for its digest. */
const definitions = new WeakMap<Operation, string>();

/**
 * What a token for this call is good for.
 *
 * The specification binds a token to the critical parameters and leaves open which those are. Here all of them are: a
 * parameter that looks harmless (`dry_run`, `limit`, `recursive`) may decide how much is destroyed, and whoever confirmed has
 * seen them all.
 *
 * @param args the bound arguments in the upstream's spelling, so that both spellings of a parameter are one
 */
export function scopeOf(operation: Operation, args: JsonObject): TokenScope {
  return {
    operation: operation.qualifiedName,
    upstream: operation.upstream,
    definition: definitionOf(operation),
    parameters: digest(args),
  };
}

/** Whether both are what a person was told, and mean the same by their arguments. */
export function isSameDefinition(one: Operation, other: Operation): boolean {
  return one === other || definitionOf(one) === definitionOf(other);
}

/** Digest of what the person was told that the operation is, and of what its arguments mean. */
function definitionOf(operation: Operation): string {
  const known = definitions.get(operation);
  if (known !== undefined) return known;
  const { qualifiedName, tool, description, inputSchema, fixedArguments, classification } = operation;
  const danger = classification.danger.level;
  const definition = digest({ qualifiedName, tool, description, inputSchema, fixedArguments, danger });
  definitions.set(operation, definition);
  return definition;
}
