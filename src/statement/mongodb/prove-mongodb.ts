import type { StatementVerdict } from '../../protocol/statement.js';
import { verdictOf } from '../not-proven.js';
import { ValueChecker } from './check-value.js';
import { LiteralReader } from './literal.js';
import { readShell } from './read-shell.js';

/** Proves that a pipeline, or its text in JSON, has only stages that read. */
export function provePipeline(statement: unknown): StatementVerdict {
  return verdictOf(() => {
    const stages = typeof statement === 'string' ? new LiteralReader(statement, false).whole() : statement;
    return new ValueChecker().pipeline(stages);
  });
}

/** Proves that the document of a command, or its text in JSON or in the words of the shell, only reads. */
export function proveCommand(statement: unknown): StatementVerdict {
  return verdictOf(() => {
    const checker = new ValueChecker();
    if (typeof statement !== 'string') return checker.command(statement);
    if (/^\s*db\b/.test(statement)) return readShell(new LiteralReader(statement, true), checker);
    return checker.command(new LiteralReader(statement, false).whole());
  });
}

export { CREDENTIAL_COLLECTION } from './words.js';
