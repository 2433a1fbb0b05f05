import type { JsonSchema } from '../protocol/json.js';
import type { Parameter } from '../protocol/operation.js';
import { toSnakeCase } from '../protocol/snake-case.js';
import { readObjectFields } from './schema/object-fields.js';
import { assignUniqueNames } from './unique-names.js';

export interface ReadParameters {
  /** In the schema's order, all in place `params`. */
  readonly parameters: readonly Parameter[];
  /** Parameters whose canonical name needed a number because another's spelling comes to the same. */
  readonly suffixed: readonly Parameter[];
}

/**
 * The parameters that a tool's input schema describes, with their canonical names (specification 4.3).
 *
 * @param root what `$ref`s resolve against, where the schema is made from a part of another
 */
export function readParameters(inputSchema: JsonSchema, root: JsonSchema = inputSchema): ReadParameters {
  const fields = readObjectFields(inputSchema, root);
  const claims = fields.map(({ name: key }) => {
    const base = toSnakeCase(key, 'param');
    return { key, base, rank: base === key ? 0 : 1 };
  });
  const names = assignUniqueNames(claims);
  const parameters = fields.map(
    ({ name: upstreamName, schema, required }): Parameter => ({
      name: names.get(upstreamName) ?? upstreamName,
      upstreamName,
      place: 'params',
      required,
      schema,
    }),
  );
  return { parameters, suffixed: parameters.filter(({ name }, index) => name !== claims[index]?.base) };
}
