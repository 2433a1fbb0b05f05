import { isJsonObject } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { cleanText, summarizeText } from '../clean-text.js';
import { readObjectFields } from '../schema/object-fields.js';

/** A value of a grouping parameter, and the name of what it does. */
export interface NamedChoice {
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
 * he explains it, then the whole text. That the rest speaks of a parameter which is no longer there is said too.
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
