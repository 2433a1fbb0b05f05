import type { StatementVerdict } from '../../../base/protocol/operation.js';
import { clearText, requirePlain } from '../clear-text.js';
import { Cursor, type Token } from '../cursor.js';
import { MOST_PARTS, NotProven, place, quote, verdictOf } from '../not-proven.js';
import { CypherReader } from './query.js';
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

const SPACE = /[ \t\n]+/y;
const LINE_COMMENT = /\/\/([^\n]*)/y;
const BLOCK_COMMENT = /\/\*((?:[^*/]|\*(?!\/)|\/(?!\*))*)\*\//y;
/** ASCII only: some letters of other alphabets become one of a keyword's in upper or lower case. */
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
/** `1..3` is a range of two numbers. */
const NUMBER = /(?:0[xX][0-9a-fA-F]+|0o[0-7]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w$])(?!\.\d)/y;
const SINGLE_QUOTED = /'([^']*)'/y;
const DOUBLE_QUOTED = /"([^"]*)"/y;
const BACKTICKED = /`([\p{L}\p{N}_ .$-]+)`/uy;
const PARAMETER = /\$[A-Za-z0-9_]+/y;
/** An arrow is read as its characters, because `a<-1` has the same ones. */
const SYMBOL = /<=|>=|<>|=~|\.\.|\|\||::|[-+*/%^=<>()[\]{}.,:;|&!?]/y;

/**
 * Reads a text into tokens, or throws where two readers could read it differently. A backslash before a quote is refused, so that a text
 * ends where every reader ends it, and so is every escape that stands for a character by its number: Neo4j decodes them first, also
 * outside of texts.
 */
function readTokens(source: string): readonly Token[] {
  const text = clearText(source);
  const escaped = /\\[uUxX0-7]|\$\$/.exec(text);
  if (escaped !== null)
    throw new NotProven(`${quote(escaped[0])} ${place(escaped.index)} may stand for something else`);
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at += found[0].length;
    return found;
  };
  while (at < text.length) {
    const from = at;
    if (take(SPACE) !== undefined) continue;
    const comment = take(LINE_COMMENT) ?? take(BLOCK_COMMENT);
    if (comment !== undefined) {
      requirePlain(comment[1] ?? '', from);
      continue;
    }
    const next = readToken(take);
    if (next?.kind === 'string') requireNoComment(next.text, from, text.indexOf('\n', at) >= 0);
    if (next === undefined) throw new NotProven(`${quote(text[from] ?? '')} ${place(from)} is not understood`);
    if (next.kind !== 'symbol' && /[\w'"`$\\]/.test(text[at] ?? ''))
      throw new NotProven(`the text ${place(at)} touches a literal or a name`);
    if (tokens.length >= MOST_PARTS) throw new NotProven(`it has more than ${MOST_PARTS} parts`);
    tokens.push({ ...next, at: from + 1 });
  }
  tokens.push({ kind: 'end', text: '', at: text.length + 1 });
  return tokens;
}

/** A server that cuts comments out of a text by a pattern would cut into such a literal, and read what follows as another text. */
function requireNoComment(content: string, from: number, hasMoreLines: boolean): void {
  if (content.includes('/*') || (content.includes('//') && hasMoreLines))
    throw new NotProven(`the literal ${place(from)} holds what begins a comment`);
}

type Take = (pattern: RegExp) => RegExpExecArray | undefined;

function readToken(take: Take): Pick<Token, 'kind' | 'text'> | undefined {
  const word = take(WORD);
  if (word !== undefined) return { kind: 'word', text: word[0].toLowerCase() };
  const number = take(NUMBER);
  if (number !== undefined) return { kind: 'number', text: number[0] };
  const string = take(SINGLE_QUOTED) ?? take(DOUBLE_QUOTED);
  if (string !== undefined) return { kind: 'string', text: refuseMarks(string[1] ?? '') };
  const quoted = take(BACKTICKED);
  if (quoted !== undefined) return { kind: 'quoted', text: quoted[1] ?? '' };
  const parameter = take(PARAMETER);
  if (parameter !== undefined) return { kind: 'parameter', text: parameter[0] };
  const symbol = take(SYMBOL);
  return symbol && { kind: 'symbol', text: symbol[0] };
}

/** A semicolon separates statements for servers that split the text themselves; a quote may end it where they paste it. */
function refuseMarks(content: string): string {
  if (/[;`'"]/.test(content)) throw new NotProven('a literal holds a semicolon or a quote');
  return content;
}
