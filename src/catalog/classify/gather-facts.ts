import type { Category } from '../../protocol/category.js';
import { type DangerLevel, dangerRank, type TrustLevel } from '../../protocol/danger.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { EFFECTS, writeShare } from './effects.js';
import { effectOfValue, findGroupingParameter, type GroupingParameter } from './find-grouping-parameter.js';
import { type DescriptionReading, readDescription } from './read-description.js';
import { type NameHint, type NameMatch, readName } from './read-name.js';
import { type ParameterFacts, readParameters } from './read-parameters.js';
import { splitWords } from './split-words.js';

/** What is known of a tool before it is judged. */
export interface ClassificationInput {
  readonly tool: RawTool;
  /** The operation's name in snake_case: what the specification's danger patterns are held against. */
  readonly name: string;
  readonly upstream: { readonly slug: string; readonly trust: TrustLevel };
  /** What the operator declares; it beats all evidence. */
  readonly curation: { readonly category?: Category; readonly danger?: DangerLevel };
  /** Judge by name, texts and schemas alone. */
  readonly ignoreAnnotations: boolean;
  /** One value of a grouping parameter: classify what the tool does with it. */
  readonly groupValue?: { readonly parameter: string; readonly value: string };
}

/** Everything the rules look at, read once. */
export interface ToolFacts {
  readonly input: ClassificationInput;
  /** Words of the name (or of the group value), the upstream's own slug taken off the front. */
  readonly words: readonly string[];
  readonly name: readonly NameMatch[];
  readonly title: readonly NameMatch[];
  readonly descriptionText: string;
  readonly description: DescriptionReading;
  readonly parameters: readonly ParameterFacts[];
  readonly outputKeys: readonly string[];
  /** Empty where annotations are missing or ignored. */
  readonly annotations: JsonObject;
  /** The parameter that chooses the effect, unless one of its values was given. */
  readonly grouping: GroupingParameter | null;
}

/** The first words of the main sentence, its verb and object, settle the sense of the name's verb too. */
const OBJECT_WORDS = 10;

const NOTHING: DescriptionReading = { matches: [], main: '' };

/** Reads a tool into facts; anything malformed counts as missing. */
export function gatherFacts(input: ClassificationInput): ToolFacts {
  const { tool } = input;
  const words = nameWords(input);
  const valueWords = input.groupValue === undefined ? undefined : splitWords(input.groupValue.value);
  const value = valueWords === undefined ? [] : readName(valueWords, new Set([...valueWords, ...words]));
  if (input.groupValue !== undefined && value.length === 0) return gatherFacts(asWhole(input));
  const text = textOf(tool['description']);
  const byValue = value.length > 0;
  // A grouped tool's description tells of all its values, so one value is judged by its own words where they say enough.
  const description = byValue ? NOTHING : readDescription(text, new Set(words));
  const context = new Set([...words, ...description.main.toLowerCase().split(/[^a-z]+/, OBJECT_WORDS)]);
  const hint = description.matches[0];
  return {
    input,
    words: byValue && valueWords !== undefined ? valueWords : words,
    name: byValue ? value : readName(words, context, hint),
    title: byValue ? [] : readTitle(tool, context, hint),
    descriptionText: text,
    description,
    parameters: readParameters(tool),
    outputKeys: readOutputKeys(tool),
    annotations: readAnnotations(input, value),
    grouping: input.groupValue === undefined ? findGroupingParameter(tool) : null,
  };
}

/** A value whose words name no deed may do whatever the tool may: it is judged like the tool that nobody split. */
function asWhole({ groupValue: _silent, ...input }: ClassificationInput): ClassificationInput {
  return input;
}

/**
 * What the author says of the tool. Of one value of a grouped tool it says less: "not read-only" holds as soon as any value
 * writes, and "destructive" is explained where another value destroys by its own words. What nothing explains stays.
 */
function readAnnotations(
  { tool, ignoreAnnotations, groupValue }: ClassificationInput,
  value: readonly NameMatch[],
): JsonObject {
  if (ignoreAnnotations || !isJsonObject(tool['annotations'])) return {};
  const hints = tool['annotations'];
  if (groupValue === undefined) return hints;
  const { readOnlyHint, destructiveHint, ...rest } = hints;
  const others = (findGroupingParameter(tool)?.values ?? []).filter((other) => other !== groupValue.value);
  const reads = value.every(({ effect }) => writeShare(effect) === 0);
  return {
    ...rest,
    ...(readOnlyHint === true && { readOnlyHint }),
    ...(destructiveHint === true && !reads && !others.some(destroys) && { destructiveHint }),
  };
}

function destroys(value: string): boolean {
  const effect = effectOfValue(value);
  return effect !== undefined && dangerRank(EFFECTS[effect].danger) >= dangerRank('destructive');
}

/** The tool's own spelling shows word limits that snake_case has lost; a leading slug names the server, not the deed. */
function nameWords({ tool, name, upstream }: ClassificationInput): readonly string[] {
  const words = splitWords(typeof tool['name'] === 'string' ? tool['name'] : name);
  const slug = splitWords(upstream.slug);
  const prefixed = slug.length < words.length && slug.every((word, index) => words[index] === word);
  return prefixed ? words.slice(slug.length) : words;
}

function readTitle(tool: RawTool, context: ReadonlySet<string>, hint: NameHint | undefined): readonly NameMatch[] {
  const annotations = isJsonObject(tool['annotations']) ? tool['annotations'] : {};
  const title = textOf(tool['title']) || textOf(annotations['title']);
  return title === '' ? [] : readName(splitWords(title), context, hint);
}

function readOutputKeys(tool: RawTool): readonly string[] {
  const schema = tool['outputSchema'];
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return [];
  return Object.keys(schema['properties']).map((key) => splitWords(key).join('_'));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
