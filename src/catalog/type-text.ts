import type { JsonSchema } from '../protocol/json.js';
import { cleanName, cleanText, summarizeText } from './clean-text.js';
import type { TypeScope } from './operation-types.js';
import { quoteValue } from './schema/quote-value.js';

/** Lists of lists of lists; a list can also contain itself. */
export const MAX_NESTING = 3;

const FEW_VALUES = 8;
const FEW_BRANCHES = 4;
const FIELD_SUMMARY_LENGTH = 80;

/** Something with a name and a schema: a parameter or a field. */
export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** A type's name as `ParameterInfo` and union members have it: a JSON type, `X[]`, or a type that introspection explains. */
export function nameType(schema: JsonSchema, scope: TypeScope, nesting = 0): string {
  const { shape, source } = scope.read(schema);
  switch (shape.kind) {
    case 'scalar':
      return shape.type;
    case 'array':
      return shape.items === undefined || nesting > MAX_NESTING
        ? 'array'
        : `${nameType(shape.items, scope, nesting + 1)}[]`;
    case 'map':
      return 'object';
    case 'object':
      return scope.nameOf(source) ?? 'object';
    case 'union':
      return scope.nameOf(source) ?? 'any';
  }
}

/** A type in a few characters, its values or alternatives spelled out where they are few: `'open'|'closed'`, `string[]`. */
export function sketchType(schema: JsonSchema, scope: TypeScope): string {
  const { shape, nullable } = scope.read(schema);
  if (shape.kind === 'scalar' && shape.values !== undefined && shape.values.length <= FEW_VALUES) {
    return shape.values.map(quoteValue).join('|');
  }
  if (shape.kind === 'union' && shape.branches.length <= FEW_BRANCHES) {
    return [...new Set(shape.branches.map((branch) => nameType(branch, scope)))].join('|');
  }
  return nullable ? `${nameType(schema, scope)}|null` : nameType(schema, scope);
}

/**
 * Fields in one line: name, a star where required, type, and what each is for as long as there is room. Beyond `budget`
 * characters only the names follow, so that none is left out.
 */
export function sketchFields(fields: readonly Member[], scope: TypeScope, budget: number, explained = false): string {
  const parts: string[] = [];
  let length = 0;
  for (const field of fields) {
    const name = `${cleanName(field.name)}${field.required ? '*' : ''}`;
    const room = length < budget;
    const part = room ? `${name} (${sketchType(field.schema, scope)})${explained ? purposeOf(field) : ''}` : name;
    parts.push(part);
    length += part.length;
  }
  return parts.join(explained ? '; ' : ', ');
}

function purposeOf({ schema }: Member): string {
  const { description } = schema;
  return typeof description === 'string'
    ? `: ${summarizeText(cleanText(description), FIELD_SUMMARY_LENGTH).replace(/\.$/, '')}`
    : '';
}
