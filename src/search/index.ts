import { performance } from 'node:perf_hooks';
import MiniSearch from 'minisearch';
import { summarizeText } from '../lib/text.js';
import { isJsonObject, type JsonSchema } from '../protocol/json.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';
import { SEARCH_FIELDS, type SearchField, type SearchSettings } from './settings.js';
import { FUNCTION_WORDS, findCompounds, SERVER_WORDS, splitText, stemWord } from './words.js';

/** The operations that contain a stem, and its weight in each. The arrays correspond by index. */
export interface Postings {
  /** Places in the index's list of operations. */
  readonly places: Int32Array;
  /** How much each operation is about the stem, 0 to about `saturation + 1`. */
  readonly strengths: Float64Array;
  /** How rare the stem is among operations, and how rare among servers. */
  readonly rarity: number;
  readonly serverRarity: number;
  /** By server: the share of its operations that hold the stem, 0 to 1. */
  readonly shares: ReadonlyMap<number, number>;
}

/** Operations made ready to be searched. */
export interface SearchIndex {
  readonly operations: readonly Operation[];
  readonly servers: readonly SearchedServer[];
  /** For each operation the place of its server in `servers`. */
  readonly serverOf: Int32Array;
  /** Looks a stem up; the result is cached, so that each word is searched once. */
  postings(stem: string): Postings;
  /** Stems that begin with an unknown one or differ from it by a typing error, and how similar each is, 0 to 1. */
  similar(stem: string): ReadonlyMap<string, number>;
}

/** A server as a search sees it. */
interface SearchedServer {
  readonly slug: string;
  /** The words of its name that distinguish it from others. */
  readonly words: readonly string[];
  readonly operations: number;
}

interface IndexedDocument extends SearchDocument {
  readonly id: number;
}

/** How long one slice of indexing takes before other work runs, in milliseconds. */
const SLICE_MS = 4;

/** Shorter words are similar to too many others. */
const SHORTEST_GUESS = 4;
const MOST_GUESSES = 4;

const asOneTerm = (stem: string): string[] => [stem];

/**
 * Builds the index of operations in slices, so that calls are served meanwhile.
 *
 * @param expectedStems looked up in advance, so that no search has to wait for the frequent ones
 */
export async function buildSearchIndex(
  operations: readonly Operation[],
  settings: SearchSettings,
  expectedStems: readonly string[] = [],
): Promise<SearchIndex> {
  const engine = new MiniSearch<IndexedDocument>({
    fields: [...SEARCH_FIELDS],
    // Documents already consist of stems.
    tokenize: (text) => text.split(' '),
    processTerm: (stem) => stem || null,
    searchOptions: { boost: { ...settings.fields }, tokenize: asOneTerm },
  });
  await inSlices(operations, (operation, id) => engine.add({ id, ...describeDocument(operation) }));
  const { servers, serverOf } = listServers(operations);
  const known = new Map<string, Postings>();
  const lookUp = (stem: string): Postings => readPostings(engine, stem, settings, servers, serverOf);
  const postings = (stem: string): Postings => {
    const found = known.get(stem) ?? lookUp(stem);
    // Unknown stems are not cached, as requests may contain any number of them.
    if (found.places.length > 0) known.set(stem, found);
    return found;
  };
  await inSlices(expectedStems, postings);
  return {
    operations,
    servers,
    serverOf,
    postings,
    similar: (stem) => findSimilar(engine, stem, settings),
  };
}

async function inSlices<Item>(items: readonly Item[], work: (item: Item, place: number) => void): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const [place, item] of items.entries()) {
    work(item, place);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + SLICE_MS;
  }
}

function listServers(operations: readonly Operation[]): Pick<SearchIndex, 'servers' | 'serverOf'> {
  const sizes = new Map<string, number>();
  for (const { upstream } of operations) sizes.set(upstream, (sizes.get(upstream) ?? 0) + 1);
  const slugs = [...sizes.keys()].sort();
  const places = new Map(slugs.map((slug, place) => [slug, place]));
  return {
    servers: slugs.map((slug) => ({
      slug,
      words: wordsOfName(slug),
      operations: sizes.get(slug) ?? 0,
    })),
    serverOf: Int32Array.from(operations, ({ upstream }) => places.get(upstream) ?? 0),
  };
}

function readPostings(
  engine: MiniSearch<IndexedDocument>,
  stem: string,
  { saturation }: SearchSettings,
  servers: readonly SearchedServer[],
  serverOf: Int32Array,
): Postings {
  const results = engine.search(stem);
  const counts = new Map<number, number>();
  for (const { id } of results) {
    const server = serverOf[id] ?? 0;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const rarity = rarityOf(results.length, serverOf.length);
  return {
    places: Int32Array.from(results, ({ id }) => id),
    // The engine's score is an unbounded sum over the fields; saturation limits what repeated occurrences add.
    strengths: Float64Array.from(results, ({ score }) => {
      const strength = score / rarity;
      return (strength * (saturation + 1)) / (saturation + strength);
    }),
    rarity,
    serverRarity: rarityOf(counts.size, servers.length),
    shares: new Map(Array.from(counts, ([server, count]) => [server, count / (servers[server]?.operations ?? count)])),
  };
}

/** `git_hub_api` gives git, hub and github. */
function wordsOfName(slug: string): readonly string[] {
  const words = splitText(slug).filter((word) => !SERVER_WORDS.has(word));
  return [...words, ...words.slice(1).map((word, index) => `${words[index] ?? ''}${word}`)];
}

/** BM25's inverse document frequency. */
function rarityOf(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function findSimilar(
  engine: MiniSearch<IndexedDocument>,
  stem: string,
  { similarWords }: SearchSettings,
): ReadonlyMap<string, number> {
  if (similarWords === 0 || stem.length < SHORTEST_GUESS || !/^[a-z]+$/.test(stem)) return new Map();
  const found = new Map<string, number>();
  for (const { match } of engine.search(stem, { prefix: true, fuzzy: 0.2, fields: ['name', 'summary'] })) {
    for (const term of Object.keys(match)) found.set(term, similarWords);
    if (found.size >= MOST_GUESSES) break;
  }
  return found;
}

/** An operation as it is indexed: stems separated by spaces. */
type SearchDocument = Readonly<Record<SearchField, string>>;

/** The text beyond this describes how to use an operation, not what it does. */
const LONGEST_DESCRIPTION = 1_500;
const LONGEST_DETAIL = 200;
const MOST_VALUES = 30;
const LONGEST_SUMMARY = 240;

/**
 * Documents by the schema that an operation shares with its raw tool: when a catalog is built again because one upstream
 * changed, the tools of all the others are not read again.
 */
const documents = new WeakMap<
  JsonSchema,
  Map<string, { readonly description: string; readonly document: SearchDocument }>
>();

/** The document of an operation: its searched fields. */
function describeDocument(operation: Operation): SearchDocument {
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
    // A tool that was renamed or split is found by both names; where they are equal, each word counts once.
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
