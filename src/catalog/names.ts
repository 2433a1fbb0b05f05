import { groupBy } from '../base/lib/collections.js';
import { quoteValues } from '../base/lib/text.js';
import { QUALIFIER, RESERVED_OPERATIONS } from '../base/protocol/operation.js';
import type { Diagnostic } from '../base/protocol/tools.js';

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

/**
 * The upstreams, by slug, that offered each bare name when it was first seen. One holder has the name; several share it, and
 * then nobody has it. Names never move by themselves: an upstream that is absent, or no longer offers a tool, keeps its names.
 */
export type NameHolders = ReadonlyMap<string, readonly string[]>;

interface ExposedNames {
  /** The exposed name of each request, in the requests' order. */
  readonly names: readonly string[];
  /** The holders with the names that are new; the same map where none is. */
  readonly holders: NameHolders;
  readonly diagnostics: readonly Diagnostic[];
}

/** What decides whether a name stays bare. */
export interface NameRules {
  readonly builtins: ReadonlySet<string>;
  readonly pins: Readonly<Record<string, string>>;
  readonly holders: NameHolders;
  /** The slugs of all configured upstreams, disabled ones included. Names of others are free. */
  readonly configured: ReadonlySet<string>;
  /** Whether new names stay qualified, because an upstream that may offer them too has never been seen. */
  readonly waiting: boolean;
}

/**
 * Bare names where they have one holder, `upstream__name` elsewhere. A pin reserves a bare name for one upstream, also
 * while that upstream is disconnected. No upstream gets a reserved or built-in name (specification 8.5.4).
 */
export function exposeNames(requests: readonly NameRequest[], rules: NameRules): ExposedNames {
  const holders = rules.waiting ? rules.holders : claimNames(requests, rules);
  const named = requests.map((request) => {
    const reason = whyQualified(request, { ...rules, holders });
    const { localName, upstream } = request;
    return { name: reason === undefined ? localName : `${upstream}${QUALIFIER}${localName}`, reason };
  });
  const diagnostics = requests.flatMap((request, index) => describeQualified(request, named[index]?.reason));
  return { names: named.map(({ name }) => name), holders, diagnostics };
}

/** Gives every name that no configured upstream holds to those that ask for it now. */
function claimNames(requests: readonly NameRequest[], rules: NameRules): NameHolders {
  const unheld = requests.filter(({ localName }) => holdersOf(localName, rules).length === 0);
  if (unheld.length === 0) return rules.holders;
  const held = new Map<string, number>();
  for (const slug of [...rules.holders.values()].flat()) held.set(slug, (held.get(slug) ?? 0) + 1);
  const holders = new Map(rules.holders);
  for (const [name, claimants] of groupBy(unheld, ({ localName }) => localName)) {
    const slugs = [...new Set(claimants.map(({ upstream }) => upstream))].sort();
    if (slugs.some((slug) => (held.get(slug) ?? 0) >= MOST_NAMES_HELD)) continue;
    holders.set(name, slugs);
    for (const slug of slugs) held.set(slug, (held.get(slug) ?? 0) + 1);
  }
  return holders;
}

/**
 * What one upstream holds at most, as many as are read of one list (`upstream/tool-list.ts`): a list that changes for ever must
 * not take every name, nor fill the memory.
 */
const MOST_NAMES_HELD = 50_000;

interface HolderRules extends Pick<NameRules, 'pins' | 'configured'> {
  readonly holders: Pick<NameHolders, 'get'>;
}

/** The configured upstreams that hold a bare name; the one that it is pinned to comes alone. */
export function holdersOf(name: string, { pins, holders, configured }: HolderRules): readonly string[] {
  const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined;
  return pinned === undefined ? (holders.get(name) ?? []).filter((slug) => configured.has(slug)) : [pinned];
}

type QualifiedReason =
  | { readonly kind: 'reserved' | 'builtin' | 'pinned' | 'waiting' }
  | { readonly kind: 'shared'; readonly others: readonly string[] }
  | { readonly kind: 'held'; readonly owner: string };

/** Undefined where the name stays bare. */
function whyQualified({ localName: name, upstream }: NameRequest, rules: NameRules): QualifiedReason | undefined {
  if (RESERVED_OPERATIONS.has(name)) return { kind: 'reserved' };
  if (rules.builtins.has(name)) return { kind: 'builtin' };
  const holders = holdersOf(name, rules);
  const [first, ...rest] = holders;
  if (first === undefined) return { kind: 'waiting' };
  if (Object.hasOwn(rules.pins, name)) return first === upstream ? undefined : { kind: 'pinned' };
  if (rest.length > 0) return { kind: 'shared', others: holders.filter((slug) => slug !== upstream) };
  return first === upstream ? undefined : { kind: 'held', owner: first };
}

/** Names that wait have one diagnostic for all in `buildCatalog`; what is pinned is as the operator wants it. */
function describeQualified(
  { localName: name, upstream }: NameRequest,
  reason: QualifiedReason | undefined,
): readonly Diagnostic[] {
  const report = (severity: Diagnostic['severity'], kind: string, why: string): readonly Diagnostic[] => {
    const message = `'${name}' of '${upstream}' is called '${upstream}${QUALIFIER}${name}', as ${why}`;
    return [{ severity, kind, upstream, message }];
  };
  switch (reason?.kind) {
    case 'reserved':
      return report('warning', 'name-reserved', 'the protocol reserves the name: review why a server uses it');
    case 'builtin':
      return report('info', 'name-qualified', 'an operation of the gateway itself has the name');
    case 'held': {
      const why = `'${reason.owner}' had the name first; pins.${name} can give it to '${upstream}'`;
      return report('info', 'name-qualified', why);
    }
    case 'shared': {
      const why = `${quoteValues(reason.others)} offers the name too; pins.${name} can give it to one`;
      return report('info', 'name-qualified', why);
    }
    default:
      return [];
  }
}

/**
 * Gives every key a name of its own: the one it asks for, or that with `_2`, `_3`, ... The order of the claims does not
 * matter, and a suffixed name is never one that another claim asks for.
 */
export function assignUniqueNames(claims: readonly NameClaim[]): ReadonlyMap<string, string> {
  const asked = new Set(claims.map((claim) => claim.base));
  if (asked.size === claims.length) return new Map(claims.map((claim) => [claim.key, claim.base]));

  const names = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const { key, base } of claims.toSorted(byRankAndKey)) {
    // A name that is asked for is nobody's by its number, so only claims of one base compete for the numbers after it.
    let number = numbers.get(base) ?? 1;
    while (number > 1 && asked.has(`${base}_${number}`)) number += 1;
    numbers.set(base, number + 1);
    names.set(key, number === 1 ? base : `${base}_${number}`);
  }
  return names;
}

function byRankAndKey(a: NameClaim, b: NameClaim): number {
  return a.rank - b.rank || (a.key < b.key ? -1 : 1);
}
