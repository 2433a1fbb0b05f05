import type { Statement, StatementVerdict } from '../base/protocol/operation.js';
import { proveGraphql } from './statement/prove-graphql.js';
import { proveSql } from './statement/sql/prove-sql.js';

/**
 * Proves that a statement only reads. Pure: equal statements have equal verdicts, and the work is bounded. What is not understood is
 * not proven.
 */
export function proveRead({ language, dialects, rowFunctions }: Statement, value: unknown): StatementVerdict {
  if (typeof value !== 'string') return { read: false, why: 'it is no text' };
  return language === 'graphql' ? proveGraphql(value) : proveSql(value, dialects, rowFunctions);
}
