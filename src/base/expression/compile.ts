import { cutText, type Expression, type InferredType, readField } from './operators.js';
import { parseExpression } from './parse.js';

/** Computes an expression over one item. Never throws: what cannot be computed is null. */
type Computation = (item: unknown, now: number) => string | number | boolean | null;

type CompiledExpression =
  | {
      readonly ok: true;
      readonly compute: Computation;
      /** The type of its values, as far as the expression shows; 'string' where only the data decide. */
      readonly type: 'string' | 'number' | 'boolean';
    }
  /** One line: what is wrong, what was expected, and at which character. */
  | { readonly ok: false; readonly problem: string };

/**
 * Compiles an expression over an item's fields: `days_since(created_at) > 30 and state == 'open'`. It reads own members of plain
 * data and nothing else; the work for one item is bounded by the expression's length and by the elements read of each list.
 */
export function compileExpression(text: string): CompiledExpression {
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed;
  const { expression } = parsed;
  const type = inferType(expression);
  return {
    ok: true,
    compute: (item, now) => toScalar(evaluate(expression, item, now)),
    type: type === 'unknown' ? 'string' : type,
  };
}

function evaluate(expression: Expression, item: unknown, now: number): unknown {
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'field':
      return readField(item, expression.path);
    case 'application': {
      const operands = expression.operands.map((operand) => evaluate(operand, item, now));
      const value = expression.does.apply(operands, now) ?? null;
      return typeof value === 'number' && !Number.isFinite(value) ? null : value;
    }
  }
}

function toScalar(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return cutText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function inferType(expression: Expression): InferredType {
  switch (expression.kind) {
    case 'value':
      return TYPES[typeof expression.value] ?? 'unknown';
    case 'field':
      return 'unknown';
    case 'application': {
      const { type } = expression.does;
      return typeof type === 'string' ? type : type(expression.operands.map(inferType));
    }
  }
}

const TYPES: Readonly<Record<string, InferredType>> = { string: 'string', number: 'number', boolean: 'boolean' };
