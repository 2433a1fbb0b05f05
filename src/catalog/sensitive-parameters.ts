import { isJsonObject, type JsonSchema } from '../protocol/json.js';
import type { Parameter } from '../protocol/operation.js';
import { followReference } from './schema/local-reference.js';

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * The parameters, in the upstream's spelling, whose values are secret: those that the operator names in either spelling, and
 * those whose schema says `writeOnly` or `format: password`, be it in one alternative or of each element.
 *
 * @param declared the operator's names; one that no parameter has counts too where unknown parameters are let through
 * @param root what `$ref`s resolve against
 */
export function findSensitiveParameters(
  parameters: readonly Parameter[],
  declared: readonly string[],
  { root, strict }: { readonly root: JsonSchema; readonly strict: boolean },
): readonly string[] {
  const described = parameters.filter(
    ({ name, upstreamName, schema }) =>
      declared.includes(name) || declared.includes(upstreamName) || isSecret(schema, root, new Set()),
  );
  const known = new Set(parameters.flatMap(({ name, upstreamName }) => [name, upstreamName]));
  const passed = strict ? [] : declared.filter((name) => !known.has(name));
  return [...new Set([...described.map(({ upstreamName }) => upstreamName), ...passed])];
}

/** `seen` ends recursion, and visits every schema once however often it is referred to. */
function isSecret(schema: JsonSchema, root: JsonSchema, seen: Set<JsonSchema>): boolean {
  const target = followReference(schema, root) ?? schema;
  if (seen.has(target)) return false;
  seen.add(target);
  // Keywords beside a `$ref` count too.
  if ([schema, target].some(saysSecret)) return true;
  const parts = [target['items'], ...ALTERNATIVES.flatMap((keyword) => target[keyword])];
  return parts.some((part) => isJsonObject(part) && isSecret(part, root, seen));
}

function saysSecret(schema: JsonSchema): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}
