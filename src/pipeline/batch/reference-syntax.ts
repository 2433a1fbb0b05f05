/** A place in an earlier item's data: `$results[0].data.items[3].id`. */
export interface Reference {
  /** As it was written. */
  readonly text: string;
  /** The item that is referred to, from 0. */
  readonly index: number;
  /** Keys and positions, from `data` on. */
  readonly path: readonly string[];
}

/** What a text in an item's parameters stands for. */
type ParsedText =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  /** It begins like a reference and is none. */
  | { readonly kind: 'malformed' };

const HEAD = /^\$results\[(0|[1-9]\d{0,8})\]\.data/;

/** `.key`, `[3]` or `["any key"]`. */
const STEP = /\.([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** One `$` more than a reference has: text that only looks like one. */
const ESCAPED = /^\$\$+results\[/;

/** Longer texts are no paths; matching them would cost in proportion. */
const MAX_LENGTH = 1_000;

/** Whether a text is more than itself: a reference, meant as one, or an escaped one. */
export function isSpecial(text: string): boolean {
  return text.startsWith('$results[') || ESCAPED.test(text);
}

/** Reads a text. Whatever begins with `$results[` must be a reference as a whole, so that none is passed on by a slip. */
export function parseText(text: string): ParsedText {
  if (!isSpecial(text)) return { kind: 'text', value: text };
  if (ESCAPED.test(text)) return { kind: 'text', value: text.slice(1) };
  const head = text.length > MAX_LENGTH ? null : HEAD.exec(text);
  const path = head === null ? undefined : parsePath(text, head[0].length);
  if (head === null || path === undefined) return { kind: 'malformed' };
  return { kind: 'reference', reference: { text, index: Number(head[1]), path } };
}

/** Writes a text so that `parseText` gives it back. */
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
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // An escape that JSON does not know: the reference is malformed.
    return undefined;
  }
}
