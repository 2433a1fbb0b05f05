import { groupBy } from '../protocol/group-by.js';
import { QUALIFIER, RESERVED_OPERATIONS } from '../protocol/operation.js';
import type { Finding } from '../protocol/raw-tool.js';
import { quoteValues } from './schema/quote-value.js';

/** A tool as it asks for a name: unique within its upstream. */
export interface NameRequest {
  readonly upstream: string;
  readonly localName: string;
}

export interface ExposedNames {
  /** The exposed name of each request, in the requests' order. */
  readonly names: readonly string[];
  readonly findings: readonly Finding[];
}

/** What decides whether a name stays bare. */
export interface NameRules {
  readonly builtins: ReadonlySet<string>;
  readonly pins: Readonly<Record<string, string>>;
}

/**
 * Bare names where they are unique, `upstream__name` where they are not. A pin gives a bare name to one upstream for good:
 * nobody else gets it, also while that upstream is away. Reserved and built-in names are never given away (specification 8.5.4).
 */
export function exposeNames(requests: readonly NameRequest[], rules: NameRules): ExposedNames {
  const owners = groupBy(requests, (request) => request.localName);
  const names = requests.map(({ localName, upstream }) =>
    staysBare(localName, upstream, owners.get(localName)?.length === 1, rules)
      ? localName
      : `${upstream}${QUALIFIER}${localName}`,
  );
  return { names, findings: [...owners].flatMap(([name, owners]) => describeCollision(name, owners, rules)) };
}

function staysBare(name: string, upstream: string, isAlone: boolean, { builtins, pins }: NameRules): boolean {
  if (RESERVED_OPERATIONS.has(name) || builtins.has(name)) return false;
  const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined;
  return pinned === undefined ? isAlone : pinned === upstream;
}

function describeCollision(name: string, requests: readonly NameRequest[], { pins }: NameRules): readonly Finding[] {
  const upstreams = requests.map((request) => request.upstream);
  if (upstreams.length < 2 || Object.hasOwn(pins, name)) return [];
  return upstreams.map((upstream) => {
    const others = quoteValues(upstreams.filter((other) => other !== upstream));
    const message = `'${name}' of '${upstream}' is called '${upstream}${QUALIFIER}${name}', as ${others} offers the name too; pins.${name} can give it to one`;
    return { severity: 'info', kind: 'name-qualified', upstream, message };
  });
}
