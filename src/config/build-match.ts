import { braceExpand } from 'minimatch';
import type { JsonPath } from '../lib/json-path.js';
import { suggestName } from '../lib/names.js';
import { GATEWAY_SOURCE } from '../protocol/operation.js';
import type { ConditionEntry, MatchEntry, OneOrMany } from './config-document.js';
import type { Diagnostics } from './diagnostics.js';
import type { ParamCondition, RuleMatch } from './gateway-config.js';
import { toSlug } from './server-definition.js';

/** The names that rules and quotas may speak of. */
export interface KnownNames {
  /** In snake_case. */
  readonly upstreams: readonly string[];
  readonly clients: readonly string[];
}

/** Which calls are meant, with lists as lists. */
export function buildMatch({ operation, category, danger, upstream, client, params }: MatchEntry): RuleMatch {
  const conditions = Object.entries(params ?? {}).map(([name, entry]) => [name, buildCondition(entry)] as const);
  return {
    ...(operation !== undefined && { operation: toList(operation) }),
    ...(category !== undefined && { category: toList(category) }),
    ...(danger !== undefined && { danger: toList(danger) }),
    // As pins do, names find their upstream in any spelling.
    ...(upstream !== undefined && {
      upstream: toList(upstream).map((name) => (isPattern(name) ? name : toSlug(name))),
    }),
    ...(client !== undefined && { client: toList(client) }),
    ...(params !== undefined && { params: Object.fromEntries(conditions) }),
  };
}

function buildCondition({ glob, ...rest }: ConditionEntry): ParamCondition {
  return { ...rest, ...(glob !== undefined && { glob: toList(glob) }) };
}

function toList<T>(value: OneOrMany<T>): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

/** Notes patterns that cannot be used. */
export function noteGlobs(
  { operation, upstream, client, params }: MatchEntry,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const places = [
    ...Object.entries({ operation, upstream, client }).map(([key, given]) => ({ at: [...path, key], given })),
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

/** A name that nobody has is a slip: what speaks of it would silently do nothing. */
export function noteUnknownNames(
  { upstream, client }: RuleMatch,
  known: KnownNames,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const lists = [
    ['upstream', upstream, [...known.upstreams, GATEWAY_SOURCE]],
    ['client', client, known.clients],
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

/** What minimatch gives a meaning of its own: such a pattern may match many names. */
const PATTERN_SIGNS = /[*?[\]{}()]/;

/** Whether a text is a pattern and not a name. */
export function isPattern(text: string): boolean {
  return PATTERN_SIGNS.test(text);
}

/** Extended globs and named classes. What rules are held against comes from callers, so patterns must be cheap to match. */
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
