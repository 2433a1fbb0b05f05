import { QUALIFIER, RESERVED_OPERATIONS } from '../protocol/operation.js';
import type { Notes } from './config-report.js';
import { isPattern } from './is-pattern.js';
import type { PolicyRule } from './policy-config.js';

/** What decides whose operation a bare name is. */
export interface NameOwners {
  /** All upstreams, in snake_case. */
  readonly upstreams: readonly string[];
  readonly pins: Readonly<Record<string, string>>;
}

/**
 * Warns of rules that vouch for an operation by a name that any upstream may come to have: whoever offers it while its owner is
 * away is allowed, however little it is trusted.
 */
export function noteBareAllows(rules: readonly PolicyRule[], { upstreams, pins }: NameOwners, notes: Notes): void {
  if (upstreams.length < 2) return;
  const isOwned = (name: string): boolean =>
    isPattern(name) || name.includes(QUALIFIER) || RESERVED_OPERATIONS.has(name) || Object.hasOwn(pins, name);
  for (const [index, { decision, match }] of rules.entries()) {
    if (decision !== 'allow' || match.upstream !== undefined) continue;
    for (const name of match.operation ?? []) {
      if (isOwned(name)) continue;
      notes.warning(
        ['policy', 'rules', index, 'match', 'operation'],
        `'${name}' is allowed for whichever upstream has the name, also while its owner is away; write 'UPSTREAM${QUALIFIER}${name}', or give the name to one in 'pins'`,
      );
    }
  }
}
