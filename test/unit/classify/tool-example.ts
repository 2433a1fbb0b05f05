import type { JsonObject } from '../../../src/base/json/json.js';
import { toSnakeCase } from '../../../src/base/lib/names.js';
import type { ClassificationInput } from '../../../src/classify/facts.js';

/** The properties of a tool that a test sets; all others have plain defaults. */
export interface ToolExample extends Partial<Omit<ClassificationInput, 'tool' | 'upstream'>> {
  readonly trust?: ClassificationInput['upstream']['trust'];
  readonly slug?: string;
  readonly title?: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly required?: readonly string[];
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** A classification input for a tool of the given name. */
export function exampleInput(toolName: string, example: ToolExample = {}): ClassificationInput {
  const { trust, slug, title, description, parameters, required, outputSchema, annotations, ...rest } = example;
  const tool: JsonObject = { name: toolName, inputSchema: { type: 'object', properties: parameters, required } };
  for (const [key, value] of Object.entries({ title, description, outputSchema, annotations })) {
    if (value !== undefined) tool[key] = value;
  }
  return {
    tool,
    name: toSnakeCase(toolName),
    upstream: { slug: slug ?? 'shop', trust: trust ?? 'validated' },
    curation: {},
    ignoreAnnotations: false,
    ...rest,
  };
}

export const flag = { type: 'boolean' } as const;
export const text = { type: 'string' } as const;
export const choice = (...values: readonly string[]): JsonObject => ({ type: 'string', enum: values });
