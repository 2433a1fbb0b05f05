import { groupBy } from '../lib/collections.js';
import { createNameSearch, type NameSearch, toSnakeCase } from '../lib/names.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';
import type { Catalog, Resolution } from './catalog.js';

const MAX_NEAREST = 5;
const MAX_CANDIDATES = 10;
/** All parts of a grouped tool are listed, as the caller wants one of them. */
const MAX_PARTS = 50;
/** Only so many characters are compared; no client produces longer names. */
const MAX_COMPARED = 400;

/** What clients put between a server's name and a tool's. */
const SEPARATORS = /__|[.:/]/g;

/** Look-ups by other spellings; built when a name is not found for the first time. */
interface NameIndex {
  /** By the name within the upstream. */
  readonly byLocalName: ReadonlyMap<string, readonly Operation[]>;
  /** By the upstream's own spelling. */
  readonly byRawName: ReadonlyMap<string, readonly Operation[]>;
  /** The parts of grouped tools, by the snake_case name of the tool. */
  readonly byGroup: ReadonlyMap<string, readonly Operation[]>;
  readonly upstreams: readonly string[];
  readonly search: NameSearch;
}

/** Resolves a name, or explains what it could have meant. Only a name that is not found costs a search. */
export function createNameResolver(operations: readonly Operation[], find: Catalog['find']): Catalog['resolve'] {
  let index: NameIndex | undefined;
  return (name) => {
    const operation = find(name);
    if (operation !== undefined) return { kind: 'found', operation };
    index ??= buildIndex(operations);
    return explain(name, index, find);
  };
}

function buildIndex(operations: readonly Operation[]): NameIndex {
  return {
    byLocalName: groupBy(operations, localNameOf),
    byRawName: groupBy(operations, (operation) => operation.tool),
    byGroup: groupBy(operations.filter(isPart), (operation) => toSnakeCase(operation.tool)),
    upstreams: [...new Set(operations.map((operation) => operation.upstream))],
    search: createNameSearch(operations.map((operation) => operation.name)),
  };
}

function explain(name: string, index: NameIndex, find: Catalog['find']): Resolution {
  const shared = index.byLocalName.get(name);
  if (shared !== undefined) return { kind: 'ambiguous', candidates: shared };
  const found = findByOtherSpelling(name.slice(0, MAX_COMPARED), index);
  if (found !== undefined) return found;
  const nearest = index.search(toSnakeCase(name), MAX_NEAREST);
  return { kind: 'unknown', nearest: nearest.flatMap((found) => find(found) ?? []) };
}

/** The upstream's spelling, or that in another case, alone or behind a server's name: `mcp__github__createIssue`. */
function findByOtherSpelling(name: string, index: NameIndex): Resolution | undefined {
  const starts = [0, ...Array.from(name.matchAll(SEPARATORS), (match) => match.index + match[0].length)];
  for (const start of starts) {
    const tail = name.slice(start);
    const snakeName = toSnakeCase(tail);
    const parts = index.byGroup.get(snakeName) ?? [];
    const others = index.byRawName.get(tail) ?? index.byLocalName.get(snakeName) ?? [];
    const found = describeFound(preferServer([...parts, ...others], name.slice(0, start)), parts);
    if (found !== undefined) return found;
  }
  return findBehindSlug(toSnakeCase(name), index);
}

/** Undefined where nothing was found; `parts` are the operations that were found by their tool's name. */
function describeFound(operations: readonly Operation[], parts: readonly Operation[]): Resolution | undefined {
  const candidates = [...new Set(operations)];
  if (candidates.length === 0) return undefined;
  return candidates.every((operation) => parts.includes(operation))
    ? { kind: 'grouped', candidates: candidates.slice(0, MAX_PARTS) }
    : { kind: 'raw-name', candidates: candidates.slice(0, MAX_CANDIDATES) };
}

/** Where the prefix names one of the upstreams, only operations of that upstream count. */
function preferServer(operations: readonly Operation[], prefix: string): readonly Operation[] {
  const server = `_${toSnakeCase(prefix)}`;
  const own = operations.filter(({ upstream }) => server.endsWith(`_${upstream}`));
  return own.length > 0 ? own : operations;
}

/** `github_create_issue` and `mcp_github_create_issue`: separated by what also separates words. */
function findBehindSlug(name: string, { upstreams, byLocalName, byGroup }: NameIndex): Resolution | undefined {
  const found = upstreams.map((upstream) => {
    const prefix = [`${upstream}_`, `mcp_${upstream}_`].find((candidate) => name.startsWith(candidate));
    const tail = prefix === undefined ? '' : name.slice(prefix.length);
    const ofUpstream = (operations: readonly Operation[] = []): readonly Operation[] =>
      operations.filter((operation) => operation.upstream === upstream);
    return { parts: ofUpstream(byGroup.get(tail)), others: ofUpstream(byLocalName.get(tail)) };
  });
  const parts = found.flatMap((one) => one.parts);
  return describeFound([...parts, ...found.flatMap((one) => one.others)], parts);
}

function isPart({ fixedArguments }: Operation): boolean {
  return fixedArguments !== undefined;
}

/** The name without its upstream; the exposed one may have a qualifier or not. */
export function localNameOf({ name, qualifiedName, upstream }: Operation): string {
  const prefix = upstream + QUALIFIER;
  return qualifiedName.startsWith(prefix) ? qualifiedName.slice(prefix.length) : name;
}
