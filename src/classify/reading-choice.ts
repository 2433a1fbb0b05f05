import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import type { RawTool } from '../base/protocol/tools.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { branches, effectOfValue, isSelector, type ParameterFacts, readConstants } from './facts.js';
import { readShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';

/** The parameter that chooses among actions which all read, of a tool that has no other; undefined where there is none. */
export function findReadingChoice(tool: RawTool, parameters: readonly ParameterFacts[]): string | undefined {
  const schema = tool['inputSchema'];
  if (!isJsonObject(schema)) return undefined;
  const reads = (value: string): boolean => {
    const effect = effectOfValue(value);
    return effect !== undefined && readShare(effect) > 0;
  };
  const chosen = parameters.find(
    ({ key, values, closed }) => isSelector(key) && closed && values.length > 0 && values.every(reads),
  );
  if (chosen !== undefined) return chosen.name;
  const inUnion = readObjectFields(schema, schema).find(({ schema: field }) => {
    const values = branches(followReference(field, schema) ?? field).map((branch) => actionOf(branch, schema));
    return values.length > 0 && values.every((value) => value !== undefined && reads(value));
  });
  return inUnion?.name;
}

/** The action that one object of a union stands for: `{operation: {const: "get-depot"}}`. */
function actionOf(branch: unknown, root: JsonSchema): string | undefined {
  if (!isJsonObject(branch)) return undefined;
  const fields = readObjectFields(followReference(branch, root) ?? branch, root);
  const chosen = fields.find(({ name }) => isSelector(splitWords(name).join('_')));
  const [value] = chosen === undefined ? [] : readConstants(chosen.schema, root);
  return typeof value === 'string' ? value : undefined;
}
