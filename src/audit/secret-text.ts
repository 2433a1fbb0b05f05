import { ADDRESS_CREDENTIALS, SECRET_FORMS, SECRET_NAME } from '../protocol/secret-forms.js';

/** Replaces what is not recorded. */
const REDACTED = '[redacted]';

/** From this length on, what is hidden says its length. In characters. */
const LONG = 64;

/** What stands in place of a value; where much is hidden, it says how much. */
export function hide(value: unknown): string {
  const length = typeof value === 'string' ? value.length : 0;
  return length < LONG ? REDACTED : `[redacted: ${length} characters]`;
}

/** What a value looks like that is written without quotes, or in them. */
const BARE = String.raw`["']?[\w.~+/=@!%^*-]{1,200}["']?`;

/** A string in JSON behind a name in quotes: it may contain blanks. */
const IN_JSON = String.raw`"[^"\\\n$\x60(){};|&<>]{1,200}"`;

/** A secret name and its value: `password=x`, `--api-key x`, `"secret": "x"`. */
const SECRET_ASSIGNMENTS: readonly RegExp[] = [
  new RegExp(String.raw`(${SECRET_NAME}"\s{0,3}:\s{0,3})(?!"?\[redacted)${IN_JSON}`, 'gi'),
  new RegExp(
    String.raw`(${SECRET_NAME}["']?(?:\s{0,3}[=:]\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})(?:(?:bearer|basic)\s{1,3})?)(?!["']?\[redacted)${BARE}`,
    'gi',
  ),
];

/** How much of a text is searched at once, in characters; a longer text is recorded by its beginning and its end. */
export const SEARCHED_LENGTH = 64 * 1024;

/** Replaces the secrets in a text. */
export type SecretTextFilter = (text: string) => string;

/** @param patterns further regular expressions; what they match is replaced completely */
export function createSecretTextFilter(patterns: readonly string[]): SecretTextFilter {
  const own = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  return (text) => {
    let filtered = text;
    for (const form of [...own, ADDRESS_CREDENTIALS, ...SECRET_FORMS]) filtered = filtered.replace(form, hide);
    for (const form of SECRET_ASSIGNMENTS) filtered = filtered.replace(form, `$1${REDACTED}`);
    return filtered;
  };
}
