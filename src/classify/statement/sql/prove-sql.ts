import type { SchemaCode, SqlDialect, StatementVerdict } from '../../../base/protocol/operation.js';
import { clearText, requirePlain } from '../clear-text.js';
import { Cursor, type Token } from '../cursor.js';
import { MOST_PARTS, NotProven, place, quote, verdictOf } from '../not-proven.js';
import { DESCRIBING_PRAGMAS, READING_PRAGMAS, RESERVED, SHOWN } from './dialect.js';
import { type Database, QueryReader } from './query.js';

/**
 * Proves that a text is one SQL statement that changes nothing in any of these dialects. Everything that is doubtful is not proven.
 * The work is bounded by the length of the text, and equal texts have equal verdicts.
 */
export function proveSql(
  text: string,
  dialects: readonly SqlDialect[],
  schema: SchemaCode = 'possible',
): StatementVerdict {
  if (dialects.length === 0) return { read: false, why: 'its dialect is not known' };
  return verdictOf(() => {
    const cursor = new Cursor(readTokens(text, dialects, schema));
    const kind = readStatement(cursor, { dialects, schema });
    cursor.takesSymbol(';');
    if (cursor.peek().kind !== 'end') cursor.refuse();
    return kind;
  });
}

const QUERY = new Set(['select', 'with', 'values']);

function readStatement(cursor: Cursor, database: Database): string {
  if (cursor.isAnyOf(QUERY) || cursor.isSymbol('(')) {
    new QueryReader(cursor, database).read();
    return 'SELECT';
  }
  if (cursor.takes('explain')) return readExplain(cursor, database);
  if (cursor.takes('show')) return readShow(cursor);
  if (cursor.takes('describe') || cursor.takes('desc')) return readDescribe(cursor);
  if (database.dialects.includes('sqlite') && cursor.takes('pragma')) return readPragma(cursor);
  return cursor.refuse();
}

/** Options that only shape what is shown. `ANALYZE` runs the statement. */
const EXPLAIN_OPTIONS = new Set(['verbose', 'costs', 'settings', 'generic_plan', 'summary', 'memory', 'format']);
const OPTION_VALUES = new Set(['text', 'xml', 'json', 'yaml', 'on', 'off', 'true', 'false', 'tree', 'traditional']);

function readExplain(cursor: Cursor, database: Database): string {
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
  new QueryReader(cursor, database).read();
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

/** Operators of every product's own. Any other sequence of operator characters may be one that a user has defined. */
const OPERATORS = new Set('+ - * / % = < > <= >= <> != || && << >> & | ^ ~ -> ->>'.split(' '));
const OWN_OPERATORS: Readonly<Record<SqlDialect, ReadonlySet<string>>> = {
  sqlite: new Set(['==']),
  postgresql: new Set('#> #>> @> <@ ~* !~ !~* ~~ ~~* !~~ !~~* ::'.split(' ')),
  mysql: new Set(['<=>']),
  mariadb: new Set(['<=>']),
};
/** After these PostgreSQL reads a sign as an operator of its own. */
const BEFORE_SIGN = new Set('+ - * / = < > <= >= <>'.split(' '));

const OPERATOR_RUN = /::|[-+*/<>=~!@#%^&|]+/y;
const SPACE = /[ \t\n]+/y;
const LINE_COMMENT = /--(?=[ \t\n])([^\n]*)/y;
const BLOCK_COMMENT = /\/\*((?:[^*/]|\*(?!\/)|\/(?!\*))*)\*\//y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.$])/y;
const STRING = /'((?:[^']|'')*)'/y;
const DOUBLE_QUOTED = /"((?:[^"]|"")+)"/y;
const BACKTICKED = /`([\w .$-]+)`/y;
const PARAMETER = /(?:\$\d{1,4}(?![\w$])|:[A-Za-z_]\w*(?![\w$:(]))/y;
/** A parameter; for PostgreSQL an operator, where an operand follows. */
const QUESTION_MARK = /\?(?![?|&\w])/y;
const ALONE = /(?<=[\s(,])\?(?=[\s),;]|$)/y;
/** What may stand behind a question mark where PostgreSQL may read it: no operand begins with these, so that it is no operator. */
const BEHIND_PARAMETER: ReadonlySet<string> = new Set(
  '; ) , = < > <= >= <> != * / % and or in order group having limit offset fetch union intersect except from where when then else end as asc desc'.split(
    ' ',
  ),
);
const SYSTEM_VARIABLE = /@@[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?![\w$.@])/y;
const PUNCTUATION = /[(),.;]/y;
/** Subscripts for PostgreSQL, the quotes of a name for SQLite. */
const BRACKET = /[[\]]/y;

/**
 * Reads a text into tokens, or throws where two products, or a product with other settings, could read it differently.
 */
function readTokens(source: string, dialects: readonly SqlDialect[], schema: SchemaCode): readonly Token[] {
  const text = clearText(source);
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at += found[0].length;
    return found;
  };
  const add = (kind: Token['kind'], value: string, from: number): void => {
    if (tokens.length >= MOST_PARTS) throw new NotProven(`it has more than ${MOST_PARTS} parts`);
    tokens.push({ kind, text: value, at: from + 1 });
  };
  while (at < text.length) {
    const from = at;
    if (take(SPACE) !== undefined) continue;
    const comment = take(LINE_COMMENT) ?? take(BLOCK_COMMENT);
    if (comment !== undefined) {
      requirePlain(comment[1] ?? '', from);
      continue;
    }
    const next = readToken(take, dialects) ?? readOperator(take, dialects, schema);
    if (next === undefined) throw notUnderstood(text[from] ?? '', from);
    if (next.kind === 'operator')
      for (const [index, symbol] of next.symbols.entries()) add('symbol', symbol, from + index);
    else {
      if (isJoined(next.kind, text[at])) throw new NotProven(`the text ${place(at)} touches a literal or a name`);
      add(next.kind, next.text, from);
    }
  }
  add('end', '', text.length);
  if (dialects.includes('postgresql')) tokens.forEach(requireParameter);
  return tokens;
}

/** Refuses a question mark that PostgreSQL may read as an operator before what follows. */
function requireParameter({ kind, text, at }: Token, index: number, tokens: readonly Token[]): void {
  if (kind !== 'parameter' || text !== '?') return;
  const behind = tokens[index + 1];
  const isPlain = behind?.kind === 'symbol' || behind?.kind === 'word';
  if (behind?.kind !== 'end' && !(isPlain && BEHIND_PARAMETER.has(behind.text))) throw notUnderstood(text, at - 1);
}

function notUnderstood(sign: string, from: number): NotProven {
  const placeholder =
    sign === '?' ? ': here it may be an operator of PostgreSQL; write the placeholder as $1 or :name' : '';
  return new NotProven(`${quote(sign)} ${place(from)} is not understood${placeholder}`);
}

type Take = (pattern: RegExp) => RegExpExecArray | undefined;

interface Simple {
  readonly kind: Exclude<Token['kind'], 'symbol' | 'end'> | 'symbol';
  readonly text: string;
}

interface OperatorRun {
  readonly kind: 'operator';
  readonly symbols: readonly string[];
}

function readToken(take: Take, dialects: readonly SqlDialect[]): Simple | undefined {
  const word = take(WORD);
  if (word !== undefined) return { kind: 'word', text: word[0].toLowerCase() };
  const number = take(NUMBER);
  if (number !== undefined) return { kind: 'number', text: number[0] };
  const string = take(STRING);
  if (string !== undefined) return { kind: 'string', text: refuseSemicolon(string[1] ?? '') };
  const quoted = take(DOUBLE_QUOTED) ?? (dialects.includes('postgresql') ? undefined : take(BACKTICKED));
  if (quoted !== undefined) return { kind: 'quoted', text: refuseSemicolon(quoted[1] ?? '') };
  const parameter =
    take(PARAMETER) ??
    take(dialects.includes('postgresql') ? ALONE : QUESTION_MARK) ??
    (dialects.every(isMysql) ? take(SYSTEM_VARIABLE) : undefined);
  if (parameter !== undefined) return { kind: 'parameter', text: parameter[0] };
  const punctuation = take(PUNCTUATION) ?? (dialects.every(isPostgresql) ? take(BRACKET) : undefined);
  return punctuation && { kind: 'symbol', text: punctuation[0] };
}

/** A semicolon in a literal separates statements for servers that split the text themselves. */
function refuseSemicolon(content: string): string {
  if (content.includes(';')) throw new NotProven('a literal or a quoted name holds a semicolon');
  return content;
}

const isPostgresql = (dialect: SqlDialect): boolean => dialect === 'postgresql';

const isMysql = (dialect: SqlDialect): boolean => dialect === 'mysql' || dialect === 'mariadb';

/** A run of operator characters is one operator for PostgreSQL, so it has to be one that is known. */
function readOperator(take: Take, dialects: readonly SqlDialect[], schema: SchemaCode): OperatorRun | undefined {
  const [run] = take(OPERATOR_RUN) ?? [];
  if (run === undefined) return undefined;
  const isOwn = schema === 'harmless' && dialects.every(isPostgresql) && !/--|\/\*/.test(run);
  if (isOwn || isKnown(run, dialects)) return { kind: 'operator', symbols: [run] };
  const [head, sign] = [run.slice(0, -1), run.slice(-1)];
  const signed = (sign === '-' || sign === '+') && BEFORE_SIGN.has(head) && !run.includes('--');
  return signed ? { kind: 'operator', symbols: [head, sign] } : undefined;
}

function isKnown(operator: string, dialects: readonly SqlDialect[]): boolean {
  return OPERATORS.has(operator) || dialects.every((dialect) => OWN_OPERATORS[dialect].has(operator));
}

/** `E'..'`, `U&'..'`, `_utf8'..'`, `'a'b`, `1a`: what stands directly beside a literal may change how it is read. */
function isJoined(kind: Simple['kind'], next: string | undefined): boolean {
  if (next === undefined || kind === 'symbol') return false;
  return kind === 'word' ? /['"`$\\]/.test(next) || next > '\u007f' : /[\w'"`$\\@#]/.test(next) || next > '\u007f';
}
