import type { Statement, StatementVerdict } from '../base/protocol/operation.js';
import { proveCypher } from './statement/cypher/prove-cypher.js';
import { CREDENTIAL_COLLECTION, proveCommand, provePipeline } from './statement/mongodb/prove-mongodb.js';
import { proveGraphql } from './statement/prove-graphql.js';
import { proveSql } from './statement/sql/prove-sql.js';

/**
 * Proves that a statement only reads. Pure: equal statements have equal verdicts, and the work is bounded. What is not understood is
 * not proven.
 */
export function proveRead({ language, dialects }: Statement, value: unknown): StatementVerdict {
  if (language === 'mongodb-command') return proveCommand(value);
  if (language === 'mongodb-pipeline') return provePipeline(value);
  if (typeof value !== 'string') return { read: false, why: 'it is no text' };
  if (language === 'graphql') return proveGraphql(value);
  return language === 'cypher' ? proveCypher(value) : proveSql(value, dialects);
}

/** Whether a parameter beside the statement names something that holds credentials: a pipeline's collection is given beside it. */
export function mayHoldCredentials({ language }: Statement, value: unknown): boolean {
  return language === 'mongodb-pipeline' && typeof value === 'string' && CREDENTIAL_COLLECTION.test(value);
}
