import { CATEGORY_PERMISSIONS, type Category } from '../protocol/category.js';
import type { JsonSchema } from '../protocol/json.js';
import type { ToolDefinition } from './endpoint-plan.js';

/**
 * The request of specification 4.1, or a batch of them (operations document, 7.1). Never an enum of names: registration must
 * stay flat whatever stands behind it. Nothing is required, since a batch has no `operation`, and model APIs refuse
 * alternatives at the top of a schema.
 */
const REQUEST_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    operation: { type: 'string' },
    params: { type: 'object' },
    operations: { type: 'array' },
  },
};

/** Makes an MCP tool whose annotations are those of the riskiest category that it reaches. */
export function defineTool(
  name: string,
  title: string,
  description: string,
  categories: Iterable<Category>,
): ToolDefinition {
  const permissions = [...categories].map((category) => CATEGORY_PERMISSIONS[category]);
  const readOnly = permissions.every((permission) => permission.readOnly);
  return {
    name,
    title,
    description,
    inputSchema: REQUEST_SCHEMA,
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: permissions.some((permission) => permission.destructive),
      idempotentHint: readOnly,
      openWorldHint: true,
    },
  };
}
