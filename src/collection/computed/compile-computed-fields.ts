import { compileExpression } from '../../protocol/expression/compile-expression.js';
import type { Operation } from '../../protocol/operation.js';
import type { ComputedField } from '../collection-query.js';

const compiled = new WeakMap<Operation, readonly ComputedField[]>();

/** The computed fields of an operation's items, as its curation declares them; compiled once an operation. */
export function compileComputedFields(operation: Operation): readonly ComputedField[] {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const fields = Object.entries(operation.computed ?? {}).flatMap(([name, { expression, description = expression }]) =>
    compileField(name, expression, description),
  );
  compiled.set(operation, fields);
  return fields;
}

/** None where the expression is none: a configuration with such a one does not load. */
function compileField(name: string, expression: string, description: string): readonly ComputedField[] {
  const result = compileExpression(expression);
  return result.ok ? [{ name, description, type: result.type, compute: result.compute }] : [];
}
