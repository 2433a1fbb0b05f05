import type { SqlDialect, StatementVerdict } from '../../protocol/statement.js';
import { Cursor } from '../cursor.js';
import { verdictOf } from '../not-proven.js';
import { DESCRIBING_PRAGMAS, READING_PRAGMAS, RESERVED, SHOWN } from './dialect.js';
import { QueryReader } from './query.js';
import { readTokens } from './tokens.js';

/**
 * Proves that a text is one SQL statement that changes nothing in any of these dialects. Everything that is doubtful is not proven.
 * The work is bounded by the length of the text, and equal texts have equal verdicts.
 */
export function proveSql(text: string, dialects: readonly SqlDialect[]): StatementVerdict {
  if (dialects.length === 0) return { read: false, why: 'its dialect is not known' };
  return verdictOf(() => {
    const cursor = new Cursor(readTokens(text, dialects));
    const kind = readStatement(cursor, dialects);
    cursor.takesSymbol(';');
    if (cursor.peek().kind !== 'end') cursor.refuse();
    return kind;
  });
}

const QUERY = new Set(['select', 'with', 'values']);

function readStatement(cursor: Cursor, dialects: readonly SqlDialect[]): string {
  if (cursor.isAnyOf(QUERY) || cursor.isSymbol('(')) {
    new QueryReader(cursor, dialects).read();
    return 'SELECT';
  }
  if (cursor.takes('explain')) return readExplain(cursor, dialects);
  if (cursor.takes('show')) return readShow(cursor);
  if (cursor.takes('describe') || cursor.takes('desc')) return readDescribe(cursor);
  if (dialects.includes('sqlite') && cursor.takes('pragma')) return readPragma(cursor);
  return cursor.refuse();
}

/** Options that only shape what is shown. `ANALYZE` runs the statement. */
const EXPLAIN_OPTIONS = new Set(['verbose', 'costs', 'settings', 'generic_plan', 'summary', 'memory', 'format']);
const OPTION_VALUES = new Set(['text', 'xml', 'json', 'yaml', 'on', 'off', 'true', 'false', 'tree', 'traditional']);

function readExplain(cursor: Cursor, dialects: readonly SqlDialect[]): string {
  if (cursor.isSymbol('(') && EXPLAIN_OPTIONS.has(cursor.peek(1).text)) {
    cursor.needsSymbol('(');
    cursor.list(() => {
      if (!cursor.takesAnyOf(EXPLAIN_OPTIONS)) cursor.refuse();
      cursor.takesAnyOf(OPTION_VALUES);
    });
    cursor.needsSymbol(')');
  } else if (cursor.takes('format')) {
    cursor.needsSymbol('=');
    if (!cursor.takesAnyOf(OPTION_VALUES)) cursor.refuse();
  } else if (!cursor.takes('query', 'plan')) cursor.takes('verbose');
  if (!cursor.isAnyOf(QUERY) && !cursor.isSymbol('(')) cursor.refuse();
  new QueryReader(cursor, dialects).read();
  return 'EXPLAIN';
}

const CONNECTING = new Set(['from', 'in', 'like', 'table', 'view', 'all', 'time', 'zone', 'status', 'create']);

/** Words, names and literals, without any expression. */
function readShow(cursor: Cursor): string {
  if (!cursor.isAnyOf(SHOWN)) cursor.refuse();
  cursor.next();
  for (;;) {
    const { kind, text } = cursor.peek();
    const isWord = kind === 'word' && (!RESERVED.has(text) || CONNECTING.has(text) || SHOWN.has(text));
    if (!isWord && kind !== 'quoted' && kind !== 'string' && !cursor.isSymbol('.')) return 'SHOW';
    cursor.next();
  }
}

function readDescribe(cursor: Cursor): string {
  readPlainName(cursor);
  if (cursor.peek().kind === 'string') cursor.next();
  else if (cursor.peek().kind === 'word' || cursor.peek().kind === 'quoted') readPlainName(cursor);
  return 'DESCRIBE';
}

function readPlainName(cursor: Cursor): void {
  do {
    const token = cursor.next();
    const isName = token.kind === 'quoted' || (token.kind === 'word' && !RESERVED.has(token.text));
    if (!isName) cursor.refuse(token);
  } while (cursor.takesSymbol('.'));
}

function readPragma(cursor: Cursor): string {
  const schema = cursor.isSymbol('.', 1) ? cursor.next() : undefined;
  if (schema !== undefined) cursor.needsSymbol('.');
  const name = cursor.next();
  if (name.kind !== 'word') cursor.refuse(name);
  if (!cursor.takesSymbol('(')) {
    if (!READING_PRAGMAS.has(name.text)) cursor.refuse(name);
    return 'PRAGMA';
  }
  if (!DESCRIBING_PRAGMAS.has(name.text)) cursor.refuse(name);
  const argument = cursor.next();
  if (!['word', 'quoted', 'string', 'number'].includes(argument.kind)) cursor.refuse(argument);
  cursor.needsSymbol(')');
  return 'PRAGMA';
}
