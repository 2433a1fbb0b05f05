import { braceExpand } from 'minimatch';
import type { JsonPath } from '../../base/json/json-path.js';
import { suggestName } from '../../base/lib/names.js';
import { ISSUER_SIGN } from '../../base/protocol/caller.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { MatchEntry, OneOrMany } from '../config-document.js';
import { CALLER_KEYS, type RuleMatch } from '../policy-config.js';
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

export function toList<T>(value: OneOrMany<T>): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

/** The conditions that hold patterns of names. */
const NAME_KEYS = ['operation', 'upstream', ...CALLER_KEYS] as const;

/** Reports patterns that cannot be used. */
export function noteGlobs({ params, ...match }: MatchEntry, path: JsonPath, diagnostics: Diagnostics): void {
  const places = [
    ...NAME_KEYS.map((key) => ({ at: [...path, key], given: match[key] })),
    ...Object.entries(params ?? {}).map(([name, { glob }]) => ({ at: [...path, 'params', name, 'glob'], given: glob })),
  ];
  for (const { at, given = [] } of places) {
    for (const [index, pattern] of toList(given).entries()) {
      const fault = findGlobFault(pattern);
      if (fault !== undefined) {
        diagnostics.problem(typeof given === 'string' ? at : [...at, index], fault.message, fault.suggestion);
      }
    }
  }
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

/** The characters that have a meaning in minimatch patterns. */
const PATTERN_SIGNS = /[*?[\]{}()]/;

/** Whether a text is a pattern and not a name. */
export function isPattern(text: string): boolean {
  return PATTERN_SIGNS.test(text);
}

/** Extended globs and named classes. Rules match values that callers send, so patterns must be cheap to match. */
const UNSUPPORTED = /[?*+@!]\(|\[:\w+:\]/;

const MAX_ALTERNATIVES = 64;

interface GlobFault {
  readonly message: string;
  readonly suggestion: string;
}

/** Why a rule's pattern cannot be used; undefined where it can. Rules know `*`, `?`, `**`, `[classes]` and `{braces}`. */
export function findGlobFault(pattern: string): GlobFault | undefined {
  if (UNSUPPORTED.test(pattern)) {
    return {
      message: 'expected a pattern without extended globs such as @(a|b), and without named classes',
      suggestion: 'write {a,b} for alternatives, and \\( for a parenthesis',
    };
  }
  if (braceExpand(pattern, { braceExpandMax: MAX_ALTERNATIVES + 1 }).length > MAX_ALTERNATIVES) {
    return {
      message: `expected braces of at most ${MAX_ALTERNATIVES} alternatives`,
      suggestion: 'write a list of patterns',
    };
  }
  return undefined;
}
