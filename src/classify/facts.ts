import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { rememberTexts } from '../base/lib/remember.js';
import {
  type Category,
  type DangerLevel,
  dangerRank,
  type Risk,
  type RowFunctions,
  type TrustLevel,
} from '../base/protocol/operation.js';
import type { RawTool } from '../base/protocol/tools.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { findForeignParameters } from './foreign-parameters.js';
import type { KnownTool } from './known.js';
import { type DescriptionReading, readDescription } from './text/read-description.js';
import { type NameHint, type NameMatch, readName } from './text/read-name.js';
import { saidOfValue, settleValue } from './value-clause.js';
import type { EmptyHints } from './words/default-hints.js';
import { EFFECTS, type Effect, LEXICON, leadingCategory, writeShare } from './words/lexicon.js';
import { countObjectWords, withoutSlug } from './words/object-prefix.js';
import { GIVEN, IDENTIFIED, NO_INPUT, NUMBERS, READ_ONLY } from './words/verb-senses.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** What is known of a tool before it is classified. */
export interface ClassificationInput {
  readonly tool: RawTool;
  /** The operation's name in snake_case, which the specification's danger patterns are matched against. */
  readonly name: string;
  readonly upstream: { readonly slug: string; readonly trust: TrustLevel };
  /** What the operator declares; it overrules all evidence. */
  readonly curation: { readonly category?: Category; readonly danger?: DangerLevel; readonly risks?: readonly Risk[] };
  /** Classify by name, texts and schemas alone. */
  readonly ignoreAnnotations: boolean;
  /** What was reviewed of the tool; absent where the rules alone are to judge it. */
  readonly known?: KnownTool | undefined;
  /** Hints that the server writes on its tools without regard to what they do. */
  readonly emptyHints?: EmptyHints | undefined;
  /** Whether the server's hints tell reads from other tools. */
  readonly tellsReadsApart?: boolean | undefined;
  /** Words that names of the server begin with and that are no verbs there. */
  readonly objectPrefixes?: ReadonlySet<string> | undefined;
  /** False where the operator does not want statements to be told apart. */
  readonly readOnlyStatements?: boolean;
  /** What the operator says of the database's schema. */
  readonly rowFunctions?: RowFunctions | undefined;
  /** One value of a grouping parameter: classify what the tool does with it. */
  readonly groupValue?: { readonly parameter: string; readonly value: string };
  /** What `readTool` read of the tool before; it is read anew where absent. */
  readonly reading?: ToolReading | undefined;
}

/** What is read of a tool once for all values of its grouping parameter. */
export interface ToolReading {
  readonly grouping: GroupingParameter | null;
  /** All parameters of a grouped tool, as each of its values is classified with them. */
  readonly parameters: readonly ParameterFacts[] | undefined;
}

/** Everything that the rules read, extracted once. */
export interface ToolFacts {
  readonly input: ClassificationInput;
  /** Words of the name (or of the group value), without a leading slug of the upstream. */
  readonly words: readonly string[];
  readonly name: readonly NameMatch[];
  readonly title: readonly NameMatch[];
  readonly descriptionText: string;
  readonly description: DescriptionReading;
  readonly parameters: readonly ParameterFacts[];
  /** Empty where annotations are missing or ignored. */
  readonly annotations: JsonObject;
  /** The parameter that chooses the effect, unless one of its values was given. */
  readonly grouping: GroupingParameter | null;
  /** All values of that parameter, also where one of them was given. */
  readonly choices: readonly string[];
}

/** One top-level parameter, as far as classification needs it. */
export interface ParameterFacts {
  readonly name: string;
  /** The name in lower case, its words joined by underscores: `dryRun` and `dry-run` are `dry_run`. */
  readonly key: string;
  readonly words: readonly string[];
  readonly boolean: boolean;
  readonly text: boolean;
  readonly number: boolean;
  /** Whether it may hold an object or a list. */
  readonly composite: boolean;
  /** What its author says of it; empty where nothing. */
  readonly description: string;
  /** Whether it holds what is worked on: a text, code or data. */
  readonly material: boolean;
  readonly required: boolean;
  /** Whether it has a text of its own where a call leaves it out. */
  readonly preset: boolean;
  /** The string constants it may be; empty where it is free. */
  readonly values: readonly string[];
  /** Whether it may be nothing but one of `values` (or null, which means none). */
  readonly closed: boolean;
}

/** The first words of the main sentence, its verb and object, also decide the sense of the name's verb. */
const OBJECT_WORDS = 10;
/** They stand in so many characters. */
const FIRST_SENTENCE = 120;

const NOTHING: DescriptionReading = { matches: [], main: '' };

/** Reads a tool into facts; anything malformed counts as missing. */
export function gatherFacts(input: ClassificationInput): ToolFacts {
  const { tool, reading = readTool(tool) } = input;
  const choices = reading.grouping?.values ?? [];
  const words = nameWords(input);
  const objectWords = countObjectWords(textOf(tool['name']), words, input.objectPrefixes);
  const valueWords = input.groupValue === undefined ? undefined : splitWords(input.groupValue.value);
  const value = valueWords === undefined ? [] : readGroupValue(input, choices, valueWords, words);
  if (input.groupValue !== undefined && value.length === 0) return gatherUnclear({ ...input, reading });
  const text = textOf(tool['description']);
  const byValue = value.length > 0;
  // A grouped tool's description covers all its values, so one value is classified by its own words where they name an action.
  const annotations = readAnnotations(input, choices, value);
  const all = reading.parameters ?? readParameters(unwrapped(tool));
  const parameters = input.groupValue === undefined ? all : withoutForeign(all, tool, input.groupValue);
  const hinted = [
    ...(annotations['readOnlyHint'] === true && BELIEVED.has(input.upstream.trust) ? [READ_ONLY] : []),
    ...describeInput(tool, parameters),
  ];
  const description = byValue ? NOTHING : readDescription(text, new Set([...words, ...hinted]));
  const said = description.main === '' && !byValue ? text.slice(0, FIRST_SENTENCE) : description.main;
  const context = new Set([...words, ...hinted, ...said.toLowerCase().split(/[^a-z]+/, OBJECT_WORDS)]);
  const hint = description.matches[0];
  return {
    input,
    words: byValue && valueWords !== undefined ? valueWords : words,
    name: byValue ? value : readName(words, context, hint, objectWords),
    title: byValue ? [] : readTitle(tool, context, hint),
    descriptionText: text,
    description,
    parameters,
    annotations,
    grouping: input.groupValue === undefined ? reading.grouping : null,
    choices,
  };
}

/** Levels from which a server is believed when it says that a call changes nothing; the same as for a dry run. */
export const BELIEVED: ReadonlySet<TrustLevel> = new Set(['validated', 'community_reviewed', 'certified']);

/** Parameters that hold what is worked on, and those that say how. */
const MATERIAL =
  /^(?:text|texts|content|prompt|prompts|code|markdown|html|xml|yaml|json|csv|sql|data|expression|examples|sentence|paragraph|source_code|snippet|string|values|numbers|question|issues|draft|blueprint|sequence|sequences|smiles|formula|equation|sentences|html_content|answer|claim|thought|problem|json_data|word|words)$/;
const MANNER =
  /^(?:style|tone|language|lang|format|indent|level|length|target_language|from|to|options|count|max_\w+|width|mode|goal|audience|purpose|context|rubric|criteria|instructions|schema|method|model|temperature|size|tz|timezone|algorithm|encoding|delimiter|separator|case|precision|unit|units|keywords)$/;

/** How a parameter is described that holds what is worked on: "The full contents of the file as a string". */
const MATERIAL_TEXT =
  /^(?:(?:the|an?|optional:?|required:?|raw|full|complete|entire|current|original|input|sample|short|source)\s+)*(?:[\w-]+\s+){0,5}?(?:contents?|source code|sample code|snippet)\s+(?:of|to|as|that|which|in)\b/i;
/** Most descriptions hold none of the words, and need no slower pattern. */
function isDescribedAsMaterial(description: string): boolean {
  const start = description.slice(0, 200);
  return /content|code|snippet/i.test(start) && MATERIAL_TEXT.test(start);
}

const IDENTIFYING = /(?:^|_)(?:ids?|uuid|key|number)$/;

/**
 * What the parameters say of a tool as a whole: that it takes nothing, only numbers, or only a text or data to work on, and
 * whether it is given an id.
 */
function describeInput(tool: RawTool, parameters: readonly ParameterFacts[]): readonly string[] {
  const schema = tool['inputSchema'];
  if (parameters.length === 0) return isJsonObject(schema) && isJsonObject(schema['properties']) ? [NO_INPUT] : [];
  const numbers = parameters.filter(({ number }) => number).length > 1 && parameters.every(({ number }) => number);
  const given =
    parameters.some(({ required, material }) => material && (required || parameters.length === 1)) &&
    parameters.every(({ key, boolean, number, material }) => material || MANNER.test(key) || boolean || number);
  const identified = parameters.some(({ key }) => IDENTIFYING.test(key));
  return [...(numbers ? [NUMBERS] : []), ...(given ? [GIVEN] : []), ...(identified ? [IDENTIFIED] : [])];
}

/**
 * The verb of a value. One that only names a thing says nothing of what is done with it, and a verb that also means to be kept
 * informed ("watch") is no reading.
 */
function readValueName(value: readonly string[], name: readonly string[]): readonly NameMatch[] {
  return readName(value, new Set([...value, ...name]))
    .filter(({ role }) => role !== 'thing')
    .map((match) => (SUBSCRIBING.has(match.word) ? { ...match, effect: 'update' } : match));
}

/** Values that sound like reading and change what their caller is told from then on. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['watch']);

function readGroupValue(
  { tool, groupValue }: ClassificationInput,
  values: readonly string[],
  valueWords: readonly string[],
  name: readonly string[],
): readonly NameMatch[] {
  if (groupValue === undefined) return [];
  const { parameter, value } = groupValue;
  const said = saidOfValue(tool, parameter, value, values);
  return settleValue(readValueName(valueWords, name), { value, name, values, said });
}

/**
 * A value whose words name no action does what the tool's texts say of it; where they say nothing, it changes something, or does what
 * its tool's own verb says. What its neighbours name (deletion) is theirs.
 */
function gatherUnclear(input: ClassificationInput): ToolFacts {
  const { groupValue, ...whole } = input;
  const facts = gatherFacts(whole);
  if (groupValue === undefined) return facts;
  const { parameter, value } = groupValue;
  const said = saidOfValue(input.tool, parameter, value, facts.choices);
  const own = facts.name.find(({ role, effect }) => role === 'lead' && effect !== 'manage');
  const effect: Effect = said === 'reads' ? 'read' : (own?.effect ?? 'update');
  return {
    ...facts,
    input,
    name: [{ role: 'lead', word: value, effect }],
    title: [],
    description: NOTHING,
    grouping: null,
    parameters: withoutForeign(facts.parameters, input.tool, groupValue),
  };
}

/**
 * The author's hints. Defaults say nothing: those of a whole server, and "destructive" beside "read-only". For one value of a
 * grouped tool they mean less: "not read-only" is true as soon as any value writes, so it speaks only against a value whose verb
 * may mean something else than reading, and
 * "destructive" does not count for a value where another value's words destroy. Other hints stay.
 */
function readAnnotations(
  { tool, ignoreAnnotations, emptyHints, groupValue }: ClassificationInput,
  choices: readonly string[],
  value: readonly NameMatch[],
): JsonObject {
  if (ignoreAnnotations || !isJsonObject(tool['annotations'])) return {};
  const hints = withoutDefaults(tool['annotations'], emptyHints);
  if (groupValue === undefined) return hints;
  const { readOnlyHint, destructiveHint, ...rest } = hints;
  const others = choices.filter((other) => other !== groupValue.value);
  const reads = value.every(({ effect }) => writeShare(effect) === 0);
  return {
    ...rest,
    ...((readOnlyHint === true || (readOnlyHint === false && reads && !value.some(isStrongRead))) && { readOnlyHint }),
    ...(destructiveHint === true && !reads && !others.some(destroys) && { destructiveHint }),
  };
}

/** Whether a value cannot but read: its verb is no noun ("get"), is a common one ("list"), or it names a result ("status"). */
function isStrongRead({ role, word }: NameMatch): boolean {
  return role === 'noun' || COMMON_READS.has(word) || LEXICON.get(word)?.nounness === 'never';
}

const COMMON_READS = wordList('common-reads');

function withoutDefaults(annotations: JsonObject, emptyHints: EmptyHints | undefined): JsonObject {
  const { readOnlyHint, destructiveHint, ...rest } = annotations;
  if (emptyHints === 'all') return rest;
  const isEmpty = destructiveHint === true && (readOnlyHint === true || emptyHints === 'destructive');
  return isEmpty ? { ...rest, ...(readOnlyHint !== undefined && { readOnlyHint }) } : annotations;
}

function destroys(value: string): boolean {
  const effect = effectOfValue(value);
  return effect !== undefined && dangerRank(EFFECTS[effect].danger) >= dangerRank('destructive');
}

/** The tool's own spelling shows word boundaries that snake_case has lost; a leading slug names the server, not the action. */
function nameWords({ tool, name, upstream }: ClassificationInput): readonly string[] {
  return withoutSlug(splitWords(typeof tool['name'] === 'string' ? tool['name'] : name), upstream.slug);
}

function readTitle(tool: RawTool, context: ReadonlySet<string>, hint: NameHint | undefined): readonly NameMatch[] {
  const annotations = isJsonObject(tool['annotations']) ? tool['annotations'] : {};
  const title = textOf(tool['title']) || textOf(annotations['title']);
  return title === '' ? [] : readName(splitWords(title), context, hint);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An enum parameter that chooses what its tool does. */
export interface GroupingParameter {
  /** In the upstream's spelling. */
  readonly parameter: string;
  /** All its values, in the upstream's spelling and order. */
  readonly values: readonly string[];
  /** Whether it allows no other values. */
  readonly closed: boolean;
}

/** Names of parameters that choose an action; any other must be required and have only verbs as values. */
const SELECTORS = wordList('selectors');
const SELECTOR_ENDINGS = /_(?:action|operation|command|verb)$|^(?:action|operation|command)_(?:type|name)$/;
const HTTP_METHOD =
  /^(?:get|head|post|put|patch|delete|options|trace|connect|copy|link|unlink|purge|lock|unlock|view|propfind)$/i;

/** The effect of a grouping parameter's value, by its words; undefined where they name none. */
export const effectOfValue = rememberTexts((value): Effect | undefined => {
  const words = splitWords(value);
  if (words.length === 1 && words[0] === 'new') return 'create';
  return readValueName(words, []).find(({ role }) => role !== 'inner')?.effect;
});

/**
 * The parameter whose value decides what the tool does: an enum (or union of constants) of verbs that differ in effect,
 * at least one of them a write. HTTP methods do not count, as they describe a request rather than the tool.
 * Returns null where there is none.
 */
export function findGroupingParameter(tool: RawTool): GroupingParameter | null {
  const grouping = readParameters(tool, (constants) => constants.length > 1).filter(isGrouping);
  const best = grouping.find((parameter) => isSelector(parameter.key)) ?? grouping[0];
  return best === undefined ? null : { parameter: best.name, values: best.values, closed: best.closed };
}

/** Reads what all values of a tool's grouping parameter have in common. */
export function readTool(tool: RawTool): ToolReading {
  const grouping = findGroupingParameter(tool);
  return { grouping, parameters: grouping === null ? undefined : readParameters(unwrapped(tool)) };
}

export function isSelector(key: string): boolean {
  return SELECTORS.has(key) || SELECTOR_ENDINGS.test(key);
}

function isGrouping(parameter: ParameterFacts): boolean {
  const { key, values, required } = parameter;
  if (key === 'mode' && values.every((value) => splitWords(value).at(-1) === 'mode')) return false;
  if (values.length < 2 || values.every((value) => HTTP_METHOD.test(value) && value === value.toUpperCase()))
    return false;
  const effects = values.map(effectOfValue).filter((effect) => effect !== undefined);
  const enough = isSelector(key) ? effects.length * 2 > values.length : required && values.every(leadsWithVerb);
  return enough && effectsDiffer(effects, isSelector(key));
}

/** Whether a value cannot be read as a noun: `insert_content`, but neither `comment` nor `loadOptions`. */
function leadsWithVerb(value: string): boolean {
  return LEXICON.get(splitWords(value)[0] ?? '')?.nounness === 'never';
}

/** Whether there is at least one write and more than one action; a selector always offers several. */
function effectsDiffer(effects: readonly Effect[], selector: boolean): boolean {
  const categories = new Set<Category>(effects.map(leadingCategory));
  const writes = [...categories].some((category) => category !== 'READ');
  return writes && (selector || categories.size > 1 || new Set(effects).size > 1);
}

/** No honest schema nests unions deeper. */
const MAX_DEPTH = 16;

function withoutForeign(
  parameters: readonly ParameterFacts[],
  { inputSchema: schema }: RawTool,
  groupValue: NonNullable<ClassificationInput['groupValue']>,
): readonly ParameterFacts[] {
  if (!isJsonObject(schema)) return parameters;
  // What its author binds to other values says nothing of this one.
  const foreign = new Set(findForeignParameters(schema, groupValue));
  return foreign.size === 0 ? parameters : parameters.filter(({ name }) => !foreign.has(name));
}

/** A tool whose one parameter only wraps the others ("params") is read by those. */
export function unwrapped(tool: RawTool): RawTool {
  const schema = tool['inputSchema'];
  const only = findWrapper(tool);
  if (!isJsonObject(schema) || only === undefined) return tool;
  const inside = followReference(only.schema, schema) ?? only.schema;
  return { ...tool, inputSchema: { ...inside, $defs: schema['$defs'], definitions: schema['definitions'] } };
}

/** The one parameter of a tool that may only wrap the others. */
export function findWrapper({
  inputSchema: schema,
}: RawTool): { readonly name: string; readonly schema: JsonSchema } | undefined {
  if (!isJsonObject(schema)) return undefined;
  const [only, ...others] = readObjectFields(schema, schema);
  if (only === undefined || others.length > 0 || !WRAPPER.test(only.name)) return undefined;
  return readObjectFields(followReference(only.schema, schema) ?? only.schema, schema).length > 0 ? only : undefined;
}

const WRAPPER = /^(?:params|input|args|arguments|request|payload)$/;

/** An enumeration of more values is a vocabulary: the others are not looked at. */
export const MOST_VALUES = 2_000;

/** What a tool takes beyond these does not say what it does; the most of some thousand public tools is 45. */
const MOST_PARAMETERS = 500;

/**
 * The top-level parameters of a tool, references and compositions followed; malformed schemas have none.
 * @param isWanted by the constants that a parameter may be; the others are left out
 */
function readParameters(
  tool: RawTool,
  isWanted: (constants: readonly unknown[]) => boolean = () => true,
): readonly ParameterFacts[] {
  const schema = tool['inputSchema'];
  if (!isJsonObject(schema)) return [];
  const known: KnownConstants = new Map();
  const fields = readObjectFields(schema, schema).slice(0, MOST_PARAMETERS);
  const parameters = fields.map(({ name, schema: property, required }) => {
    const constants = readConstants(property, schema, known);
    if (!isWanted(constants)) return undefined;
    const words = splitWords(name);
    const types = typesOf(property);
    return {
      name,
      key: words.join('_'),
      words,
      boolean: types.has('boolean'),
      text: types.size === 0 || types.has('string'),
      number: types.has('number') || types.has('integer'),
      composite: types.size === 0 || types.has('object') || types.has('array'),
      description: textOf(property['description']),
      material: MATERIAL.test(words.join('_')) || isDescribedAsMaterial(textOf(property['description'])),
      required,
      preset: typeof property['default'] === 'string' && property['default'] !== '',
      values: [...new Set(constants.filter((value) => typeof value === 'string'))].slice(0, MOST_VALUES),
      closed: constants.every((value) => typeof value === 'string' || value === null),
    };
  });
  return parameters.filter((parameter) => parameter !== undefined);
}

/** Represents, among a schema's constants, all other values that it allows. */
const ANYTHING = Symbol('anything');
const FREE: readonly unknown[] = [ANYTHING];

/** What has been read of a tool's schemas: references can lead to one of them more often than there are atoms. */
type KnownConstants = Map<JsonSchema, readonly unknown[]>;

/** What a schema says for sure of the values it allows: an `enum`, a `const`, null, or a union of those; each once. */
export function readConstants(
  schema: JsonSchema,
  root: JsonSchema,
  known: KnownConstants = new Map(),
  depth = 0,
): readonly unknown[] {
  const source = followReference(schema, root);
  if (source === undefined || depth > MAX_DEPTH || saysNoConstant(source)) return FREE;
  const before = known.get(source);
  if (before !== undefined) return before;
  // A schema inside itself says nothing more.
  known.set(source, FREE);
  const constants = readFresh(source, (part) =>
    isJsonObject(part) ? readConstants(part, root, known, depth + 1) : FREE,
  );
  const distinct = [...new Set(constants)];
  known.set(source, distinct);
  return distinct;
}

/** Most parameters are plain texts and numbers. */
function saysNoConstant(source: JsonSchema): boolean {
  return (
    source['type'] !== 'null' &&
    !('enum' in source || 'const' in source || 'anyOf' in source || 'oneOf' in source || 'allOf' in source)
  );
}

function readFresh(source: JsonSchema, read: (part: unknown) => readonly unknown[]): readonly unknown[] {
  if (Array.isArray(source['enum'])) return source['enum'];
  if ('const' in source) return [source['const']];
  if (source['type'] === 'null') return [null];
  const union = branches(source);
  if (union.length > 0) return union.flatMap(read);
  // Where several schemas must all hold, one list of constants is enough.
  const narrowing = listOf(source['allOf']).map(read);
  return narrowing.find((constants) => !constants.includes(ANYTHING)) ?? [ANYTHING, ...narrowing.flat()];
}

/** The branches of a union. */
export function branches(schema: JsonObject): readonly unknown[] {
  const isUnion = 'anyOf' in schema || 'oneOf' in schema;
  return isUnion ? [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])] : NO_BRANCHES;
}

const NO_BRANCHES: readonly unknown[] = [];

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function typesOf(schema: unknown): ReadonlySet<string> {
  if (!isJsonObject(schema)) return NO_TYPES;
  const type = schema['type'];
  if (typeof type === 'string') return onlyType(type);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  return new Set(branches(schema).flatMap((branch) => [...typesOf(branch)]));
}

const NO_TYPES: ReadonlySet<string> = new Set();
const onlyType = rememberTexts((type): ReadonlySet<string> => new Set([type]));
