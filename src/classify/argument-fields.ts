import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { MOST_VALUES, readConstants, typesOf } from './facts.js';
import { splitWords } from './words/vocabulary.js';

/** One parameter, or one member inside it, as far as risks need it. */
export interface ArgumentField {
  readonly path: readonly string[];
  /** The name in lower case, its words joined by underscores. */
  readonly key: string;
  readonly words: readonly string[];
  readonly description: string;
  readonly boolean: boolean;
  readonly text: boolean;
  /** Whether it holds a list or an object. */
  readonly composite: boolean;
  /** The texts that it may be; empty where it is free. */
  readonly values: readonly string[];
  readonly onByDefault: boolean;
  /** Whether its own members are described. */
  readonly described: boolean;
}

/** No honest schema needs more; the rest is not looked at. */
const MOST_FIELDS = 300;
const DEEPEST = 6;

/** All described fields, members behind their parameter. */
export const readArgumentFields = oncePer((root: JsonSchema): readonly ArgumentField[] => {
  const fields: ArgumentField[] = [];
  const visit = (schema: JsonSchema, path: readonly string[]): void => {
    if (path.length >= DEEPEST) return;
    for (const { name, schema: given } of readObjectFields(schema, root)) {
      if (fields.length >= MOST_FIELDS) return;
      const property = followReference(given, root) ?? given;
      const items = isJsonObject(property['items']) ? property['items'] : undefined;
      const inside = items ?? property;
      const nested = readObjectFields(inside, root).length > 0;
      fields.push(readField([...path, name], property, items, nested, root));
      if (nested) visit(inside, [...path, name]);
    }
  };
  visit(root, []);
  return fields;
});

function readField(
  path: readonly string[],
  schema: JsonSchema,
  items: JsonSchema | undefined,
  described: boolean,
  root: JsonSchema,
): ArgumentField {
  const words = splitWords(path.at(-1) ?? '');
  const types = typesOf(schema);
  const constants = [...readConstants(schema, root), ...(items === undefined ? [] : readConstants(items, root))];
  const values = [...new Set(constants.filter((value) => typeof value === 'string'))].slice(0, MOST_VALUES);
  const yesOrNo = values.length > 0 && values.every((value) => /^(?:true|false|yes|no)$/i.test(value));
  return {
    path,
    key: words.join('_'),
    words,
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    boolean: types.has('boolean') || types.size === 0 || yesOrNo,
    text: types.has('string') || types.size === 0,
    composite: types.has('object') || types.has('array') || items !== undefined || described,
    values: yesOrNo ? [] : values,
    onByDefault: schema['default'] === true,
    described,
  };
}
