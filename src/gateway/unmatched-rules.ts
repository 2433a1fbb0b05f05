import { compileGlob, matchGlobs } from '../base/lib/glob.js';
import { suggestName } from '../base/lib/names.js';
import { type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { GatewayConfig } from '../config/gateway-config.js';

/** A rule or quota limit, and the patterns of operation names that it is about. */
interface NamedPatterns {
  readonly what: string;
  readonly patterns: readonly string[];
}

/**
 * One sentence for each pattern of a rule or quota limit that matches no operation, with the nearest name: a misspelled
 * `deny` denies nothing.
 */
export function describeUnmatched(
  { policy, quotas }: Pick<GatewayConfig, 'policy' | 'quotas'>,
  operations: readonly Operation[],
): readonly string[] {
  const names = [...new Set(operations.flatMap(namesOf))];
  const all: readonly NamedPatterns[] = [
    ...policy.rules.map(({ name, match }) => ({ what: `The rule '${name}'`, patterns: match.operation ?? [] })),
    ...quotas.limits.map(({ name, match }) => ({
      what: `The quota limit '${name}'`,
      patterns: match.operation ?? [],
    })),
  ];
  return all.flatMap(({ what, patterns }) =>
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

/** Every spelling by which a pattern can name the operation. */
function namesOf({ name, qualifiedName }: Operation): readonly string[] {
  const local = qualifiedName.split(QUALIFIER).at(-1) ?? name;
  return [name, qualifiedName, local];
}
