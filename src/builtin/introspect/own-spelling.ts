import type { Catalog } from '../../catalog/catalog.js';
import { groupBy } from '../../lib/collections.js';
import type { Operation } from '../../protocol/operation.js';

/** Writes the gateway's names where an upstream's text has its own: `searchType` becomes `search_type`. */
export type Respell = (text: string) => string;

/** A word of a text that may be a name. What is part of a path, an address or a longer name is none. */
const WORD = /(?<![\w./@$-])[A-Za-z][\w-]*\w(?![\w/@]|\.\w)/g;

/** A word that is written like a name and like nothing else: `searchType`, `list_tables`, `git-log`. */
const SPELLING = /[a-z\d][A-Z]|[_-]/;

/**
 * Respells the texts of operations. Callers write names as introspection gives them: parameters in snake_case, and operations qualified
 * where two upstreams offer the same one. A word that could be ordinary English stays as it is.
 */
export function createRespelling(catalog: Catalog): (operation: Operation) => Respell {
  const byUpstream = new Map<string, ReadonlyMap<string, string>>();
  const toolsOf = (upstream: string): ReadonlyMap<string, string> => {
    const tools = byUpstream.get(upstream) ?? readTools(catalog, upstream);
    byUpstream.set(upstream, tools);
    return tools;
  };
  return (operation) => {
    const tools = toolsOf(operation.upstream);
    const parameters = new Map(
      operation.parameters.flatMap(({ upstreamName, name }) =>
        needs(upstreamName, name) ? [[upstreamName, name]] : [],
      ),
    );
    if (tools.size + parameters.size === 0) return (text) => text;
    return (text) => text.replace(WORD, (word) => parameters.get(word) ?? tools.get(word) ?? word);
  };
}

/** What the tools of an upstream are called here; one that became several operations keeps its name. */
function readTools({ operations }: Catalog, upstream: string): ReadonlyMap<string, string> {
  const own = operations.filter((operation) => operation.upstream === upstream);
  // Most upstreams spell all names as callers do, and an upstream may have thousands.
  if (!own.some(({ tool, name }) => needs(tool, name))) return new Map();
  const entries = [...groupBy(own, ({ tool }) => tool)].flatMap(([tool, [first, ...more]]) =>
    first !== undefined && more.length === 0 && needs(tool, first.name) ? [[tool, first.name] as const] : [],
  );
  return new Map(entries);
}

function needs(spelling: string, name: string): boolean {
  return spelling !== name && SPELLING.test(spelling);
}
