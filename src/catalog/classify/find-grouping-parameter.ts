import type { Category } from '../../protocol/category.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { type Effect, leadingCategory } from './effects.js';
import { readName } from './read-name.js';
import { type ParameterFacts, readParameters } from './read-parameters.js';
import { splitWords } from './split-words.js';
import { LEXICON } from './verbs.js';

/** An enum parameter that chooses what its tool does. */
export interface GroupingParameter {
  /** In the upstream's spelling. */
  readonly parameter: string;
  /** All its values, in the upstream's spelling and order. */
  readonly values: readonly string[];
  /** Whether it may be nothing else. */
  readonly closed: boolean;
}

/** Parameters that are there to choose; any other must hold nothing but verbs and be required. */
const SELECTORS = new Set(
  'action actions method mode operation op command cmd verb task function subcommand sub_command act do'.split(' '),
);
const SELECTOR_ENDINGS = /_(?:action|operation|command|verb)$|^(?:action|operation|command)_(?:type|name)$/;
const HTTP_METHOD =
  /^(?:get|head|post|put|patch|delete|options|trace|connect|copy|link|unlink|purge|lock|unlock|view|propfind)$/i;

/** The effect that the words of a grouping parameter's value name; undefined where they name none. */
export function effectOfValue(value: string): Effect | undefined {
  const words = splitWords(value);
  if (words.length === 1 && words[0] === 'new') return 'create';
  return readName(words, new Set(words)).find((match) => match.role !== 'aside')?.effect;
}

/**
 * The parameter whose value decides what the tool does: an enum (or union of constants) of verbs that differ in effect,
 * at least one of them a write. HTTP methods do not count, as they describe a request rather than the tool.
 * Returns null where there is none.
 */
export function findGroupingParameter(tool: RawTool): GroupingParameter | null {
  const found = known.get(tool) ?? searchParameters(tool);
  known.set(tool, found);
  return found.grouping;
}

/** Tools do not change, and several questions are put to each of them. */
const known = new WeakMap<RawTool, { readonly grouping: GroupingParameter | null }>();

function searchParameters(tool: RawTool): { readonly grouping: GroupingParameter | null } {
  const grouping = readParameters(tool).filter(isGrouping);
  const best = grouping.find((parameter) => isSelector(parameter.key)) ?? grouping[0];
  if (best === undefined) return { grouping: null };
  return { grouping: { parameter: best.name, values: best.values, closed: best.closed } };
}

function isSelector(key: string): boolean {
  return SELECTORS.has(key) || SELECTOR_ENDINGS.test(key);
}

function isGrouping(parameter: ParameterFacts): boolean {
  const { key, values, required } = parameter;
  if (values.length < 2 || values.every((value) => HTTP_METHOD.test(value) && value === value.toUpperCase()))
    return false;
  const effects = values.map(effectOfValue).filter((effect) => effect !== undefined);
  const enough = isSelector(key) ? effects.length * 2 > values.length : required && values.every(leadsWithVerb);
  return enough && differ(effects, isSelector(key));
}

/** Whether a value cannot be read as a noun: `insert_content`, but neither `comment` nor `loadOptions`. */
function leadsWithVerb(value: string): boolean {
  return LEXICON.get(splitWords(value)[0] ?? '')?.nounness === 'never';
}

/** At least one write, and more than one deed: a selector of verbs always offers several. */
function differ(effects: readonly Effect[], selector: boolean): boolean {
  const categories = new Set<Category>(effects.map(leadingCategory));
  const writes = [...categories].some((category) => category !== 'READ');
  return writes && (selector || categories.size > 1 || new Set(effects).size > 1);
}
