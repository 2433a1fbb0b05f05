import { groupBy } from '../base/lib/collections.js';
import { createNameSearch, type NameSearch, toSnakeCase } from '../base/lib/names.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER, RESERVED_OPERATIONS } from '../base/protocol/operation.js';
import type { Catalog, CatalogPart, Resolution } from './catalog.js';
import { holdersOf, type NameRules } from './names.js';

const MAX_NEAREST = 5;
const MAX_CANDIDATES = 10;
/** All parts of a grouped tool are listed, as the caller wants one of them. */
const MAX_PARTS = 50;
/** Only so many characters are compared; no client produces longer names. */
const MAX_COMPARED = 400;

/** What clients put between a server's name and a tool's. */
const SEPARATORS = /__|[.:/]/g;
/** What some clients put before a server's name. */
const CLIENT_PREFIX = 'mcp';

/** Who owns which name, and the exact look-up. */
interface NameScope extends Omit<NameRules, 'builtins' | 'holders'> {
  readonly holders: Pick<NameRules['holders'], 'get'>;
  readonly find: Catalog['find'];
}

/** Look-ups by other spellings over some operations. */
interface NameIndex {
  /** By the name within the upstream. */
  readonly byLocalName: LookUp;
  /** By the upstream's own spelling. */
  readonly byRawName: LookUp;
  /** The parts of grouped tools, by the snake_case name of the tool. */
  readonly byGroup: LookUp;
  readonly search: LookUp;
}

type LookUp = (name: string) => readonly Operation[];

/** The look-ups over all operations of a part, and over those of one upstream. */
type NameIndexes = (upstream?: string) => NameIndex;

/** The same for any part of what has been indexed. */
type PartIndexes = (show: CatalogPart['show'], upstream?: string) => NameIndex;

/**
 * Resolves a name, or explains what it could have meant. A name that is qualified with a configured upstream means that
 * upstream alone, present or not: nothing of another is matched or suggested. Only a name that is not found costs a search.
 */
export function createNameResolver(operations: readonly Operation[], scope: NameScope): NameResolver {
  let indexes: PartIndexes | undefined;
  const openIndexes = (): PartIndexes => {
    indexes ??= buildIndexes(operations);
    return indexes;
  };
  const everything: CatalogPart = { show: (operation) => operation, upstreams: scope.configured };
  return {
    resolve: resolveIn(everything, scope, openIndexes),
    // Parts share the indexes: there may be many, and what each holds of a large catalog is no less.
    within: (part) => ({ resolve: resolveIn(part, narrowScope(scope, part), openIndexes) }),
  };
}

interface NameResolver extends Pick<Catalog, 'resolve'> {
  within(part: CatalogPart): Pick<Catalog, 'resolve'>;
}

/**
 * What the names of a part may say: nothing of upstreams outside, nor that a name is shared with them. A name is held by those alone whose
 * operation the part has: otherwise the answer to a name would say that there is such an operation outside.
 */
function narrowScope(scope: NameScope, { show, upstreams }: CatalogPart): NameScope {
  const configured = new Set([...scope.configured].filter((slug) => upstreams.has(slug)));
  const isShown = (slug: string, name: string): boolean => {
    const operation = configured.has(slug) ? scope.find(slug + QUALIFIER + name) : undefined;
    return operation !== undefined && show(operation) !== undefined;
  };
  const holders: NameScope['holders'] = {
    get(name) {
      const slugs = (scope.holders.get(name) ?? []).filter((slug) => scope.configured.has(slug));
      return slugs.every((slug) => isShown(slug, name)) ? slugs : undefined;
    },
  };
  return {
    ...scope,
    configured,
    holders,
    pins: Object.fromEntries(Object.entries(scope.pins).filter(([name, slug]) => isShown(slug, name))),
    find(name) {
      const operation = scope.find(name);
      return operation === undefined ? undefined : show(operation);
    },
  };
}

function resolveIn(
  { show }: CatalogPart,
  scope: NameScope,
  openIndexes: () => PartIndexes,
): (given: string) => Resolution {
  const slugs = [...scope.configured, GATEWAY_SOURCE];
  const indexOf: NameIndexes = (upstream) => openIndexes()(show, upstream);
  return (given) => {
    const operation = scope.find(given);
    if (operation !== undefined) return { kind: 'found', operation };
    const name = given.slice(0, MAX_COMPARED);
    if (RESERVED_OPERATIONS.has(toSnakeCase(name))) return { kind: 'reserved' };
    const all = indexOf();
    const owned = explainOwned(name, all, scope);
    if (owned !== undefined) return owned;
    const qualified = splitQualified(name, new Set(slugs));
    const isRaw = all.byRawName(name).length > 0;
    // A tool may be called `delete.file`, but never `github__x` on behalf of `github`.
    if (qualified !== undefined && (qualified.separator === QUALIFIER || !isRaw)) {
      return explainWithin(qualified, indexOf(qualified.upstream));
    }
    const unknown = isRaw ? undefined : findUnknownPrefix(name, slugs);
    return unknown ?? findBySpelling(name, all) ?? explainUnknown(name, slugs, indexOf);
  };
}

function buildIndexes(operations: readonly Operation[]): PartIndexes {
  const byName = groupBy(operations, ({ name }) => name);
  const byLocalName = groupBy(operations, localNameOf);
  // The operation for the reads of a tool is never what the tool's own name means.
  const byRawName = groupBy(operations.filter(runsWhole), ({ tool }) => tool);
  const byGroup = groupBy(operations.filter(isPart), ({ tool }) => toSnakeCase(tool));
  const search = createNameSearch([...byName.keys()]);
  return (show, upstream) => {
    const isOwn = (operation: Operation): boolean => upstream === undefined || operation.upstream === upstream;
    const lookUpIn =
      (map: ReadonlyMap<string, readonly Operation[]>): LookUp =>
      (name) =>
        map.get(name)?.flatMap((operation) => (isOwn(operation) ? (show(operation) ?? []) : [])) ?? [];
    const namedSo = lookUpIn(byName);
    return {
      byLocalName: lookUpIn(byLocalName),
      byRawName: lookUpIn(byRawName),
      byGroup: lookUpIn(byGroup),
      search: (name) => searchNames(search, name, namedSo),
    };
  };
}

function searchNames(search: NameSearch, name: string, namedSo: LookUp): readonly Operation[] {
  return search(toSnakeCase(name), MAX_NEAREST, (each) => namedSo(each).length > 0).flatMap(namedSo);
}

/** A bare name that calls nothing: its owner does not offer it now, several share it, or it is not given yet. */
function explainOwned(name: string, { byLocalName }: NameIndex, scope: NameScope): Resolution | undefined {
  const candidates = byLocalName(name);
  const [owner, ...others] = holdersOf(name, scope);
  if (owner !== undefined && others.length === 0) return { kind: 'held', owner, candidates };
  if (candidates.length === 0) return undefined;
  if (owner !== undefined) return { kind: 'ambiguous', candidates };
  // A name that came when as many were held as are kept has no holder.
  return scope.waiting
    ? { kind: 'waiting', candidates }
    : { kind: 'raw-name', candidates: candidates.slice(0, MAX_CANDIDATES) };
}

interface QualifiedName {
  readonly upstream: string;
  readonly separator: string;
  readonly tail: string;
}

/** `github__x`, `mcp__github__x` and `github.x` name an upstream and something of it. */
function splitQualified(name: string, slugs: ReadonlySet<string>): QualifiedName | undefined {
  let start = 0;
  for (const { 0: separator, index } of name.matchAll(SEPARATORS)) {
    const upstream = toSnakeCase(name.slice(start, index));
    start = index + separator.length;
    if (index > 0 && slugs.has(upstream)) return { upstream, separator, tail: name.slice(start) };
  }
  return undefined;
}

function explainWithin({ upstream, tail }: Omit<QualifiedName, 'separator'>, index: NameIndex): Resolution {
  return findBySpelling(tail, index) ?? { kind: 'absent', upstream, nearest: index.search(tail) };
}

/** `x__create_issue` where no upstream is called `x`. After a client's prefix comes the client's name of this gateway. */
function findUnknownPrefix(name: string, slugs: readonly string[]): Resolution | undefined {
  const end = name.indexOf(QUALIFIER);
  const prefix = name.slice(0, Math.max(end, 0));
  if (prefix === '' || prefix === CLIENT_PREFIX) return undefined;
  const upstreams = slugs.filter((slug) => slug !== GATEWAY_SOURCE).sort();
  const similar = createNameSearch(upstreams)(toSnakeCase(prefix), MAX_NEAREST);
  const nearest = similar.length > 0 ? similar : upstreams.slice(0, MAX_CANDIDATES);
  return { kind: 'unknown-upstream', prefix, nearest };
}

/** The upstream's spelling, or that in another case, alone or behind something else: `mcp__gateway__createIssue`. */
function findBySpelling(name: string, index: NameIndex): Resolution | undefined {
  const starts = [0, ...Array.from(name.matchAll(SEPARATORS), (match) => match.index + match[0].length)];
  for (const start of starts) {
    const tail = name.slice(start);
    const snakeName = toSnakeCase(tail);
    const parts = index.byGroup(snakeName);
    const raw = index.byRawName(tail);
    const others = raw.length > 0 ? raw : index.byLocalName(snakeName);
    const found = describeFound([...parts, ...others], parts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined where nothing was found; `parts` are the operations that were found by their tool's name. */
function describeFound(operations: readonly Operation[], parts: readonly Operation[]): Resolution | undefined {
  const candidates = [...new Set(operations)];
  if (candidates.length === 0) return undefined;
  return candidates.every((operation) => parts.includes(operation))
    ? { kind: 'grouped', candidates: candidates.slice(0, MAX_PARTS) }
    : { kind: 'raw-name', candidates: candidates.slice(0, MAX_CANDIDATES) };
}

/**
 * `github_create_issue`: an upstream's name, separated by what also separates words. It is either that upstream's operation or
 * one whose own name begins so; another upstream's is no answer.
 */
function explainUnknown(name: string, slugs: readonly string[], indexOf: NameIndexes): Resolution {
  const snakeName = toSnakeCase(name).replace(new RegExp(`^${CLIENT_PREFIX}_`), '');
  const [upstream] = slugs.filter((slug) => snakeName.startsWith(`${slug}_`)).sort((a, b) => b.length - a.length);
  const nearest = indexOf().search(name);
  if (upstream === undefined) return { kind: 'unknown', nearest };
  const prefix = `${upstream}_`;
  const within = explainWithin({ upstream, tail: snakeName.slice(prefix.length) }, indexOf(upstream));
  if (within.kind !== 'absent') return within;
  const alike = nearest.filter((each) => each.upstream === upstream || localNameOf(each).startsWith(prefix));
  return alike.length > 0 ? { kind: 'unknown', nearest: alike } : within;
}

function runsWhole({ classification }: Operation): boolean {
  return classification.statement?.only !== true;
}

function isPart({ fixedArguments }: Operation): boolean {
  return fixedArguments !== undefined;
}

/** The name without its upstream; the exposed one may have a qualifier or not. */
export function localNameOf({ name, qualifiedName, upstream }: Operation): string {
  const prefix = upstream + QUALIFIER;
  return qualifiedName.startsWith(prefix) ? qualifiedName.slice(prefix.length) : name;
}
