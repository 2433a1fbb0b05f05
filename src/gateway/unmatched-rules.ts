import { compileGlob, matchGlobs } from '../base/lib/glob.js';
import { suggestName } from '../base/lib/names.js';
import { localNameOf, type Operation, restrictedNames } from '../base/protocol/operation.js';
import { whenRuns } from '../base/protocol/policy-decision.js';
import type { GatewayConfig } from '../config/gateway-config.js';

/** A rule or quota limit, and the patterns of operation names that it is about. */
interface NamedPatterns {
  readonly what: string;
  readonly patterns: readonly string[];
  /** The names that they can match. */
  readonly names: readonly string[];
}

/**
 * One sentence for each pattern of a rule or quota limit that matches no operation, with the nearest name: a misspelled
 * `deny` denies nothing.
 */
export function describeUnmatched(
  { policy, quotas }: Pick<GatewayConfig, 'policy' | 'quotas'>,
  operations: readonly Operation[],
): readonly string[] {
  // Listing the names of ten thousand operations takes long.
  if ([...policy.rules, ...quotas.limits].every(({ match }) => match.operation === undefined)) return [];
  const own = [...new Set(operations.flatMap(ownNames))];
  const restricted = [...new Set(operations.flatMap(restrictedNames))];
  const all: readonly NamedPatterns[] = [
    ...policy.rules.map(({ name, decision, match }) => ({
      what: `The rule '${name}'`,
      patterns: match.operation ?? [],
      names: whenRuns(decision) === 'freely' ? own : restricted,
    })),
    ...quotas.limits.map(({ name, match }) => ({
      what: `The quota limit '${name}'`,
      patterns: match.operation ?? [],
      names: restricted,
    })),
  ];
  return all.flatMap(({ what, patterns, names }) =>
    patterns
      .filter((pattern) => !matchesAny(pattern, names))
      .map((pattern) => {
        const hint = suggestName(pattern, names);
        return `${what}: '${pattern}' matches no operation of the servers that are connected${hint === undefined ? '' : ` (${hint})`}.`;
      }),
  );
}

function matchesAny(pattern: string, names: readonly string[]): boolean {
  const globs = [compileGlob(pattern)];
  return names.some((name) => matchGlobs(globs, name) !== 'no');
}

/** The names by which a rule that allows can reach the operation; it does not reach the parts of a tool. */
function ownNames({ name, qualifiedName }: Operation): readonly string[] {
  return [name, qualifiedName, localNameOf({ qualifiedName })];
}
