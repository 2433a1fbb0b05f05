import type { ViewConfig } from '../config/gateway-config.js';
import { compileGlob, type Match, matchGlobs } from '../lib/glob.js';
import { dangerRank, localNameOf, type Operation } from '../protocol/operation.js';

/** Which servers and operations a view has by its configuration. */
export interface ViewFilter {
  /** Whether the view may have operations of the upstream. */
  mayHave(upstream: string): boolean;
  /** Whether the upstream exists in the view whatever operations it has, as the view names upstreams. */
  names(upstream: string): boolean;
  /** Whether the view has this operation of an upstream. */
  has(operation: Operation): boolean;
  /** The same for one of the gateway's own, which need not be included. */
  hasOwn(operation: Operation): boolean;
}

type Matcher = (names: readonly string[]) => Match;

/** Compiles the patterns once. In doubt an operation is outside. */
export function compileViewFilter({ upstreams, operations }: Pick<ViewConfig, 'upstreams' | 'operations'>): ViewFilter {
  const { include, exclude = [], categories, danger } = operations;
  const matchUpstream = upstreams === undefined ? undefined : compileMatcher(upstreams);
  const included = include === undefined ? undefined : compileMatcher(include);
  const excluded = exclude.length === 0 ? undefined : compileMatcher(exclude);
  const most = danger === undefined ? undefined : dangerRank(danger);
  const isFiltered = [include, categories, danger].some((each) => each !== undefined) || exclude.length > 0;
  // There are few upstreams and many operations.
  const known = new Map<string, boolean>();
  const mayHave = (upstream: string): boolean => {
    if (matchUpstream === undefined) return true;
    const matches = known.get(upstream) ?? matchUpstream([upstream]) === 'yes';
    known.set(upstream, matches);
    return matches;
  };
  const hasOwn = (operation: Operation): boolean => {
    const { classification, name, qualifiedName } = operation;
    if (categories !== undefined && !categories.includes(classification.category)) return false;
    if (most !== undefined && dangerRank(classification.danger.level) > most) return false;
    // A name that others share now is excluded by its bare form still.
    return excluded === undefined || excluded([name, qualifiedName, localNameOf(operation)]) === 'no';
  };
  return {
    mayHave,
    names: (upstream) => (matchUpstream === undefined ? !isFiltered : mayHave(upstream)),
    has: (operation) =>
      mayHave(operation.upstream) &&
      (included === undefined || included([operation.name, operation.qualifiedName]) === 'yes') &&
      hasOwn(operation),
    hasOwn,
  };
}

function compileMatcher(patterns: readonly string[]): Matcher {
  const globs = patterns.map(compileGlob);
  return (names) => {
    const matches = [...new Set(names)].map((name) => matchGlobs(globs, name));
    return matches.includes('yes') ? 'yes' : matches.includes('doubt') ? 'doubt' : 'no';
  };
}
