import { GATEWAY_SOURCE } from '../protocol/operation.js';
import type { Notes } from './config-report.js';
import { findGlobFault } from './find-glob-fault.js';
import { isPattern } from './is-pattern.js';
import type { JsonPath } from './json-path.js';
import { suggestName } from './nearest-name.js';
import type { ParamCondition, PolicyRule, RuleMatch } from './policy-config.js';
import type { ConditionEntry, MatchEntry, OneOrMany, RuleEntry } from './policy-document.js';
import { toSlug } from './slug.js';

/** The names that rules may speak of. */
export interface KnownNames {
  /** In snake_case. */
  readonly upstreams: readonly string[];
  readonly clients: readonly string[];
}

const PATH: JsonPath = ['policy', 'rules'];

/** The policy rules, in order and with their lists as lists. What is wrong with one goes into the notes. */
export function buildRules(
  entries: readonly RuleEntry[] | undefined,
  known: KnownNames,
  notes: Notes,
): readonly PolicyRule[] {
  const places = new Map<string, number>();
  return (entries ?? []).map((entry, index) => {
    const path = [...PATH, index];
    const rule = buildRule(entry, index);
    // What follows from a fault of form is no news.
    if (!notes.has(path)) {
      noteContradictions(entry, path, notes);
      noteGlobs(entry.match ?? {}, [...path, 'match'], notes);
    }
    noteUnknownNames(rule.match, known, path, notes);
    const first = places.get(rule.name);
    if (first === undefined) places.set(rule.name, index);
    else notes.problem([...path, 'name'], `rule ${first + 1} is called '${rule.name}' too`, 'choose another name');
    return rule;
  });
}

function buildRule(entry: RuleEntry, index: number): PolicyRule {
  const { name = `rule ${index + 1}`, match = {}, decision, reason, requires = 'token', cooldown_seconds } = entry;
  return {
    name,
    match: buildMatch(match),
    decision,
    ...(reason !== undefined && { reason }),
    requires,
    ...(cooldown_seconds !== undefined && { cooldownSeconds: cooldown_seconds }),
  };
}

function buildMatch({ operation, category, danger, upstream, client, params }: MatchEntry): RuleMatch {
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

function noteContradictions({ match = {}, decision, ...rest }: RuleEntry, path: JsonPath, notes: Notes): void {
  if (decision === 'allow' && Object.keys(match).length === 0) {
    notes.problem([...path, 'match'], 'a rule that allows must say what', 'name operations, categories or the like');
  }
  for (const key of ['requires', 'cooldown_seconds'] as const) {
    if (rest[key] === undefined || decision === 'confirm') continue;
    notes.problem(
      [...path, key],
      "only a rule with the decision 'confirm' has it",
      'change the decision, or leave it out',
    );
  }
  for (const [name, condition] of Object.entries(match.params ?? {})) {
    if (condition.present !== false || Object.keys(condition).length === 1) continue;
    notes.problem(
      [...path, 'match', 'params', name],
      "a parameter that is not given ('present': false) meets no other condition",
      'leave one of them out',
    );
  }
}

function noteGlobs({ operation, upstream, client, params }: MatchEntry, path: JsonPath, notes: Notes): void {
  const places = [
    ...Object.entries({ operation, upstream, client }).map(([key, given]) => ({ at: [...path, key], given })),
    ...Object.entries(params ?? {}).map(([name, { glob }]) => ({ at: [...path, 'params', name, 'glob'], given: glob })),
  ];
  for (const { at, given = [] } of places) {
    for (const [index, pattern] of toList(given).entries()) {
      const fault = findGlobFault(pattern);
      if (fault !== undefined) {
        notes.problem(typeof given === 'string' ? at : [...at, index], fault.message, fault.suggestion);
      }
    }
  }
}

/** A name that nobody has is a slip: such a rule would silently do nothing. */
function noteUnknownNames({ upstream, client }: RuleMatch, known: KnownNames, path: JsonPath, notes: Notes): void {
  const lists = [
    ['upstream', upstream, [...known.upstreams, GATEWAY_SOURCE]],
    ['client', client, known.clients],
  ] as const;
  for (const [key, names = [], candidates] of lists) {
    for (const name of names) {
      if (isPattern(name) || candidates.includes(name)) continue;
      const suggestion = suggestName(name, candidates);
      const message = `there is no ${key} '${name}'; it matches nothing`;
      notes.warning([...path, 'match', key], suggestion === undefined ? message : `${message}; ${suggestion}`);
    }
  }
}
