import type { Category } from '../protocol/category.js';
import type { Notes } from './config-report.js';
import { findGlobFault } from './find-glob-fault.js';
import type { JsonPath } from './json-path.js';
import type { ApiLimit } from './quota-config.js';
import type { ApiLimitEntry } from './quota-document.js';
import type { NotedDefinition } from './server-definition.js';

/** The key that says what a limit of this scope is about; every call needs none. */
const SUBJECTS = { global: undefined, endpoint: 'operation', category: 'category' } as const satisfies Readonly<
  Record<ApiLimit['scope'], string | undefined>
>;

/** How many calls a server takes: what the last place that speaks of it says. What is wrong goes into the notes. */
export function buildApiLimits(definitions: readonly NotedDefinition[]): readonly ApiLimit[] {
  const last = definitions.findLast(({ entry }) => entry.api_limits !== undefined);
  if (last === undefined) return [];
  const seen = new Set<string>();
  return (last.entry.api_limits ?? []).flatMap((entry, index) => {
    const path = [...last.path, 'api_limits', index];
    if (last.notes.has(path)) return [];
    const limit = buildApiLimit(entry);
    noteSubject(entry, path, last.notes);
    noteTwin(limit, path, seen, last.notes);
    return [limit];
  });
}

function buildApiLimit({ scope, operation, category, limit, window }: ApiLimitEntry): ApiLimit {
  return {
    scope,
    ...(operation !== undefined && { operation }),
    ...(category !== undefined && { category: category.toUpperCase() as Category }),
    limit,
    window,
  };
}

function noteSubject(entry: ApiLimitEntry, path: JsonPath, notes: Notes): void {
  const { scope, operation } = entry;
  const subject = SUBJECTS[scope];
  if (subject !== undefined && entry[subject] === undefined) {
    notes.problem([...path, subject], `missing; a limit of the scope '${scope}' says of which`);
  }
  for (const key of ['operation', 'category'] as const) {
    if (key === subject || entry[key] === undefined) continue;
    notes.problem(
      [...path, key],
      `a limit of the scope '${scope}' has no '${key}'`,
      'change the scope, or leave it out',
    );
  }
  const fault = operation === undefined ? undefined : findGlobFault(operation);
  if (fault !== undefined) notes.problem([...path, 'operation'], fault.message, fault.suggestion);
}

/** Two limits on the same calls in the same window are one: the lower. */
function noteTwin(
  { scope, operation, category, window }: ApiLimit,
  path: JsonPath,
  seen: Set<string>,
  notes: Notes,
): void {
  const what = JSON.stringify([scope, operation, category, window]);
  if (seen.has(what)) notes.problem(path, `there is such a limit per ${window} already`, 'keep the lower of them');
  seen.add(what);
}
