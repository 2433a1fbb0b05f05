import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { rememberTexts } from '../base/lib/remember.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { MOST_VALUES, readConstants, typesOf } from './facts.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

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

/** Names that say what a field holds, and words of names and descriptions that say nothing, or that it may be run. */
const SAYING_NOTHING = wordList('telling-nothing');
const TELLING = new Set([
  ...[...wordList('beside-what-runs')].filter((word) => !SAYING_NOTHING.has(word)),
  ...wordList('telling-names'),
]);
const PERHAPS_RUN = new Set([...wordList('perhaps-run'), ...wordList('language-names')]);

/** Whether a name alone says what a field holds, and that it is no text that is run. */
export const tellsByName = rememberTexts((name): boolean => TELLING.has(splitWords(name).at(-1) ?? ''));

/** The fields that a tool lists, by their paths, and whether it says of them what they hold: others may hold anything. */
export const toldFields = oncePer(
  (root: JsonSchema): ReadonlyMap<string, boolean> =>
    new Map(readArgumentFields(root).map(({ path, description }) => [path.join('\n'), tells(description)])),
);

/** What is said of a field that only selects which entries are shown. */
export const FILTERS =
  /\bfilter|\bonly (?:return|show|include|list)|\brestrict|\bnarrow|\bmatching\b|\bto (?:search|look) for\b/i;

function tells(description: string): boolean {
  if (FILTERS.test(description)) return true;
  const words = splitWords(/^[^.\n]*/.exec(description.slice(0, 400))?.[0] ?? '');
  return words.some((word) => !SAYING_NOTHING.has(word)) && !words.some((word) => PERHAPS_RUN.has(word));
}
