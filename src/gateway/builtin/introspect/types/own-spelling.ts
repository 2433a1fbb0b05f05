import type { Operation } from '../../../../base/protocol/operation.js';
import type { Catalog } from '../../../../catalog/catalog.js';

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
export function createRespelling(toolNames: ToolNames): (operation: Operation) => Respell {
  return (operation) => {
    const tools = toolNames.get(operation.upstream) ?? NO_NAMES;
    const parameters = new Map(
      operation.parameters.flatMap(({ upstreamName, name }) =>
        needs(upstreamName, name) ? [[upstreamName, name]] : [],
      ),
    );
    if (tools.size + parameters.size === 0) return (text) => text;
    return (text) => text.replace(WORD, (word) => parameters.get(word) ?? tools.get(word) ?? word);
  };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** What the tools of each upstream are called here, where they are written otherwise there; a tool that became several operations keeps its name. */
export type ToolNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function readToolNames({ operations }: Pick<Catalog, 'operations'>): ToolNames {
  const named = new Map<string, Map<string, string | undefined>>();
  for (const { upstream, tool, name } of operations) {
    const own = named.get(upstream) ?? new Map<string, string | undefined>();
    named.set(upstream, own.set(tool, own.has(tool) ? undefined : name));
  }
  const names = new Map<string, Map<string, string>>();
  for (const [upstream, tools] of named) {
    const own = new Map<string, string>();
    for (const [tool, name] of tools) {
      if (name !== undefined && needs(tool, name)) own.set(tool, name);
    }
    names.set(upstream, own);
  }
  return names;
}

function needs(spelling: string, name: string): boolean {
  return spelling !== name && SPELLING.test(spelling);
}
