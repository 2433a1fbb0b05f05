import { isJsonObject, type JsonObject, setMember } from '../../base/json/json.js';
import type { Operation } from '../../base/protocol/operation.js';
import { bindArguments } from './bind-arguments.js';

/** A flat update's parameters in their places, and what they come to. */
interface MovedUpdate {
  readonly params: JsonObject;
  readonly bound: Extract<ReturnType<typeof bindArguments>, { readonly ok: true }>;
}

/**
 * The parameters of an update with those that it changes inside `input`, where they were given beside it: each value as it was given. Undefined
 * where that is not all that is wrong with them, or where one may have two readings.
 */
export function moveIntoInput(operation: Operation, params: JsonObject): MovedUpdate | undefined {
  const { byName, hasInput } = operation.scope;
  const { input: given = {}, ...others } = params;
  if (!hasInput || !isJsonObject(given)) return undefined;
  const beside: JsonObject = {};
  const input = { ...given };
  for (const [key, value] of Object.entries(others)) {
    const isField = byName.get(key)?.place === 'input';
    if (isField && Object.hasOwn(input, key)) return undefined;
    setMember(isField ? input : beside, key, value);
  }
  if (Object.keys(beside).length === Object.keys(others).length) return undefined;
  const moved = { ...beside, input };
  const bound = bindArguments(operation, moved);
  return bound.ok ? { params: moved, bound } : undefined;
}
