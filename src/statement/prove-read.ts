import type { Statement, StatementVerdict } from '../protocol/statement.js';
import { proveGraphql } from './prove-graphql.js';
import { proveSql } from './sql/prove-sql.js';

/**
 * Proves that a text only reads. Pure: equal texts have equal verdicts, and the work is bounded. What is not understood is not
 * proven.
 */
export function proveRead({ language, dialects }: Statement, text: unknown): StatementVerdict {
  if (typeof text !== 'string') return { read: false, why: 'it is no text' };
  return language === 'graphql' ? proveGraphql(text) : proveSql(text, dialects);
}
