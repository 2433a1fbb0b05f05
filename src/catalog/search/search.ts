import { oncePer } from '../../base/lib/collections.js';
import { toSnakeCase } from '../../base/lib/names.js';
import { quoteValue } from '../../base/lib/text.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { turns } from '../../base/turns/turns.js';
import type { Catalog } from '../catalog.js';
import { readQuery } from './query.js';
import { rankOperations, type SearchHit } from './rank.js';
import { buildSearchIndex, describeDocument, type SearchIndex } from './search-index.js';
import { SEARCH_SETTINGS } from './settings.js';
import { openFieldThesaurus, type Thesaurus } from './thesaurus.js';

/** The operation that searches. Its module imports this one, so that its name cannot be imported from there. */
const INTROSPECT = 'introspect';

/** Units of work that a search takes at least, and for each operation: of thousands, one search fills a turn. */
export const searchWork = (operations: number): number => 200_000 + 60 * operations;
const SEARCH_LANE = 'searches';

/** What a search found. */
interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Where likely none of them serves the request: says so, and names the servers. */
  readonly noFit?: string;
}

/** Finds operations by requests in free text. One serves all catalogs of a gateway: what has not changed is not read again. */
export class OperationSearch {
  /** An operation that did not change is the same object in the next catalog. */
  readonly #documentOf = oncePer(describeDocument);
  /** Most catalogs are never searched. */
  readonly #indexOf = oncePer((catalog: Catalog) => this.#buildIndex(catalog));

  /**
   * The operations that match, best first; an exact name comes first of all. The first search of a catalog builds its index, with
   * pauses in which calls are served; its parts share it. Equal searches have equal answers.
   */
  async find(
    catalog: Catalog,
    text: string,
    isWanted: (operation: Operation) => boolean = () => true,
  ): Promise<SearchAnswer> {
    const index = await this.#indexOf(catalog.whole ?? catalog);
    const shown =
      catalog.whole === undefined ? undefined : (operation: Operation) => catalog.find(operation.qualifiedName);
    const isCandidate = (operation: Operation): boolean => {
      const own = shown === undefined ? operation : shown(operation);
      return own !== undefined && own.appOnly !== true && isWanted(own);
    };
    const thesaurus = await openFieldThesaurus();
    // Those that waited for the index would all go on in the turn in which it is ready.
    const room = turns.enter(SEARCH_LANE);
    if (room !== undefined) await room;
    turns.spend(searchWork(index.operations.length));
    const { hits: found, fit } = find(text, { index, thesaurus, isCandidate });
    const hits =
      shown === undefined
        ? found
        : found.map(({ operation, score }) => ({ operation: shown(operation) ?? operation, score }));
    const exact = catalog.find(text.trim()) ?? catalog.find(toSnakeCase(text));
    if (exact === undefined || !isWanted(exact))
      return fit < 0 ? { hits, noFit: explainNoFit(catalog, text, hits) } : { hits };
    const score = (hits[0]?.score ?? 0) + 1;
    return { hits: [{ operation: exact, score }, ...hits.filter(({ operation }) => operation !== exact)] };
  }

  async #buildIndex(catalog: Catalog): Promise<SearchIndex> {
    // A caller that searches already knows the introspection.
    const operations = catalog.operations.filter(({ name }) => name !== INTROSPECT);
    const { meant } = await openFieldThesaurus();
    return buildSearchIndex(operations, SEARCH_SETTINGS, meant, this.#documentOf);
  }
}

interface SearchSource {
  readonly index: SearchIndex;
  readonly thesaurus: Thesaurus;
  readonly isCandidate: (operation: Operation) => boolean;
}

function find(text: string, { index, thesaurus, isCandidate }: SearchSource): ReturnType<typeof rankOperations> {
  const query = readQuery(text, thesaurus, SEARCH_SETTINGS, index.vocabulary);
  return rankOperations(index, query, SEARCH_SETTINGS, isCandidate);
}

/** Servers that are named where nothing fits. */
const MOST_NAMED = 20;

/** Says that likely nothing fits a request, and which servers there are. The hits stay, as this is a guess. */
function explainNoFit({ operations }: Pick<Catalog, 'operations'>, text: string, hits: readonly SearchHit[]): string {
  const servers = [...new Set(operations.map(({ upstream }) => upstream))]
    .filter((slug) => slug !== GATEWAY_SOURCE)
    .sort();
  const more = servers.length > MOST_NAMED ? ` and ${servers.length - MOST_NAMED} more` : '';
  return [
    `${hits.length > 0 ? 'Likely nothing' : 'Nothing'} here fits ${quoteValue(text.trim())}.`,
    ...(servers.length > 0 ? [`The servers are ${servers.slice(0, MOST_NAMED).join(', ')}${more}.`] : []),
    ...(hits.length > 0 ? ['What is listed is nearest, but likely something else.'] : []),
  ].join(' ');
}
