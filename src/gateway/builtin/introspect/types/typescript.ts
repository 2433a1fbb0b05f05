import type { JsonSchema } from '../../../../base/json/json.js';
import { cleanName } from '../../../../base/lib/text.js';
import type { Operation } from '../../../../base/protocol/operation.js';
import { type ObjectField, readSchema } from '../../../../schema/schema-shape.js';

/** What lies deeper is `unknown`, and so is what does not fit. */
const DEEPEST = 8;
const LONGEST = 4_000;
const MOST_BRANCHES = 8;

/** Words that are no identifiers are quoted. */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * A call of an operation within a program, as TypeScript: `aql.read("get_issue", params: {id: number}): Promise<{title: string}>`.
 * @param family by whose name programs call it
 */
export function writeSignature(operation: Operation, family: string): string {
  const { name, parameters, inputSchema, outputSchema, strict } = operation;
  const writer = new TypeWriter();
  const fieldsOf = (place: 'params' | 'input') =>
    parameters
      .filter((parameter) => parameter.place === place)
      .map((parameter) => ({ name: parameter.name, schema: parameter.schema, required: parameter.required }));
  const input = fieldsOf('input');
  const inside = [
    ...(input.length === 0 ? [] : [`input: ${writer.members(input, inputSchema, 1)}`]),
    ...(strict ? [] : ['[further: string]: unknown']),
  ];
  const params = writer.members(fieldsOf('params'), inputSchema, 1, inside);
  const answer = outputSchema === undefined ? 'unknown' : writer.type(outputSchema, outputSchema, 1);
  return `aql.${family}(${JSON.stringify(name)}, params: ${params}): Promise<${answer}>`;
}

/** Writes types until they are too long together. */
class TypeWriter {
  #left = LONGEST;

  type(schema: JsonSchema, root: JsonSchema, depth: number): string {
    if (depth > DEEPEST || this.#left <= 0) return 'unknown';
    const { shape, nullable } = readSchema(schema, root);
    const text = this.#shape(shape, root, depth);
    this.#left -= text.length;
    return nullable ? `${text} | null` : text;
  }

  members(fields: readonly ObjectField[], root: JsonSchema, depth: number, more: readonly string[] = []): string {
    const written = fields.map(({ name, schema, required }) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(cleanName(name));
      return `${key}${required ? '' : '?'}: ${this.type(schema, root, depth + 1)}`;
    });
    return `{${[...written, ...more].join(', ')}}`;
  }

  #shape(shape: ReturnType<typeof readSchema>['shape'], root: JsonSchema, depth: number): string {
    switch (shape.kind) {
      case 'object':
        return this.members(shape.fields, root, depth);
      case 'map':
        return `Record<string, ${shape.values === undefined ? 'unknown' : this.type(shape.values, root, depth + 1)}>`;
      case 'array':
        return `Array<${shape.items === undefined ? 'unknown' : this.type(shape.items, root, depth + 1)}>`;
      case 'union':
        return shape.branches
          .slice(0, MOST_BRANCHES)
          .map((branch) => this.type(branch, root, depth + 1))
          .join(' | ');
      case 'scalar':
        if (shape.values !== undefined) return literals(shape.values);
        return SCALARS[shape.type] ?? 'unknown';
    }
  }
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const MOST_VALUES = 20;

function literals(values: readonly unknown[]): string {
  const texts = values.slice(0, MOST_VALUES).map((value) => JSON.stringify(value));
  return values.length > MOST_VALUES ? `${texts.join(' | ')} | unknown` : texts.join(' | ');
}
