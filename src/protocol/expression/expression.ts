/** A text of more characters is not read. */
export const MAX_EXPRESSION_LENGTH = 1000;

/** What an expression is known to give before it is computed; `unknown` where only the data decide. */
export type InferredType = 'string' | 'number' | 'boolean' | 'unknown';

/**
 * What an operator or a function does. Values are JSON values, with null for everything that is missing; a result that is
 * no JSON value (not a number, infinite) counts as null.
 */
export interface Application {
  readonly type: InferredType | ((operands: readonly InferredType[]) => InferredType);
  /** Never throws. @param now milliseconds since the epoch */
  readonly apply: (operands: readonly unknown[], now: number) => unknown;
}

/** An expression once it is understood. */
export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'application'; readonly does: Application; readonly operands: readonly Expression[] };
