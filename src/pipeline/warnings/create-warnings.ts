import { canonicalJson } from '../../protocol/canonical-json.js';
import type { Warning } from '../../protocol/result.js';

/** The warnings of one answer: collected anywhere, told once each (companion document "warnings"). */
export interface Warnings {
  /** Takes a warning in; undefined is none, so that makers may say that there is nothing to warn of. */
  add(warning: Warning | undefined): void;
  /** Most severe first, at most ten; the last says how many others there are. */
  render(): readonly Warning[];
}

interface Collected {
  readonly warning: Warning;
  occurrences: number;
}

const MOST_WARNINGS = 10;

const SEVERITY_RANK = { high: 0, medium: 1, low: 2 } as const;

/**
 * Collects warnings. Two are the same when their code is, and their message or their details; the first is kept and counts the
 * others in `details.occurrence_count`.
 */
export function createWarnings(): Warnings {
  const all: Collected[] = [];
  const byKey = new Map<string, Collected>();
  return {
    add(warning) {
      if (warning === undefined) return;
      const keys = keysOf(warning);
      const known = keys.map((key) => byKey.get(key)).find((same) => same !== undefined);
      const entry = known ?? { warning, occurrences: 0 };
      entry.occurrences += occurrencesOf(warning);
      if (known === undefined) all.push(entry);
      for (const key of keys) byKey.set(key, entry);
    },
    render: () => cap(all.toSorted((a, b) => rankOf(a) - rankOf(b)).map(withCount)),
  };
}

/** What is equal for equal warnings. */
function keysOf({ code, message, details = {} }: Warning): readonly string[] {
  const { occurrence_count: _count, ...facts } = details;
  const byMessage = JSON.stringify([code, message]);
  return Object.keys(facts).length === 0 ? [byMessage] : [byMessage, `${code} ${canonicalJson(facts)}`];
}

function occurrencesOf({ details }: Warning): number {
  const count = details?.['occurrence_count'];
  return typeof count === 'number' ? count : 1;
}

function rankOf({ warning }: Collected): number {
  return SEVERITY_RANK[warning.severity ?? 'low'];
}

function withCount({ warning, occurrences }: Collected): Warning {
  return occurrences === 1 ? warning : { ...warning, details: { ...warning.details, occurrence_count: occurrences } };
}

function cap(warnings: readonly Warning[]): readonly Warning[] {
  if (warnings.length <= MOST_WARNINGS) return warnings;
  const told = warnings.slice(0, MOST_WARNINGS - 1);
  const leftOut: Warning = {
    code: 'VALIDATION_TRUNCATED_WARNING',
    message: `${warnings.length - told.length} more warnings were left out; the most severe are shown`,
    details: {
      field: 'warnings',
      original_count: warnings.length,
      truncated_count: told.length,
      limit: MOST_WARNINGS,
    },
    severity: 'low',
  };
  return [...told, leftOut];
}
