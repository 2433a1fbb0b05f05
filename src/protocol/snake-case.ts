/** Names longer than the 128 characters that MCP allows a tool are cut there. */
const MAX_NAME_LENGTH = 128;

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * A word of a name, tried in this order: a plural acronym (`URLs`), an acronym with its digits that ends before a
 * capitalised word (`HTTP` in `HTTPServer`, `V1`), a word with or without a capital (`Server`, `n8n`).
 */
const WORD = /[A-Z]{2,}s(?![a-z0-9])|[A-Z]+[0-9]*(?![a-z0-9])|[A-Z]?[a-z0-9]+/g;

/**
 * Any spelling as a public name (specification 4.3 and 8.5.2): kebab, camel, Pascal, Mixed_Snake, dotted. Never two
 * underscores together, so that the qualifier `__` stays unambiguous; a name that is right already comes back as it is.
 *
 * @param fallback what stands before a leading digit, and for a name without any letter or digit
 */
export function toSnakeCase(spelling: string, fallback = 'op'): string {
  if (spelling.length <= MAX_NAME_LENGTH && SNAKE_CASE.test(spelling)) return spelling;
  const words = toAscii(spelling.slice(0, 4 * MAX_NAME_LENGTH)).match(WORD) ?? [];
  const joined = words.join('_').toLowerCase();
  const name = /^[a-z]/.test(joined) ? joined : `${fallback}_${joined}`;
  return name.slice(0, MAX_NAME_LENGTH).replace(/_+$/, '');
}

/** A snake_case name as the name of a type: `github__create_issue` becomes `GithubCreateIssue`. */
export function toPascalCase(spelling: string): string {
  return toSnakeCase(spelling, 'type')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Accents fall away; a letter of another script becomes its code point, so that different names stay different. */
function toAscii(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\p{ASCII}]/gu, (char) =>
      /[\p{L}\p{N}]/u.test(char) ? ` u${(char.codePointAt(0) ?? 0).toString(16)} ` : ' ',
    );
}
