import { isJsonObject, type JsonSchema } from '../../base/json/json.js';
import { summarizeText } from '../../base/lib/text.js';
import { Pauses } from '../../base/pauses/pauses.js';
import { CATEGORIES, type Category, type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import type { Vocabulary } from './query.js';
import type { SearchSettings } from './settings.js';
import { Spelling } from './spelling.js';
import { type SearchDocument, TermIndex } from './term-index.js';
import { FUNCTION_WORDS, findCompounds, numberOf, SERVER_WORDS, splitText, stemWord } from './words.js';

/** The operations that contain a stem, and its weight in each. The arrays correspond by index. */
export interface Postings {
  /** Places in the index's list of operations. */
  readonly places: Int32Array;
  /** How much each operation is about the stem, 0 to about `saturation + 1`. */
  readonly strengths: Float64Array;
  /** How much the stem says about the operation where its name has it, else 0: a word of most names of a server says little. */
  readonly nameWorths: Float64Array;
  /** The operations whose names have the stem in the singular, and those in the plural. */
  readonly inSingular: readonly number[];
  readonly inPlural: readonly number[];
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
  /** The categories, and for each operation the place of its own among them. */
  readonly categories: readonly Category[];
  readonly categoryOf: Uint8Array;
  /** Looks a stem up; the result is cached, so that each word is searched once. */
  postings(stem: string): Postings;
  /** For each operation the worth of all words of its name. */
  readonly nameSizes: Float64Array;
  /** The worth of a word that no operation has. */
  readonly mostRarity: number;
  /** The worth of a word that one server has. */
  readonly mostServerRarity: number;
  /** The words of all operations. */
  readonly vocabulary: Vocabulary;
}

/** A server as a search sees it. */
interface SearchedServer {
  readonly slug: string;
  /** The words of its name that distinguish it from others, and their stems. */
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly operations: number;
}

/**
 * Builds the index of operations; calls are served meanwhile.
 *
 * @param expectedStems looked up in advance, so that no search has to wait for the frequent ones
 */
export async function buildSearchIndex(
  operations: readonly Operation[],
  settings: SearchSettings,
  expectedStems: readonly string[] = [],
  documentOf = describeDocument,
): Promise<SearchIndex> {
  const terms = new TermIndex(settings.fields);
  const { servers, serverOf } = listServers(operations);
  const spelling = new Spelling();
  const names = new NameWords(serverOf, servers);
  const pauses = new Pauses();
  for (const [id, operation] of operations.entries()) {
    const { words, plurals, document } = documentOf(operation);
    terms.add(document);
    for (const word of words) spelling.add(word);
    names.add(id, document.name, plurals);
    await pauses.due();
  }
  const known = new Map<string, Postings>();
  const postings = (stem: string): Postings => {
    const found = known.get(stem) ?? readPostings(terms, stem, settings, names, servers, serverOf);
    // Unknown stems are not cached, as requests may contain any number of them.
    if (found.places.length > 0) known.set(stem, found);
    return found;
  };
  for (const stem of expectedStems) {
    postings(stem);
    await pauses.due();
  }
  return {
    operations,
    servers,
    serverOf,
    categories: CATEGORIES,
    categoryOf: Uint8Array.from(operations, ({ classification }) => CATEGORIES.indexOf(classification.category)),
    postings,
    nameSizes: Float64Array.from(operations, (_, place) => names.size(place)),
    mostRarity: rarityOf(0, operations.length),
    mostServerRarity: rarityOf(1, Math.max(1, servers.length)),
    vocabulary: { has: (stem) => terms.has(stem), spelling },
  };
}

/** The stems of names: how rare each is, and how much it says among the names of one server. */
class NameWords {
  readonly #serverOf: Int32Array;
  readonly #servers: readonly SearchedServer[];
  readonly #stems: (readonly string[])[] = [];
  readonly #plurals = new Map<number, readonly string[]>();
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #worths = new Map<string, ReadonlyMap<number, number>>();

  constructor(serverOf: Int32Array, servers: readonly SearchedServer[]) {
    this.#serverOf = serverOf;
    this.#servers = servers;
  }

  add(place: number, name: string, plurals: readonly string[]): void {
    const stems = name.split(' ').filter((stem) => stem !== '');
    const server = this.#serverOf[place] ?? 0;
    for (const stem of stems) {
      const counts = this.#counts.get(stem) ?? new Map<number, number>();
      this.#counts.set(stem, counts.set(server, (counts.get(server) ?? 0) + 1));
    }
    this.#stems[place] = stems;
    if (plurals.length > 0) this.#plurals.set(place, plurals);
  }

  /** Whether the name of an operation has a stem in the plural. */
  hasPlural(place: number, stem: string): boolean {
    return this.#plurals.get(place)?.includes(stem) === true;
  }

  /** The worth of a stem in each server that has it. */
  worth(stem: string): ReadonlyMap<number, number> {
    const counts = this.#counts.get(stem) ?? new Map<number, number>();
    const holding = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const rarity = rarityOf(holding, this.#serverOf.length);
    return new Map(
      Array.from(counts, ([server, count]) => {
        const { operations, stems } = this.#servers[server] ?? { operations: 1, stems: new Set() };
        const share = operations < SMALLEST_SERVER ? 0 : (count - 1) / (operations - 1);
        return [server, rarity * (stems.has(stem) ? 0.1 : 1 - 0.9 * share * share)];
      }),
    );
  }

  /** The worth of all words of an operation's name. */
  size(place: number): number {
    const server = this.#serverOf[place] ?? 0;
    return (this.#stems[place] ?? []).reduce((sum, stem) => sum + (this.#worthOf(stem).get(server) ?? 0), 0);
  }

  #worthOf(stem: string): ReadonlyMap<number, number> {
    const known = this.#worths.get(stem) ?? this.worth(stem);
    this.#worths.set(stem, known);
    return known;
  }
}

/** From this size on, a word that most tools of a server have counts less among them, as it does not distinguish them. */
const SMALLEST_SERVER = 4;

function listServers(operations: readonly Operation[]): Pick<SearchIndex, 'servers' | 'serverOf'> {
  const sizes = new Map<string, number>();
  for (const { upstream } of operations) sizes.set(upstream, (sizes.get(upstream) ?? 0) + 1);
  const slugs = [...sizes.keys()].sort();
  const places = new Map(slugs.map((slug, place) => [slug, place]));
  return {
    servers: slugs.map((slug) => {
      const words = wordsOfName(slug);
      return { slug, words, stems: new Set(words.map(stemWord)), operations: sizes.get(slug) ?? 0 };
    }),
    serverOf: Int32Array.from(operations, ({ upstream }) => places.get(upstream) ?? 0),
  };
}

function readPostings(
  terms: TermIndex,
  stem: string,
  { saturation }: SearchSettings,
  names: NameWords,
  servers: readonly SearchedServer[],
  serverOf: Int32Array,
): Postings {
  const scores = terms.score(stem);
  const places = Int32Array.from(scores.keys());
  const counts = new Map<number, number>();
  for (const place of places) {
    const server = serverOf[place] ?? 0;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const rarity = rarityOf(places.length, serverOf.length);
  const sizeOf = (server: number): number => servers[server]?.operations ?? 1;
  const worths = names.worth(stem);
  const named = terms.placesIn('name', stem);
  const isNamed = new Set(named);
  return {
    inSingular: named.filter((place) => !names.hasPlural(place, stem)),
    inPlural: named.filter((place) => names.hasPlural(place, stem)),
    places,
    // The score is an unbounded sum over the fields; saturation limits what repeated occurrences add.
    strengths: Float64Array.from(scores.values(), (score) => {
      const strength = score / rarity;
      return (strength * (saturation + 1)) / (saturation + strength);
    }),
    nameWorths: Float64Array.from(places, (place) =>
      isNamed.has(place) ? (worths.get(serverOf[place] ?? 0) ?? 0) : 0,
    ),
    rarity,
    serverRarity: rarityOf(counts.size, servers.length),
    shares: new Map(Array.from(counts, ([server, count]) => [server, count / sizeOf(server)])),
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

/** The document of an operation: its searched fields. */
export function describeDocument(operation: Operation): ReadDocument {
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
      name: [...new Set(toStems([localName, tool]).split(' '))].join(' '),
      summary: toStems([summary]),
      description: toStems([description.slice(summary.length, LONGEST_DESCRIPTION)]),
      parameters: toStems(parameters.map((parameter) => parameter.name)),
      details: toStems(schemas.flatMap((schema) => [detailOf(schema), ...valuesOf(schema)])),
      results: toStems(isJsonObject(outputSchema?.['properties']) ? Object.keys(outputSchema['properties']) : []),
    },
  };
}

function toStems(texts: readonly string[]): string {
  return texts
    .map(stemsOf)
    .filter((stems) => stems !== '')
    .join(' ');
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
