import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reading } from './reading.js';
import { startOfCharacter, takeText } from './take-text.js';

/** As much of a text as fits, from a character on (UTF-16 units from 0). */
export function readCharacters(text: string, start: number, room: number): Reading {
  const from = startOfCharacter(text, Math.min(start, text.length));
  const piece = takeText(text.slice(from), room);
  return {
    content: { text: piece, total: text.length, total_lines: countLines(text) },
    next: nextCharacter(from + piece.length, text.length),
  };
}

/**
 * Some lines of a text, counted from 1: `10` or `10-20`; as many as fit. Throws INTROSPECTION_ERROR for
 * anything else, and for lines that the text does not have.
 */
export function readLines(text: string, asked: string, room: number): Reading {
  const total = countLines(text);
  const { first, last } = parseLines(asked, total);
  const start = startOfLine(text, first);
  const end = startOfLine(text, last + 1);
  const wanted = text.slice(start, text[end - 1] === '\n' ? end - 1 : end);
  const piece = takeText(wanted, room);
  const complete = piece.length === wanted.length;
  const wholeLines = !complete && piece.endsWith('\n');
  const given = wholeLines ? piece.slice(0, -1) : piece;
  const reached = complete ? last : first + countBreaks(given);
  const content: JsonObject = { text: given, lines: `${first}-${reached}`, total_lines: total };
  if (wholeLines) return { content, next: { lines: `${reached + 1}-${last}` } };
  return { content, next: complete ? null : nextCharacter(start + piece.length, text.length) };
}

function nextCharacter(reached: number, total: number): JsonObject | null {
  return reached < total ? { after: String(reached) } : null;
}

function parseLines(asked: string, total: number): { readonly first: number; readonly last: number } {
  const [, from = '0', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(asked.replaceAll(' ', '')) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (first < 1 || last < first) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `'lines' expected '10' or '10-20', counted from 1, got '${asked.slice(0, 40)}'. The text has ${total} line(s)`,
    );
  }
  if (first > total) {
    throw new OperationError('INTROSPECTION_ERROR', `There is no line '${first}': the text has ${total} line(s)`);
  }
  return { first, last: Math.min(last, total) };
}

/** A break at the very end begins no line of its own. */
function countLines(text: string): number {
  return countBreaks(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
}

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** The text's end where it has no such line. */
function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const lineBreak = text.indexOf('\n', start);
    if (lineBreak < 0) return text.length;
    start = lineBreak + 1;
  }
  return start;
}
