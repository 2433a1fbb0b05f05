import type { JsonSchema } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { narrowSchema } from './narrow-schema.js';

/** An operation's input schema as callers may see it: without the arguments that it fixes. */
export function shownInputSchema({ inputSchema, fixedArguments = {} }: Operation): JsonSchema {
  return Object.entries(fixedArguments).reduce(
    (schema, [parameter, value]) => narrowSchema(schema, { parameter, value }),
    inputSchema,
  );
}
