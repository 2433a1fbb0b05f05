import { compileExpression } from '../expression/compile.js';
import type { Operation } from '../protocol/operation.js';
import type { ComputedField } from './result-types.js';

/** The computed fields of an operation's items, as its curation declares them. Its controls keep them (`ResultService.controlsOf`). */
export function compileComputedFields({ computed = {} }: Operation): readonly ComputedField[] {
  return Object.entries(computed).flatMap(([name, { expression, description = expression }]) =>
    compileField(name, expression, description),
  );
}

/** Empty for an expression that does not compile; a configuration with one does not load. */
function compileField(name: string, expression: string, description: string): readonly ComputedField[] {
  const result = compileExpression(expression);
  if (!result.ok) return [];
  return [{ name, description, type: result.type, compute: result.compute }];
}
