import type { StatementVerdict } from '../../base/protocol/operation.js';
import { LONGEST_TEXT, MOST_PARTS } from './not-proven.js';

/** One token each: names, strings, numbers, punctuation, and what is ignored. */
const TOKEN =
  /(?<ignored>[ \t\n\r,\ufeff]+|#[^\n\r]*)|(?<name>[A-Za-z_]\w*)|(?<text>"""(?:[^\\]|\\(?!""")|\\""")*?"""|"(?!"")(?:[^"\\\n\r]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<mark>\.\.\.|[!$&()=:@[\]{|}])/y;

/** Those of the specification itself that only leave something out. Any other is a server's own and may do anything. */
const READING_DIRECTIVES = new Set(['include', 'skip']);

/**
 * Proves that a GraphQL document holds nothing but queries and their fragments. By the specification only the fields of a mutation
 * change something. The grammar is not checked further: a document in which the braces' outermost level holds only these two kinds of
 * definition is either such a document or an error.
 */
export function proveGraphql(text: string): StatementVerdict {
  if (text.length > LONGEST_TEXT) return refuse(`it is longer than ${LONGEST_TEXT} characters`);
  const tokens = readTokens(text);
  if (tokens === undefined) return refuse(`it has more than ${MOST_PARTS} parts`);
  if (typeof tokens === 'number') return refuse(`character ${tokens + 1} is not understood`);
  return judge(tokens);
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);
const CLOSINGS: ReadonlySet<string> = new Set(CLOSING.values());

interface Token {
  readonly text: string;
  readonly at: number;
}

/** The tokens, or the place that is none; undefined where there are too many. */
function readTokens(text: string): readonly Token[] | number | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return at;
    const [whole] = found;
    if (found.groups?.['ignored'] === undefined) tokens.push({ text: whole, at });
    if (tokens.length > MOST_PARTS) return undefined;
    at += whole.length;
  }
  return tokens;
}

/** Everything outside of braces and parentheses is the beginning of a definition. */
function judge(tokens: readonly Token[]): StatementVerdict {
  const open: string[] = [];
  let queries = 0;
  let expectsDefinition = true;
  for (const [index, { text, at }] of tokens.entries()) {
    if (text === '@' && !READING_DIRECTIVES.has(tokens[index + 1]?.text ?? ''))
      return refuse(`the directive at character ${at + 1} is not one of: include, skip`);
    if (open.length === 0 && expectsDefinition) {
      if (text !== 'query' && text !== 'fragment' && text !== '{')
        return refuse(`'${text.slice(0, 40)}' (character ${at + 1}) begins neither a query nor a fragment`);
      if (text !== 'fragment') queries += 1;
      expectsDefinition = false;
    }
    const closing = CLOSING.get(text);
    if (closing !== undefined) open.push(closing);
    if (CLOSINGS.has(text) && open.pop() !== text) return refuse(`'${text}' (character ${at + 1}) closes nothing`);
    // A selection ends its definition.
    if (open.length === 0 && text === '}') expectsDefinition = true;
  }
  if (open.length > 0 || !expectsDefinition) return refuse('it ends where more is expected');
  return queries === 0 ? refuse('it holds no query') : { read: true, kind: 'query' };
}

const refuse = (why: string): StatementVerdict => ({ read: false, why });
