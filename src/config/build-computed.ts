import { compileExpression } from '../protocol/expression/compile-expression.js';
import type { OperationEntry } from './config-document.js';
import type { Notes } from './config-report.js';
import type { CurationRule } from './gateway-config.js';
import type { JsonPath } from './json-path.js';

/** Computed fields with each expression in its place. An expression that cannot be read goes into the notes. */
export function buildComputed(
  entries: NonNullable<OperationEntry['computed']>,
  path: JsonPath,
  notes: Notes,
): NonNullable<CurationRule['computed']> {
  const fields = Object.entries(entries).map(([name, entry]) => {
    const field = typeof entry === 'string' ? { expression: entry } : entry;
    const at = typeof entry === 'string' ? [...path, name] : [...path, name, 'expression'];
    // Where there is none, that is known already.
    const compiled = notes.has(at) ? undefined : compileExpression(field.expression);
    if (compiled?.ok === false) notes.problem(at, compiled.problem);
    return [name, field] as const;
  });
  return Object.fromEntries(fields);
}
