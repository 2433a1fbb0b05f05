import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/base/protocol/operation.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import { readQuery } from '../../src/catalog/search/query.js';
import { rankOperations } from '../../src/catalog/search/rank.js';
import { buildSearchIndex, type SearchIndex } from '../../src/catalog/search/search-index.js';
import { SEARCH_SETTINGS, type SearchSettings } from '../../src/catalog/search/settings.js';
import { fieldThesaurus } from '../../src/catalog/search/thesaurus.js';
import { type CapturedList, readCapturedLists } from '../../src/gateway/captured-gateway.js';

/** A request and every tool that answers it, as `server::tool`. */
export interface SearchCase {
  /** Worded as people do every day, or deliberately unlike the tools. */
  readonly kind: 'plain' | 'reworded';
  readonly query: string;
  readonly gold: ReadonlySet<string>;
}

/** Shares of requests whose first right tool is among the first 1, 5 and 10, and the mean of its reciprocal rank. */
export interface SearchFigures {
  readonly requests: number;
  readonly at1: number;
  readonly at5: number;
  readonly at10: number;
  readonly reciprocalRank: number;
}

/** The operations of the captured servers, and the name by which the requests' answers know each. */
export interface SearchedCorpus {
  readonly operations: readonly Operation[];
  idOf(operation: Operation): string;
}

/** @param isWanted whether a server is part of it, by its name; all are unless told */
export function readSearchedCorpus(directory: string, isWanted = (_server: string) => true): SearchedCorpus {
  const files = readdirSync(join(directory, 'tools')).filter(
    (file) => file.endsWith('.json') && isWanted(file.slice(0, -'.json'.length)),
  );
  const lists = files.sort().map((file) => ({
    name: file.slice(0, -'.json'.length),
    json: JSON.parse(readFileSync(join(directory, 'tools', file), 'utf8')) as unknown,
  }));
  return openSearchedCorpus(lists);
}

export function openSearchedCorpus(lists: readonly CapturedList[]): SearchedCorpus {
  const { upstreams, toolSets } = readCapturedLists(lists, []);
  const names = new Map(upstreams.map(({ slug, name }) => [slug, name]));
  return {
    operations: buildCatalog({ toolSets, upstreams, builtins: [], pins: {} }).operations,
    idOf: ({ upstream, tool }) => `${names.get(upstream) ?? upstream}::${tool}`,
  };
}

const FILES = { plain: 'queries-plain.jsonl', reworded: 'queries.jsonl' } as const;

/** The requests of one kind beside a corpus; none where it has none. */
export function readSearchCases(directory: string, kind: SearchCase['kind']): readonly SearchCase[] {
  const file = join(directory, FILES[kind]);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { query, gold } = JSON.parse(line) as { query: string; gold: readonly string[] };
    return { kind, query, gold: new Set(gold) };
  });
}

/** Every other request of each kind, by the hash of its words, was held out while the ranking was worked on. */
export function isHeldOut({ query }: SearchCase): boolean {
  return (createHash('sha256').update(query).digest()[0] ?? 0) % 2 === 0;
}

/** Every word of a request counts the same. */
const ALL_ALIKE: Partial<SearchSettings> = {
  roles: { head: 1, of: 1, place: 1, about: 1, context: 1 },
};

/** The search as it is, and with one ingredient left out at a time. */
export const INGREDIENTS: readonly { readonly without: string; readonly settings: SearchSettings }[] = [
  { without: 'nothing', settings: SEARCH_SETTINGS },
  { without: 'the thesaurus', settings: leaveOut({ synonyms: { equal: 0, toward: 0, loose: 0 }, phrases: 0 }) },
  { without: 'its phrases', settings: leaveOut({ phrases: 0 }) },
  { without: 'agreement of synonyms', settings: leaveOut({ agreement: 0 }) },
  { without: 'similar words', settings: leaveOut({ similarWords: 0 }) },
  { without: 'coverage', settings: leaveOut({ coverage: 0 }) },
  { without: "the caller's own words", settings: leaveOut({ literal: 0 }) },
  { without: 'names of operations', settings: leaveOut({ nameInRequest: 0, requestInName: 0 }) },
  { without: 'places in the request', settings: leaveOut(ALL_ALIKE) },
  { without: 'names of servers', settings: leaveOut({ serverName: 0 }) },
  { without: 'vocabulary of servers', settings: leaveOut({ serverWords: 0 }) },
  { without: 'singular and plural', settings: leaveOut({ otherNumber: 0 }) },
  { without: 'intent', settings: leaveOut({ intent: 0 }) },
  { without: 'texts (names alone)', settings: leaveOut({ fields: onlyField('name') }) },
  { without: 'names (summaries alone)', settings: leaveOut({ fields: onlyField('summary') }) },
  {
    without: 'everything but words and fields',
    settings: leaveOut({
      synonyms: { equal: 0, toward: 0, loose: 0 },
      phrases: 0,
      similarWords: 0,
      agreement: 0,
      coverage: 0,
      serverName: 0,
      serverWords: 0,
      intent: 0,
      literal: 0,
      nameInRequest: 0,
      requestInName: 0,
      otherNumber: 0,
      ...ALL_ALIKE,
    }),
  },
];

function leaveOut(changes: Partial<SearchSettings>): SearchSettings {
  return { ...SEARCH_SETTINGS, ...changes };
}

/** The engine cannot leave a field out, but a tiny weight makes it irrelevant. */
function onlyField(name: keyof SearchSettings['fields']): SearchSettings['fields'] {
  const weights = Object.entries(SEARCH_SETTINGS.fields).map(([field, weight]) => [
    field,
    field === name ? weight : 1e-9,
  ]);
  return Object.fromEntries(weights) as SearchSettings['fields'];
}

export function buildCorpusIndex({ operations }: SearchedCorpus, settings: SearchSettings): Promise<SearchIndex> {
  return buildSearchIndex(operations, settings, fieldThesaurus().meant);
}

/** A request with the place of its first right tool, infinite where there is none, and whether search says that nothing fits. */
export interface SearchResult {
  readonly case: SearchCase;
  readonly rank: number;
  readonly isRefused: boolean;
}

/** Searches for every request. */
export function searchAll(
  corpus: SearchedCorpus,
  index: SearchIndex,
  settings: SearchSettings,
  cases: readonly SearchCase[],
): readonly SearchResult[] {
  return cases.map((one) => {
    const query = readQuery(one.query, fieldThesaurus(), settings, index.vocabulary);
    const { hits, fit } = rankOperations(index, query, settings);
    const place = hits.findIndex(({ operation }) => one.gold.has(corpus.idOf(operation)));
    return { case: one, rank: place < 0 ? Number.POSITIVE_INFINITY : place + 1, isRefused: fit < 0 };
  });
}

/** Summarizes the ranks of the right tools. */
export function summarize(results: readonly SearchResult[]): SearchFigures {
  const ranks = results.map(({ rank }) => rank);
  const shareWithin = (most: number): number => ranks.filter((rank) => rank <= most).length / ranks.length;
  return {
    requests: ranks.length,
    at1: shareWithin(1),
    at5: shareWithin(5),
    at10: shareWithin(10),
    reciprocalRank: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
  };
}

/** Copies the corpus under other names of servers until there are so many operations. */
export function multiplyOperations({ operations }: SearchedCorpus, count: number): readonly Operation[] {
  return Array.from({ length: count }, (_, place) => {
    const operation = operations[place % operations.length];
    if (operation === undefined) throw new Error('the corpus is empty');
    const copy = Math.floor(place / operations.length);
    if (copy === 0) return operation;
    const upstream = `${operation.upstream}_${copy}`;
    const localName = operation.qualifiedName.slice(operation.upstream.length);
    return { ...operation, upstream, name: `${operation.name}_${copy}`, qualifiedName: upstream + localName };
  });
}
