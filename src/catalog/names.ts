import { groupBy } from '../lib/collections.js';
import { quoteValues } from '../lib/text.js';
import { QUALIFIER, RESERVED_OPERATIONS } from '../protocol/operation.js';
import type { Diagnostic } from '../protocol/tools.js';

/** A request for a name. */
export interface NameClaim {
  /** What is to be named; unique among the claims. */
  readonly key: string;
  /** The name it asks for. */
  readonly base: string;
  /** Where several claims ask for one name, the lowest rank gets it; among equals the key decides. */
  readonly rank: number;
}

/** A tool with the name that it asks for, unique within its upstream. */
interface NameRequest {
  readonly upstream: string;
  readonly localName: string;
}

interface ExposedNames {
  /** The exposed name of each request, in the requests' order. */
  readonly names: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What decides whether a name stays bare. */
interface NameRules {
  readonly builtins: ReadonlySet<string>;
  readonly pins: Readonly<Record<string, string>>;
}

/**
 * Bare names where they are unique, `upstream__name` where they are not. A pin reserves a bare name for one upstream, also
 * while that upstream is disconnected. No upstream gets a reserved or built-in name (specification 8.5.4).
 */
export function exposeNames(requests: readonly NameRequest[], rules: NameRules): ExposedNames {
  const owners = groupBy(requests, (request) => request.localName);
  const names = requests.map(({ localName, upstream }) =>
    staysBare(localName, upstream, owners.get(localName)?.length === 1, rules)
      ? localName
      : `${upstream}${QUALIFIER}${localName}`,
  );
  return { names, diagnostics: [...owners].flatMap(([name, owners]) => describeCollision(name, owners, rules)) };
}

function staysBare(name: string, upstream: string, isAlone: boolean, { builtins, pins }: NameRules): boolean {
  if (RESERVED_OPERATIONS.has(name) || builtins.has(name)) return false;
  const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined;
  return pinned === undefined ? isAlone : pinned === upstream;
}

function describeCollision(name: string, requests: readonly NameRequest[], { pins }: NameRules): readonly Diagnostic[] {
  const upstreams = requests.map((request) => request.upstream);
  if (upstreams.length < 2 || Object.hasOwn(pins, name)) return [];
  return upstreams.map((upstream) => {
    const others = quoteValues(upstreams.filter((other) => other !== upstream));
    const message = `'${name}' of '${upstream}' is called '${upstream}${QUALIFIER}${name}', as ${others} offers the name too; pins.${name} can give it to one`;
    return { severity: 'info', kind: 'name-qualified', upstream, message };
  });
}

/**
 * Gives every key a name of its own: the one it asks for, or that with `_2`, `_3`, ... The order of the claims does not
 * matter, and a suffixed name is never one that another claim asks for.
 */
export function assignUniqueNames(claims: readonly NameClaim[]): ReadonlyMap<string, string> {
  const asked = new Set(claims.map((claim) => claim.base));
  if (asked.size === claims.length) return new Map(claims.map((claim) => [claim.key, claim.base]));

  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { key, base } of claims.toSorted(byRankAndKey)) {
    const name = taken.has(base) ? suffixed(base, (candidate) => asked.has(candidate) || taken.has(candidate)) : base;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

function suffixed(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const name = `${base}_${number}`;
    if (!isTaken(name)) return name;
  }
}

function byRankAndKey(a: NameClaim, b: NameClaim): number {
  return a.rank - b.rank || (a.key < b.key ? -1 : 1);
}
