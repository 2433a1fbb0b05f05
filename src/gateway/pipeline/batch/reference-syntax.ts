import { parseJson } from '../../../base/json/json.js';

/** A place in an earlier item's data: `$results[0].data.items[3].id`. */
export interface Reference {
  /** The reference as written. */
  readonly text: string;
  /** The item that is referred to, from 0. */
  readonly index: number;
  /** Keys and positions, from `data` on. */
  readonly path: readonly string[];
}

/** What a text in an item's parameters means. */
type ParsedText =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  /** It begins like a reference but does not have the form of one. */
  | { readonly kind: 'malformed' };

const HEAD = /^\$results\[(0|[1-9]\d{0,8})\]\.data/;

/** `.key`, `[3]` or `["any key"]`. */
const STEP = /\.([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** An escaped reference has one `$` more: text that only looks like a reference. */
const ESCAPED = /^\$\$+results\[/;

/** Longer texts are not read as references: the cost of matching grows with the length. */
const MAX_LENGTH = 1_000;

/** Whether a text is a reference, a malformed reference or an escaped one. */
export function isSpecial(text: string): boolean {
  return text.startsWith('$') && (text.startsWith('$results[') || ESCAPED.test(text));
}

/** Reads a text. A text that begins with `$results[` must be a reference as a whole, so that a mistyped one is never sent on. */
export function parseText(text: string): ParsedText {
  if (!isSpecial(text)) return { kind: 'text', value: text };
  if (ESCAPED.test(text)) return { kind: 'text', value: text.slice(1) };
  const head = text.length > MAX_LENGTH ? null : HEAD.exec(text);
  const path = head === null ? undefined : parsePath(text, head[0].length);
  if (head === null || path === undefined) return { kind: 'malformed' };
  return { kind: 'reference', reference: { text, index: Number(head[1]), path } };
}

/** The reference as written, with the new position of the item that it refers to; unchanged where that has none. */
export function renumber({ text, index }: Reference, positions: ReadonlyMap<number, number>): string {
  const position = positions.get(index);
  return position === undefined ? text : text.replace(/\d+/, String(position));
}

/** Escapes a text so that `parseText` returns it unchanged. */
export function escapeText(text: string): string {
  return isSpecial(text) ? `$${text}` : text;
}

function parsePath(text: string, start: number): readonly string[] | undefined {
  const path: string[] = [];
  let at = start;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    const step = match === null ? undefined : (match[1] ?? match[2] ?? unquote(match[3]));
    if (step === undefined) return undefined;
    path.push(step);
    at = STEP.lastIndex;
  }
  return path;
}

function unquote(quoted = ''): string | undefined {
  // A quoted key with an escape that JSON does not define makes the reference malformed.
  return parseJson(quoted) as string | undefined;
}
