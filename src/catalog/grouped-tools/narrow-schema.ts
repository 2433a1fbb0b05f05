import { isJsonObject, type JsonObject, type JsonSchema } from '../../base/json/json.js';
import { cleanText, summarizeText } from '../../base/lib/text.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { findForeignParameters } from '../../classify/foreign-parameters.js';
import { followReference, readObjectFields } from '../../schema/schema-shape.js';

/** An argument that an operation fixes. */
interface FixedArgument {
  readonly parameter: string;
  readonly value: unknown;
}

/** Compositions nested deeper are left as they are. */
const MAX_DEPTH = 16;

/**
 * An input schema with one argument fixed: without the argument itself, and without the alternatives and conditions that the
 * value excludes. Sound: a part is dropped only where no arguments with that value could meet it. `$ref`s still resolve
 * against the whole schema. For display; arguments are validated against the original.
 */
export function narrowSchema(schema: JsonSchema, fixed: FixedArgument): JsonSchema {
  return narrow(schema, { root: schema, fixed }, 0);
}

interface Narrowing {
  readonly root: JsonSchema;
  readonly fixed: FixedArgument;
}

function narrow(schema: JsonSchema, narrowing: Narrowing, depth: number): JsonSchema {
  if (depth > MAX_DEPTH) return schema;
  const hidden = hideArgument(applyCondition(inline(schema, narrowing.root), narrowing), narrowing.fixed);
  const visit = (part: unknown): unknown => (isJsonObject(part) ? narrow(part, narrowing, depth + 1) : part);
  const narrowed = Object.entries(hidden).map(([keyword, part]) => {
    if (keyword === 'then' || keyword === 'else') return [keyword, visit(part)];
    if (!COMPOSITION.has(keyword) || !Array.isArray(part)) return [keyword, part];
    return [keyword, (keyword === 'allOf' ? part : possibleOf(part, narrowing)).map(visit)];
  });
  return Object.fromEntries(narrowed);
}

const COMPOSITION: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

/** Resolves a condition on nothing but the fixed argument: one of `then` and `else` always applies, the other never. */
function applyCondition(schema: JsonSchema, narrowing: Narrowing): JsonSchema {
  const holds = isJsonObject(schema['if']) ? decide(schema['if'], narrowing) : undefined;
  if (holds === undefined) return schema;
  const { if: _settled, then: consequence, else: alternative, ...rest } = schema;
  const applying = holds ? consequence : alternative;
  return applying === undefined ? rest : { ...rest, allOf: [...listOf(rest['allOf']), applying] };
}

/** Replaces a reference by its target, which can be narrowed; keywords beside it are kept. */
function inline(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!('$ref' in schema)) return schema;
  const target = followReference(schema, root);
  if (target === undefined || target === root) return schema;
  const { $ref: _followed, ...rest } = schema;
  return Object.keys(rest).length === 0 ? target : { ...rest, allOf: [...listOf(rest['allOf']), target] };
}

function hideArgument(schema: JsonSchema, { parameter }: FixedArgument): JsonSchema {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties) && { properties: without(properties, parameter) }),
    ...(Array.isArray(required) && { required: required.filter((name) => name !== parameter) }),
  };
}

/** Drops branches that the value excludes. Where it excludes all, the schema cannot be meant that way, and all are kept. */
function possibleOf(branches: readonly unknown[], narrowing: Narrowing): readonly unknown[] {
  const possible = branches.filter((branch) => !isJsonObject(branch) || decide(branch, narrowing) !== false);
  return possible.length > 0 ? possible : branches;
}

/**
 * Whether arguments with the fixed value can meet a schema: false where it allows the parameter only other values, true where
 * it constrains nothing else, undefined where the other arguments decide.
 */
function decide(schema: JsonSchema, narrowing: Narrowing): boolean | undefined {
  const source = followReference(schema, narrowing.root);
  if (source === undefined) return undefined;
  const { parameter, value } = narrowing.fixed;
  const properties = isJsonObject(source['properties']) ? source['properties'] : {};
  const own = Object.hasOwn(properties, parameter) ? properties[parameter] : undefined;
  const allowed = isJsonObject(own) ? constantsOf(own, narrowing.root) : undefined;
  if (allowed !== undefined && !allowed.includes(value)) return false;
  return allowed !== undefined && constrainsNothingElse(source, parameter) ? true : undefined;
}

function constantsOf(schema: JsonSchema, root: JsonSchema): readonly unknown[] | undefined {
  const source = followReference(schema, root) ?? {};
  if ('const' in source) return [source['const']];
  return Array.isArray(source['enum']) ? source['enum'] : undefined;
}

const HARMLESS = new Set(['properties', 'required', 'type', 'title', 'description', '$comment']);

function constrainsNothingElse(schema: JsonSchema, parameter: string): boolean {
  const { properties, required, type } = schema;
  return (
    Object.keys(schema).every((keyword) => HARMLESS.has(keyword)) &&
    isJsonObject(properties) &&
    Object.keys(properties).every((name) => name === parameter) &&
    hasConstantsAlone(properties[parameter]) &&
    listOf(required).every((name) => name === parameter) &&
    (type === undefined || type === 'object')
  );
}

function hasConstantsAlone(schema: unknown): boolean {
  const keywords = isJsonObject(schema) ? Object.keys(schema) : [];
  return keywords.every((keyword) => ['const', 'enum', 'type', 'title', 'description'].includes(keyword));
}

function without(properties: JsonObject, parameter: string): JsonObject {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== parameter));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value of a grouping parameter, and the name of what it does. */
interface NamedChoice {
  readonly parameter: string;
  readonly value: string;
  readonly name: string;
}

/** Between a value and what it means: `get: `, `get=`, `get — `, `get (`, or the quotes alone (`'get' returns ...`). */
const EXPLAINS = '(?:[:=]|\\s[-\\u2013\\u2014]{1,2}\\s|\\s?\\(|(?<=[`\'"]) )\\s*';

/** Where an explanation ends: its line, clause or bracket, or the next value's. */
const END = /[\n;)]|\.(?:\s|$)|,\s*[\w-]+\s*[=:(]/;

/** A sentence about values, which does not say what this one does: "`a` and `b` are deprecated". */
const STATES = /^(?:is|are|and|or|has|have|requires?|needs?|only|for|with|when|if|to)\b/i;

/**
 * A grouped tool's description as one of its operations shows it: first what this value does, in the author's own words where
 * the text explains it, then the tool and the value that it stands for, then the whole text.
 */
export function describeValue(tool: RawTool, choice: NamedChoice, description: string): string {
  const meaning = findMeaning(tool, choice) ?? choice.name.replaceAll('_', ' ');
  const [first = '', ...rest] = meaning;
  const source = `'${String(tool['name'])}' with ${choice.parameter} '${choice.value}'`;
  const lead = `${first.toUpperCase()}${rest.join('')} (${source}).`;
  return cleanText(description === '' ? lead : `${lead} ${description}`);
}

function findMeaning(tool: RawTool, { parameter, value }: NamedChoice): string | undefined {
  const schema = isJsonObject(tool['inputSchema']) ? tool['inputSchema'] : {};
  const field = readObjectFields(schema, schema).find(({ name }) => name === parameter)?.schema ?? {};
  const inText = (text: unknown, start: string): string | undefined => explanationIn(cleanText(text), value, start);
  return (
    constantDescription(field, value) ??
    inText(field['description'], '[\\s,;.:(*\\u2022-]') ??
    // Elsewhere a text mentions values for many reasons; a list item is about one.
    inText(tool['description'], '\\n\\s*[*\\u2022-]\\s*')
  );
}

/** `{"const": "create", "description": "Creates a new issue"}` in a union of constants. */
function constantDescription(schema: unknown, value: string): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const parts = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((part) =>
    Array.isArray(part) ? part : [],
  );
  const own = schema['const'] === value ? firstSentence(cleanText(schema['description'])) : undefined;
  return own ?? parts.map((part) => constantDescription(part, value)).find((text) => text !== undefined);
}

function explanationIn(text: string, value: string, start: string): string | undefined {
  const escaped = value.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
  const match = new RegExp(`(?:^|${start})[\`'"]?${escaped}[\`'"]?\\s*?${EXPLAINS}(?=\\w)`).exec(text);
  if (match === null) return undefined;
  const rest = text.slice(match.index + match[0].length);
  const explanation = rest.slice(0, END.exec(rest)?.index ?? rest.length);
  return STATES.test(explanation) ? undefined : firstSentence(explanation.replace(/\s*\([^)]*$/, ''));
}

/** Undefined for a text too short to explain anything. */
function firstSentence(text: string): string | undefined {
  const sentence = summarizeText(text).replace(/[.\s]+$/, '');
  return sentence.includes(' ') ? sentence : undefined;
}

/** An operation's input schema as callers see it: without the arguments that it fixes, and those that it does not take. */
export function visibleInputSchema({ inputSchema, fixedArguments = {}, parameters }: Operation): JsonSchema {
  const taken = new Set(parameters.map(({ upstreamName }) => upstreamName));
  return Object.entries(fixedArguments).reduce((schema, [parameter, value]) => {
    const foreign = findForeignParameters(inputSchema, { parameter, value }).filter((name) => !taken.has(name));
    return narrowSchema(withoutProperties(schema, foreign), { parameter, value });
  }, inputSchema);
}

function withoutProperties(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties } = schema;
  if (names.length === 0 || !isJsonObject(properties)) return schema;
  return { ...schema, properties: names.reduce(without, properties) };
}
