import type { JsonPath } from '../../base/json/json-path.js';
import { isPattern } from '../../base/lib/glob.js';
import { suggestName } from '../../base/lib/names.js';
import { ISSUER_SIGN } from '../../base/protocol/caller.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { MatchEntry } from '../config-document.js';
import type { RuleMatch } from '../policy-config.js';
import { MATCH } from '../schema/policy-schema.js';
import { normalise } from '../schema/setting.js';
import type { Diagnostics } from './diagnostics.js';
import { toSlug } from './server-definition.js';

/** The names that rules and quotas may use. */
export interface KnownNames {
  /** In snake_case. */
  readonly upstreams: readonly string[];
  readonly clients: readonly string[];
  readonly views: readonly string[];
  /** Of `server.oauth`: their users and clients have names that the configuration does not know. */
  readonly issuers: readonly string[];
}

/** Builds the conditions of a rule or quota: single values become lists. */
export function buildMatch(entry: MatchEntry): RuleMatch {
  const { upstream, ...match } = normalise(MATCH, entry);
  // As in pins, an upstream's name may be written in any spelling.
  return upstream === undefined ? match : { ...match, upstream: toSlugs(upstream) };
}

/** Names as slugs; patterns are of slugs already. */
export function toSlugs(names: readonly string[]): readonly string[] {
  return names.map((name) => (isPattern(name) ? name : toSlug(name)));
}

/** Warns of unknown names: a rule with a misspelled name would silently match nothing. */
export function noteUnknownNames(
  { upstream, client, user, view }: RuleMatch,
  known: KnownNames,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const lists = [
    ['upstream', upstream, [...known.upstreams, GATEWAY_SOURCE]],
    ['client', client?.filter((name) => !isOfIssuer(name, known)), known.clients],
    ['user', user?.filter((name) => !isOfIssuer(name, known)), known.issuers.map((issuer) => `${issuer}:…`)],
    ['view', view, known.views],
  ] as const;
  for (const [key, names = [], candidates] of lists) {
    for (const name of names) {
      if (isPattern(name) || candidates.includes(name)) continue;
      const suggestion = suggestName(name, candidates);
      const message = `there is no ${key} '${name}'; it matches nothing`;
      diagnostics.warning([...path, key], suggestion === undefined ? message : `${message}; ${suggestion}`);
    }
  }
}

function isOfIssuer(name: string, { issuers }: KnownNames): boolean {
  return issuers.some((issuer) => name.startsWith(`${issuer}${ISSUER_SIGN}`));
}
