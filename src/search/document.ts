import { summarizeText } from '../lib/text.js';
import { mapInSteps, type Sliced } from '../lib/turns.js';
import { isJsonObject, type JsonSchema } from '../protocol/json.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';
import type { SearchDocument } from './term-index.js';
import { FUNCTION_WORDS, findCompounds, numberOf, splitText, stemWord } from './words.js';

/** An operation as it is indexed, with the words of its name and its first sentence, as they are spelt, and the stems that its name has in the plural. */
interface ReadDocument {
  readonly document: SearchDocument;
  readonly words: readonly string[];
  readonly plurals: readonly string[];
}

/** The text beyond this describes how to use an operation, not what it does. No name or value is longer, but of hostile servers. */
const LONGEST_DESCRIPTION = 1_500;
const LONGEST_DETAIL = 200;
const MOST_VALUES = 30;
const LONGEST_SUMMARY = 240;

/**
 * Documents by the schema that an operation shares with its raw tool: when a catalog is built again because one upstream
 * changed, the tools of all the others are not read again.
 */
const documents = new WeakMap<JsonSchema, Map<string, { readonly description: string; readonly read: ReadDocument }>>();

/** The document of an operation: its searched fields. Stops after each text: there may be ten thousands of them. */
export function* describeDocument(operation: Operation): Sliced<ReadDocument> {
  const { inputSchema, qualifiedName, description } = operation;
  const known = documents.get(inputSchema) ?? new Map();
  const last = known.get(qualifiedName);
  if (last !== undefined && last.description === description) return last.read;
  const read = yield* readDocument(operation);
  documents.set(inputSchema, known.set(qualifiedName, { description, read }));
  return read;
}

function* readDocument(operation: Operation): Sliced<ReadDocument> {
  const { qualifiedName, tool, description, parameters, outputSchema } = operation;
  const summary = summarizeText(description, LONGEST_SUMMARY).replace(/…$/, '');
  const localName = qualifiedName.slice(qualifiedName.indexOf(QUALIFIER) + QUALIFIER.length);
  const schemas = parameters.map(({ schema }) => schema);
  return {
    words: [localName, tool, summary].flatMap((text) => [...new Set([...splitText(text), ...findCompounds(text)])]),
    plurals: splitText(`${localName} ${tool}`)
      .filter((word) => numberOf(word) === 'plural')
      .map(stemWord),
    document: {
      // A tool that was renamed or split is found by both names; where they are equal, each word counts once.
      name: [...new Set((yield* toStems([localName, tool])).split(' '))].join(' '),
      summary: yield* toStems([summary]),
      description: yield* toStems([description.slice(summary.length, LONGEST_DESCRIPTION)]),
      parameters: yield* toStems(parameters.map((parameter) => parameter.name)),
      details: yield* toStems(schemas.flatMap((schema) => [detailOf(schema), ...valuesOf(schema)])),
      results: yield* toStems(
        isJsonObject(outputSchema?.['properties']) ? Object.keys(outputSchema['properties']) : [],
      ),
    },
  };
}

function* toStems(texts: readonly string[]): Sliced<string> {
  return (yield* mapInSteps(texts, stemsOf)).filter((stems) => stems !== '').join(' ');
}

function stemsOf(whole: string): string {
  const text = whole.slice(0, LONGEST_DESCRIPTION);
  return [...splitText(text), ...findCompounds(text)]
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
