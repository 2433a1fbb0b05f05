import { compileGlob, type Match, matchGlobs } from '../base/lib/glob.js';
import { dangerRank, type Operation, restrictedNames } from '../base/protocol/operation.js';
import type { ViewConfig } from '../config/gateway-config.js';
import type { GatewayStatus } from './status.js';

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
    const { classification } = operation;
    if (categories !== undefined && !categories.includes(classification.category)) return false;
    if (most !== undefined && dangerRank(classification.danger.level) > most) return false;
    // A name that others share now is excluded by its bare form still, and with a tool its parts.
    return excluded === undefined || excluded(restrictedNames(operation)) === 'no';
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

interface ViewedGateway {
  status(): GatewayStatus;
  inView(name: string): { status(): GatewayStatus } | undefined;
}

/** Whether a view has a server. One whose tools are not known yet, as its first user has to connect, is in every view that may have it. */
export function mayShow(gateway: ViewedGateway, view: ViewConfig, slug: string): boolean {
  const isShown =
    gateway
      .inView(view.name)
      ?.status()
      .upstreams.some((upstream) => upstream.slug === slug) ?? false;
  if (isShown || !compileViewFilter(view).mayHave(slug)) return isShown;
  return gateway.status().upstreams.some((upstream) => upstream.slug === slug && upstream.tools === 0);
}
