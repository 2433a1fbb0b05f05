import { compileExpression } from '../expression/compile.js';
import type { Operation } from '../protocol/operation.js';
import type { ComputedField } from './result-types.js';

const compiled = new WeakMap<Operation, readonly ComputedField[]>();

/** The computed fields of an operation's items, as its curation declares them; compiled once per operation. */
export function compileComputedFields(operation: Operation): readonly ComputedField[] {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const fields = Object.entries(operation.computed ?? {}).flatMap(([name, { expression, description = expression }]) =>
    compileField(name, expression, description),
  );
  compiled.set(operation, fields);
  return fields;
}

/** Empty for an expression that does not compile; a configuration with one does not load. */
function compileField(name: string, expression: string, description: string): readonly ComputedField[] {
  const result = compileExpression(expression);
  if (!result.ok) return [];
  return [{ name, description, type: result.type, compute: result.compute }];
}
