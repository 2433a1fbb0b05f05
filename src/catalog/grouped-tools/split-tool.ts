import { isJsonObject } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { classifyTool } from '../../classify/classify-tool.js';
import { readTool, type ToolReading } from '../../classify/facts.js';
import { readDescription } from '../../classify/text/read-description.js';
import { LEXICON } from '../../classify/words/lexicon.js';

/** One thing that a grouped tool does. */
interface SplitValue {
  /** As the upstream spells it. */
  readonly value: string;
  readonly name: string;
}

/** How a grouped tool is split. */
export interface ToolSplit {
  /** The parameter that chooses, in the upstream's spelling. */
  readonly parameter: string;
  readonly values: readonly SplitValue[];
  /** Whether the values differ in category or danger; such a tool is better split. */
  readonly differs: boolean;
}

/** An enumeration longer than this is a vocabulary, not a choice of actions. */
const MAX_VALUES = 50;

/**
 * Parameters that are read for all values together, as each value is judged with all parameters. The most that a tool of 63 public servers
 * has are some thousand; a definition of 128,000 characters could have half a million.
 */
const MOST_READ = 50_000;

/**
 * The operations that a tool's grouping parameter makes of it; null where it has none, or where the parameter takes other
 * values too, which no operation would reach. The author's hints and the operator's declarations do not count: they may change,
 * and names must not change with them.
 */
export function splitTool(tool: RawTool, read = () => readTool(tool)): ToolSplit | null {
  try {
    return readSplit(tool, read());
  } catch {
    // A definition that cannot be read stays whole; `createOperation` reports it.
    return null;
  }
}

function readSplit(tool: RawTool, reading: ToolReading): ToolSplit | null {
  const { grouping } = reading;
  if (grouping === null || !grouping.closed || grouping.values.length > MAX_VALUES) return null;
  const { parameter, values } = grouping;
  if (values.length * countParameters(tool) > MOST_READ) return null;
  const names = nameValues(tool, values);
  const effects = new Set<string>();
  for (const [index, value] of values.entries())
    effects.add(effectOf(tool, reading, { parameter, value }, names[index] ?? value));
  return {
    parameter,
    values: values.map((value, index) => ({ value, name: names[index] ?? toSnakeCase(value) })),
    differs: effects.size > 1,
  };
}

/** The parameters that a tool's schema names. */
export function countParameters({ inputSchema }: RawTool): number {
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties).length : 0;
}

function effectOf(
  tool: RawTool,
  reading: ToolReading,
  groupValue: { readonly parameter: string; readonly value: string },
  name: string,
): string {
  const { category, danger } = classifyTool({
    tool,
    name,
    upstream: { slug: '', trust: 'untested' },
    curation: {},
    ignoreAnnotations: true,
    groupValue,
    reading,
  });
  return `${category} ${danger.level}`;
}

/** Words of a tool's name that only say that it does several things. */
const BUNDLING = new Set(
  'write read manage management edit modify change update handle control operate administer admin crud mutate action actions operation operations ops'.split(
    ' ',
  ),
);

const CONNECTIVES = new Set(['and', 'or']);

/** A value as an action: its verb, and its object where the value names one. */
interface Action {
  readonly verb: string;
  readonly object: readonly string[];
}

/**
 * The operations' names, one per value: verb first, then the resource from the tool's name (`issue_write` with `create` is
 * `create_issue`). Where all values are whole names already (`run_pipeline`, `getRows`) they stay; in a mixed enumeration
 * their objects are parts of the resource (`update_reviewers` beside `update`), and so is an object that says nothing alone
 * (`update_content`). A value without a verb follows the tool's name.
 */
export function nameValues(tool: RawTool, values: readonly string[]): readonly string[] {
  const actions = values.map(readAction);
  if (actions.every(isWholeName)) {
    return actions.map(({ verb, object }) => joinWords([verb, ...object]));
  }
  const resource = findResource(tool);
  return actions.map((action, index) =>
    action === undefined ? nameBehindTool(tool, values[index] ?? '') : joinWords(withResource(action, resource)),
  );
}

/** Words for what everything has; alone they do not say of what. */
const PARTS = new Set(
  'content contents text body data value values item items element elements entry entries range'.split(' '),
);

function isWholeName(action: Action | undefined): action is Action {
  return action?.object.some((word) => !PARTS.has(word)) === true;
}

/** The tool's name with the value behind it: for values without a verb, and for those whose shorter name is taken. */
export function nameBehindTool(tool: RawTool, value: string): string {
  return joinWords([toSnakeCase(String(tool['name'])), toSnakeCase(value, 'value')]);
}

/** The verb begins the value, or ends it as in `issue-create`. */
function readAction(value: string): Action | undefined {
  const words = toSnakeCase(value, 'value').split('_');
  const [first = '', ...rest] = words;
  if (LEXICON.has(first) || first === 'new') return { verb: first, object: rest };
  const last = words.at(-1) ?? '';
  return isSureVerb(last) ? { verb: last, object: words.slice(0, -1) } : undefined;
}

/** A tool's name without its verbs; the whole name where nothing would be left. */
function findResource(tool: RawTool): readonly string[] {
  const words = toSnakeCase(String(tool['name'])).split('_');
  const object = words.findLastIndex((word) => !BUNDLING.has(word) && !isSureVerb(word));
  const nouns = words.filter((word, index) => !BUNDLING.has(word) && !(index < object && isSureVerb(word)));
  const kept = nouns.length === words.length && leadsDescription(tool, words) ? words.slice(1) : nouns;
  const resource = kept.filter((word) => !CONNECTIVES.has(word));
  return resource.length > 0 ? resource : words;
}

/** A word that is never a noun. `findResource` keeps it where no object follows (`git_rebase`, `item_link_write`). */
function isSureVerb(word: string): boolean {
  return LEXICON.get(word)?.nounness === 'never';
}

/** A first word that can be a noun is the verb where the description begins with it: `review_pull_request`. */
function leadsDescription({ description }: RawTool, words: readonly string[]): boolean {
  const [first] = readDescription(typeof description === 'string' ? description : '', new Set(words)).matches;
  return words.length > 1 && first?.role === 'head' && first.word === words[0];
}

function withResource({ verb, object }: Action, resource: readonly string[]): readonly string[] {
  const place = endsWith(resource, object) ? resource.slice(0, resource.length - object.length) : resource;
  // `link` of a link is not named `link_link`.
  const named = place.length > 1 && place.at(-1) === verb ? place.slice(0, -1) : place;
  return [verb, ...named, ...object];
}

/** Whether the words end with the given ones; singular and plural are equal. */
function endsWith(words: readonly string[], ending: readonly string[]): boolean {
  const tail = words.slice(words.length - ending.length);
  return ending.length <= words.length && ending.every((word, index) => singular(word) === singular(tail[index] ?? ''));
}

function singular(word: string): string {
  return word.replace(/(?<=..)s$/, '');
}

function joinWords(words: readonly string[]): string {
  return toSnakeCase(words.join('_'));
}
