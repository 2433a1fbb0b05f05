import type { StatementVerdict } from '../../protocol/statement.js';
import { Cursor } from '../cursor.js';
import { verdictOf } from '../not-proven.js';
import { CypherReader } from './query.js';
import { readTokens } from './tokens.js';
import { SHOWN } from './words.js';

/**
 * Proves that a text is one Cypher statement that changes nothing. Everything that is doubtful is not proven. The work is bounded by the
 * length of the text.
 */
export function proveCypher(text: string): StatementVerdict {
  return verdictOf(() => {
    const cursor = new Cursor(readTokens(text));
    const kind = readStatement(cursor);
    cursor.takesSymbol(';');
    if (cursor.peek().kind !== 'end') cursor.refuse();
    return kind;
  });
}

/** EXPLAIN runs nothing; PROFILE does. */
function readStatement(cursor: Cursor): string {
  const reader = new CypherReader(cursor);
  if (cursor.takes('show')) {
    if (!cursor.takesAnyOf(SHOWN)) cursor.refuse();
    while (cursor.takesAnyOf(SHOWN));
    reader.yield();
    reader.where();
    return 'SHOW';
  }
  const kind = cursor.takes('explain') ? 'EXPLAIN' : 'query';
  reader.query();
  return kind;
}
