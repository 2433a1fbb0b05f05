import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isSensitiveName, toSnakeCase } from '../../base/lib/names.js';
import type { Operation, Parameter } from '../../base/protocol/operation.js';

/**
 * Parameters as an example may show them: `<name>` stands for every secret, as transcripts keep answers, and for what was made up.
 * It is told from a value by who reads it, and few servers take it for one.
 */
export function withPlaceholders(
  operation: Operation,
  params: JsonObject,
  isMadeUp: (parameter: Parameter) => boolean = () => false,
): JsonObject {
  const { byName, hasInput } = operation.scope;
  const members = Object.entries(params).map(([key, value]) => {
    if (key === 'input' && hasInput && isJsonObject(value)) return [key, withPlaceholders(operation, value, isMadeUp)];
    const parameter = byName.get(key);
    return [key, parameter === undefined ? value : replace(value, key, operation, isMadeUp(parameter))];
  });
  return Object.fromEntries(members);
}

function replace(value: unknown, name: string, operation: Operation, isMadeUp: boolean): unknown {
  if (isSecret(name, operation)) return `<${name}>`;
  if (Array.isArray(value)) return value.map((item) => replace(item, name, operation, isMadeUp));
  if (!isJsonObject(value)) return isMadeUp ? `<${name}>` : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replace(member, key, operation, isMadeUp)]),
  );
}

function isSecret(name: string, { sensitive = [], scope }: Operation): boolean {
  const upstreamName = scope.byName.get(name)?.upstreamName ?? name;
  return isSensitiveName(toSnakeCase(name)) || sensitive.includes(upstreamName) || sensitive.includes('*');
}
