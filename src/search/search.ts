import type { Catalog } from '../catalog/catalog.js';
import { toSnakeCase } from '../lib/names.js';
import { inTime, runInSlices } from '../lib/turns.js';
import type { Operation } from '../protocol/operation.js';
import { buildSearchIndex, type SearchIndex } from './index.js';
import { readQuery } from './query.js';
import { rankInSteps, type SearchHit } from './rank.js';
import { SEARCH_SETTINGS } from './settings.js';
import { openFieldThesaurus } from './thesaurus.js';

/** The operation that searches. Its module imports this one, so that its name cannot be imported from there. */
const INTROSPECT = 'introspect';

/** Catalogs do not change, and most are never searched. */
const indexes = new WeakMap<Catalog, Promise<SearchIndex>>();

/**
 * Finds the operations that match a request in free text, best first; an exact name comes first of all. The first search of
 * a catalog builds its index, in slices between which calls are served. Equal searches have equal answers.
 */
export async function searchOperations(
  catalog: Catalog,
  text: string,
  isWanted: (operation: Operation) => boolean = () => true,
): Promise<readonly SearchHit[]> {
  const index = await indexOf(catalog);
  const query = readQuery(text, await openFieldThesaurus(), SEARCH_SETTINGS);
  const hits = await runInSlices(inTime(rankInSteps(index, query, SEARCH_SETTINGS, isWanted)));
  const exact = catalog.find(text.trim()) ?? catalog.find(toSnakeCase(text));
  if (exact === undefined || !isWanted(exact)) return hits;
  const score = (hits[0]?.score ?? 0) + 1;
  return [{ operation: exact, score }, ...hits.filter(({ operation }) => operation !== exact)];
}

function indexOf(catalog: Catalog): Promise<SearchIndex> {
  const known = indexes.get(catalog);
  if (known !== undefined) return known;
  // A caller that searches already knows the introspection.
  const operations = catalog.operations.filter(({ name }) => name !== INTROSPECT);
  const building = openFieldThesaurus().then(({ meant }) => buildSearchIndex(operations, SEARCH_SETTINGS, meant));
  indexes.set(catalog, building);
  return building;
}
