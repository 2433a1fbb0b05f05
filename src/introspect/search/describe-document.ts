import { summarizeText } from '../../catalog/clean-text.js';
import type { JsonSchema } from '../../protocol/json.js';
import { isJsonObject } from '../../protocol/json.js';
import { type Operation, QUALIFIER } from '../../protocol/operation.js';
import type { SearchField } from './settings.js';
import { findCompounds, splitText } from './split-text.js';
import { stemWord } from './stem-word.js';
import { FUNCTION_WORDS } from './stop-words.js';

/** An operation as the index takes it: stems separated by spaces. */
export type SearchDocument = Readonly<Record<SearchField, string>>;

/** Longer texts tell how to use an operation, no longer what it does. */
const LONGEST_DESCRIPTION = 1_500;
const LONGEST_DETAIL = 200;
const MOST_VALUES = 30;
const LONGEST_SUMMARY = 240;

/**
 * Documents by the schema that an operation shares with its raw tool: a catalog that is built anew because one upstream
 * changed does not read the tools of all the others again.
 */
const documents = new WeakMap<
  JsonSchema,
  Map<string, { readonly description: string; readonly document: SearchDocument }>
>();

/** What of an operation is searched. */
export function describeDocument(operation: Operation): SearchDocument {
  const { inputSchema, qualifiedName, description } = operation;
  const known = documents.get(inputSchema) ?? new Map();
  const last = known.get(qualifiedName);
  if (last !== undefined && last.description === description) return last.document;
  const document = readDocument(operation);
  documents.set(inputSchema, known.set(qualifiedName, { description, document }));
  return document;
}

function readDocument({ qualifiedName, tool, description, parameters, outputSchema }: Operation): SearchDocument {
  const summary = summarizeText(description, LONGEST_SUMMARY).replace(/…$/, '');
  const localName = qualifiedName.slice(qualifiedName.indexOf(QUALIFIER) + QUALIFIER.length);
  const schemas = parameters.map(({ schema }) => schema);
  return {
    // A tool that was renamed or split answers to both names; where they are one, each word counts once.
    name: [...new Set(toStems([localName, tool]).split(' '))].join(' '),
    summary: toStems([summary]),
    description: toStems([description.slice(summary.length, LONGEST_DESCRIPTION)]),
    parameters: toStems(parameters.map((parameter) => parameter.name)),
    details: toStems(schemas.flatMap((schema) => [detailOf(schema), ...valuesOf(schema)])),
    results: toStems(isJsonObject(outputSchema?.['properties']) ? Object.keys(outputSchema['properties']) : []),
  };
}

function toStems(texts: readonly string[]): string {
  return texts
    .flatMap((text) => [...splitText(text), ...findCompounds(text)])
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(stemWord)
    .join(' ');
}

function detailOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? description.slice(0, LONGEST_DETAIL) : '';
}

/** The values that a parameter may take, or that its items may. */
function valuesOf({ enum: values, items }: JsonSchema): readonly string[] {
  const own = Array.isArray(values) ? values : isJsonObject(items) && Array.isArray(items['enum']) ? items['enum'] : [];
  return own.slice(0, MOST_VALUES).map(String);
}
