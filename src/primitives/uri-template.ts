/** A part of a template: text that stands as it is, or an expression by what it can become. */
type Part = { readonly text: string } | { readonly begins: string; readonly may: RegExp };

const EXPRESSION = /\{([+#./;?&]?)[^{}]*\}/g;

/** What a variable can become: percent-encoded, so neither a delimiter nor a space is in it (RFC 6570, section 3.2.2). */
const PLAIN = /[A-Za-z0-9\-._~%,=]/;
const RESERVED = /[^\s{}<>"\\^`|]/;

/** By operator: what its expansion begins with, and of what it consists. Without values it is empty. */
const OPERATORS: Readonly<Record<string, { readonly begins: string; readonly may: RegExp }>> = {
  '': { begins: '', may: PLAIN },
  '+': { begins: '', may: RESERVED },
  '#': { begins: '#', may: RESERVED },
  '.': { begins: '.', may: PLAIN },
  '/': { begins: '/', may: /[A-Za-z0-9\-._~%,=/]/ },
  ';': { begins: ';', may: /[A-Za-z0-9\-._~%,=;]/ },
  '?': { begins: '?', may: /[A-Za-z0-9\-._~%,=&]/ },
  '&': { begins: '&', may: /[A-Za-z0-9\-._~%,=&]/ },
};

/** A longer template, and a longer URI, matches nothing. */
const LONGEST = 8_192;
/** A template of more expressions matches nothing: each is a pass over the URI. */
const MOST_PARTS = 100;

/** Whether a URI begins with the text before a template's first expression: false where it cannot be one of its expansions. */
export function beginsLike(template: string, uri: string): boolean {
  const end = template.indexOf('{');
  return uri.startsWith(end < 0 ? template : template.slice(0, end));
}

/** Tells which URIs a template can become. Takes time in proportion to URI and template, whatever both hold. */
export class UriTemplate {
  readonly #parts: readonly Part[] | undefined;

  constructor(template: string) {
    const parts = template.length > LONGEST ? undefined : readParts(template);
    this.#parts = parts === undefined || parts.length > MOST_PARTS ? undefined : parts;
  }

  /** How many passes over a URI it takes. */
  get parts(): number {
    return this.#parts?.length ?? 0;
  }

  matches(uri: string): boolean {
    const parts = this.#parts;
    if (parts === undefined || uri.length > LONGEST) return false;
    let ends: ReadonlySet<number> = new Set([0]);
    for (const part of parts) {
      ends = 'text' in part ? afterText(ends, part.text, uri) : afterExpression(ends, part, uri);
      if (ends.size === 0) return false;
    }
    return ends.has(uri.length);
  }
}

function readParts(template: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const found of template.matchAll(EXPRESSION)) {
    if (found.index > from) parts.push({ text: template.slice(from, found.index) });
    const operator = OPERATORS[found[1] ?? ''];
    if (operator !== undefined) parts.push(operator);
    from = found.index + found[0].length;
  }
  if (from < template.length) parts.push({ text: template.slice(from) });
  return parts;
}

function afterText(starts: ReadonlySet<number>, text: string, uri: string): ReadonlySet<number> {
  return new Set([...starts].filter((start) => uri.startsWith(text, start)).map((start) => start + text.length));
}

/** Each place where the expression can end: where one start is passed on the way from another, it goes on with both. */
function afterExpression(
  starts: ReadonlySet<number>,
  { begins, may }: { readonly begins: string; readonly may: RegExp },
  uri: string,
): ReadonlySet<number> {
  const ends = new Set(starts);
  let isInside = false;
  for (let at = Math.min(...starts); at < uri.length; at += 1) {
    const char = uri.charAt(at);
    const entersHere = starts.has(at) && (begins === '' || char === begins);
    isInside = (entersHere || isInside) && (may.test(char) || (entersHere && char === begins));
    if (isInside) ends.add(at + 1);
  }
  return ends;
}
