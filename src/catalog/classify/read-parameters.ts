import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { splitWords } from './split-words.js';

/** One top-level parameter, as far as classification cares. */
export interface ParameterFacts {
  readonly name: string;
  /** The name in lower case, its words joined by underscores: `dryRun` and `dry-run` are `dry_run`. */
  readonly key: string;
  readonly words: readonly string[];
  readonly boolean: boolean;
  readonly text: boolean;
  readonly required: boolean;
  /** The string values it is limited to; empty where it is free. */
  readonly values: readonly string[];
}

/** The top-level parameters of a tool; malformed schemas have none. */
export function readParameters(tool: RawTool): readonly ParameterFacts[] {
  const schema = tool['inputSchema'];
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, property]) => {
    const words = splitWords(name);
    const types = typesOf(property);
    return {
      name,
      key: words.join('_'),
      words,
      boolean: types.has('boolean'),
      text: types.size === 0 || types.has('string'),
      required: required.includes(name),
      values: isJsonObject(property) ? readValues(property) : [],
    };
  });
}

/** The string constants a schema allows: an `enum`, a `const`, or a union of those. */
export function readValues(schema: JsonObject): readonly string[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].filter((value) => typeof value === 'string');
  if (typeof schema['const'] === 'string') return [schema['const']];
  return branches(schema).flatMap((branch) => (isJsonObject(branch) ? readValues(branch) : []));
}

function branches(schema: JsonObject): readonly unknown[] {
  const unions = [schema['anyOf'], schema['oneOf']];
  return unions.flatMap((union) => (Array.isArray(union) ? union : []));
}

function typesOf(schema: unknown): ReadonlySet<string> {
  if (!isJsonObject(schema)) return new Set();
  const type = schema['type'];
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  return new Set(branches(schema).flatMap((branch) => [...typesOf(branch)]));
}
