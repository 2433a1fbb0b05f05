import { buildMatch, type KnownNames, noteGlobs, noteUnknownNames } from './build-match.js';
import type { Notes } from './config-report.js';
import type { JsonPath } from './json-path.js';
import type { PolicyRule } from './policy-config.js';
import type { RuleEntry } from './policy-document.js';

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
    noteUnknownNames(rule.match, known, [...path, 'match'], notes);
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
