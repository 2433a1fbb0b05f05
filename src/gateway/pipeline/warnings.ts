import { canonicalJson } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import { echoName, quoteValues } from '../../base/lib/text.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { Warning } from '../../base/protocol/result.js';
import type { UnknownInside } from '../../catalog/arguments/bind-arguments.js';
import type { ControlSet } from '../../results/query/result-types.js';

/** Collects the warnings of one answer without duplicates (companion document "warnings"). */
export interface Warnings {
  /** Adds a warning; undefined adds nothing. */
  add(warning: Warning | undefined): void;
  /** Most severe first, at most ten; the last gives the number of those left out. */
  render(): readonly Warning[];
}

/** Remembers which subjects a session has been warned about, so that it is warned once. */
export interface WarnedOnce {
  /** Whether the session has not been warned about the subject yet; from now on it has. */
  isFirstWarning(sessionId: string, subject: string): boolean;
  endSession(sessionId: string): void;
}

/** What the warnings of a successful call depend on. */
interface WarnedCall {
  readonly operation: Operation;
  readonly durationMs: number;
  /** Milliseconds from which a call counts as slow, unless its operation sets its own number. */
  readonly slowMs: number;
  /** Whether the session has not been warned yet that the operation is deprecated. */
  readonly isFirstWarning: () => boolean;
  /** Warnings about budgets that are nearly used up. */
  readonly quotaWarnings: readonly Warning[];
  /** Warnings about the answer, for example that it was cut. */
  readonly resultWarnings: readonly Warning[];
}

const NONE: readonly Warning[] = [];

/** All warnings of a call, deduplicated, most severe first, at most ten. Most calls have none. */
export function collectWarnings({
  operation,
  durationMs,
  slowMs,
  isFirstWarning,
  quotaWarnings,
  resultWarnings,
}: WarnedCall): readonly Warning[] {
  const slow = slowOperationWarning(operation, durationMs, operation.slowMs ?? slowMs);
  const deprecation =
    operation.deprecated === undefined || !isFirstWarning() ? undefined : deprecationWarning(operation);
  if (slow === undefined && deprecation === undefined && quotaWarnings.length === 0 && resultWarnings.length === 0)
    return NONE;
  const warnings = createWarnings();
  for (const warning of [...quotaWarnings, ...resultWarnings, deprecation, slow]) warnings.add(warning);
  return warnings.render();
}

/** The warning of a slow call; undefined where it was not slow. Both times are in milliseconds. */
export function slowOperationWarning(
  { name }: Operation,
  durationMs: number,
  thresholdMs: number,
): Warning | undefined {
  if (durationMs <= thresholdMs) return undefined;
  const duration = Math.round(durationMs);
  return {
    code: 'PERFORMANCE_SLOW_QUERY_WARNING',
    message: `Operation took ${duration}ms (threshold: ${thresholdMs}ms)`,
    details: { operation: name, duration_ms: duration, threshold_ms: thresholdMs },
    severity: slowness(durationMs / thresholdMs),
  };
}

/** By how many times the threshold was passed (companion document "warnings"). */
function slowness(times: number): NonNullable<Warning['severity']> {
  if (times > 10) return 'high';
  return times >= 2 ? 'medium' : 'low';
}

/** The warning of an update some of whose fields were null where the tool takes none. */
export function leftOutWarning(fields: readonly string[]): Warning {
  const names = fields.map((field) => `'${field}'`).join(', ');
  return {
    code: 'VALIDATION_NULL_LEFT_OUT_WARNING',
    message: `The tool takes no null for ${names}, so nothing was sent for it. To change it, give a value`,
    details: { fields },
    severity: 'medium',
  };
}

/** The warning of arguments that the client adds to its calls, as its operator says. */
export function ignoredWarning(names: readonly string[]): Warning {
  const shown = names.slice(0, 20);
  return {
    code: 'VALIDATION_ARGUMENT_IGNORED_WARNING',
    message: `Not sent, as the operation has no such parameter: ${shown.map((name) => `'${echoName(name)}'`).join(', ')}`,
    details: { arguments: shown.map(echoName) },
    severity: 'low',
  };
}

/** The warning of members in nested objects that their schema does not name: a server may ignore what is misspelt. */
export function unknownMembersWarning(unknown: readonly UnknownInside[]): Warning {
  const names = unknown.map(({ param, nearest }) => {
    return nearest === undefined ? `'${param}'` : `'${param}' (did you mean '${nearest}'?)`;
  });
  return {
    code: 'VALIDATION_UNKNOWN_MEMBER_WARNING',
    message: `The tool's schema does not name ${names.join(', ')}; it was sent, and the tool may have ignored it`,
    details: { members: unknown },
    severity: 'medium',
  };
}

/** The warning of controls by their plain names, of an operation whose tool may have parameters that its schema does not name. */
export function passedOnWarning(given: JsonObject, { names }: ControlSet, { scope }: Operation): Warning | undefined {
  const passed = [...names].filter(([control]) => Object.hasOwn(given, control) && !scope.byName.has(control));
  if (passed.length === 0) return undefined;
  const plain = passed.map(([control]) => control);
  return {
    code: 'VALIDATION_PASSED_ON_WARNING',
    message:
      `${quoteValues(plain)}: sent to the server, which may take more than its schema names and may have ignored it. ` +
      `The gateway's own, of the answer: ${quoteValues(passed.map(([, name]) => name))}`,
    details: { params: plain },
    severity: 'low',
  };
}

/** The warning of an operation that curation marks as deprecated; undefined where it is not. */
export function deprecationWarning({ name, deprecated }: Operation, now = Date.now()): Warning | undefined {
  if (deprecated === undefined) return undefined;
  const { replacement, removalDate, note } = deprecated;
  const sentences = [
    `Operation '${name}' is deprecated${removalDate === undefined ? '' : ` and will be removed on '${removalDate}'`}`,
    ...(replacement === undefined ? [] : [`Use '${replacement}' instead`]),
    ...(note === undefined ? [] : [note]),
  ];
  return {
    code: 'DEPRECATION_WARNING',
    message: sentences.join('. '),
    details: {
      type: 'operation',
      deprecated_item: name,
      ...(replacement === undefined ? {} : { replacement }),
      ...(removalDate === undefined ? {} : { removal_date: removalDate }),
    },
    severity: urgency(removalDate, now),
  };
}

const DAY_MS = 24 * 3_600_000;
const SOON_DAYS = 30;

/** By the days that are left until the removal (companion document "warnings"). */
function urgency(removalDate: string | undefined, now: number): NonNullable<Warning['severity']> {
  const removal = removalDate === undefined ? Number.NaN : Date.parse(removalDate);
  if (Number.isNaN(removal)) return 'low';
  return removal - now <= SOON_DAYS * DAY_MS ? 'high' : 'medium';
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

/** Equal warnings share one of these keys. */
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
  const mostSevere = warnings.slice(0, MOST_WARNINGS - 1);
  const leftOut: Warning = {
    code: 'VALIDATION_TRUNCATED_WARNING',
    message: `${warnings.length - mostSevere.length} more warnings were left out; the most severe are shown`,
    details: {
      field: 'warnings',
      original_count: warnings.length,
      truncated_count: mostSevere.length,
      limit: MOST_WARNINGS,
    },
    severity: 'low',
  };
  return [...mostSevere, leftOut];
}

/** The most subjects that are remembered for all sessions together; a forgotten one costs a repeated warning. */
const MOST_REMEMBERED = 10_000;

/** @param most how many subjects are remembered; the oldest sessions are forgotten first */
export function createWarnedOnce(most = MOST_REMEMBERED): WarnedOnce {
  const sessions = new Map<string, Set<string>>();
  let remembered = 0;
  const forget = (sessionId: string): void => {
    remembered -= sessions.get(sessionId)?.size ?? 0;
    sessions.delete(sessionId);
  };
  return {
    isFirstWarning(sessionId, subject) {
      const subjects = sessions.get(sessionId) ?? new Set<string>();
      if (subjects.has(subject)) return false;
      sessions.set(sessionId, subjects.add(subject));
      remembered += 1;
      for (const oldest of sessions.keys()) {
        if (remembered <= most) break;
        forget(oldest);
      }
      return true;
    },
    endSession: forget,
  };
}
