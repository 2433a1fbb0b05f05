import { isJsonObject, type JsonObject, type JsonSchema } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { followReference } from '../schema/local-reference.js';
import { readObjectFields } from '../schema/object-fields.js';
import { splitWords } from './split-words.js';

/** Unions within unions nested deeper are nobody's honest schema. */
const MAX_DEPTH = 16;

/** One top-level parameter, as far as classification cares. */
export interface ParameterFacts {
  readonly name: string;
  /** The name in lower case, its words joined by underscores: `dryRun` and `dry-run` are `dry_run`. */
  readonly key: string;
  readonly words: readonly string[];
  readonly boolean: boolean;
  readonly text: boolean;
  readonly required: boolean;
  /** The string constants it may be; empty where it is free. */
  readonly values: readonly string[];
  /** Whether it may be nothing but one of `values` (or null, which means none). */
  readonly closed: boolean;
}

/** The top-level parameters of a tool, references and compositions followed; malformed schemas have none. */
export function readParameters(tool: RawTool): readonly ParameterFacts[] {
  const schema = tool['inputSchema'];
  if (!isJsonObject(schema)) return [];
  return readObjectFields(schema, schema).map(({ name, schema: property, required }) => {
    const words = splitWords(name);
    const types = typesOf(property);
    const constants = readConstants(property, schema);
    return {
      name,
      key: words.join('_'),
      words,
      boolean: types.has('boolean'),
      text: types.size === 0 || types.has('string'),
      required,
      values: [...new Set(constants.filter((value) => typeof value === 'string'))],
      closed: constants.every((value) => typeof value === 'string' || value === null),
    };
  });
}

/** Stands among a schema's constants for whatever else it allows. */
const ANYTHING = Symbol('anything');

/** What a schema says for sure of the values it allows: an `enum`, a `const`, null, or a union of those. */
function readConstants(schema: JsonSchema, root: JsonSchema, depth = 0): readonly unknown[] {
  const source = followReference(schema, root);
  if (source === undefined || depth > MAX_DEPTH) return [ANYTHING];
  if (Array.isArray(source['enum'])) return source['enum'];
  if ('const' in source) return [source['const']];
  if (source['type'] === 'null') return [null];
  const read = (part: unknown): readonly unknown[] =>
    isJsonObject(part) ? readConstants(part, root, depth + 1) : [ANYTHING];
  const union = branches(source);
  if (union.length > 0) return union.flatMap(read);
  // Of several that must all hold, one that is a list of constants is enough.
  const narrowing = listOf(source['allOf']).map(read);
  return narrowing.find((constants) => !constants.includes(ANYTHING)) ?? [ANYTHING, ...narrowing.flat()];
}

function branches(schema: JsonObject): readonly unknown[] {
  return [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function typesOf(schema: unknown): ReadonlySet<string> {
  if (!isJsonObject(schema)) return new Set();
  const type = schema['type'];
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  return new Set(branches(schema).flatMap((branch) => [...typesOf(branch)]));
}
