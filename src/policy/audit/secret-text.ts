import { ADDRESS_CREDENTIALS, SECRET_FORMS, SECRET_NAME } from '../../base/protocol/secret-forms.js';

/** Replaces what is not recorded. */
const REDACTED = '[redacted]';

/** From this length on, what is hidden says its length. In characters. */
const LONG = 64;

/** What stands in place of a value; where much is hidden, it says how much. */
export function hide(value: unknown): string {
  const length = typeof value === 'string' ? value.length : 0;
  return length < LONG ? REDACTED : `[redacted: ${length} characters]`;
}

/** A quotation mark as it is written, or as in JSON that is itself a text in JSON, up to three times. */
const QUOTE = String.raw`\\{0,7}["']`;

/** What a value looks like that is written without quotes, or in them: without the characters by which a shell or a query goes on. */
const BARE = String.raw`(?:${QUOTE})?[\w.~+/=@!%^*-]{1,200}(?:${QUOTE})?`;

/** A value in quotes may contain blanks. */
const QUOTED = String.raw`\\{0,7}(?:"[^"\\\n$\x60(){};|&<>]{1,200}\\{0,7}"|'[^'\\\n$\x60(){};|&<>]{1,200}\\{0,7}')`;

/** The name of a secret may go on: `SecretString`, `password_2`. */
const NAME = String.raw`${SECRET_NAME}(?:[_-]?(?:value|string|data|b64|base64|\d{1,2}))?`;

/** The words before the value of an `Authorization` header. */
const SCHEME = String.raw`(?:(?:bearer|basic|token|api-?key|digest|negotiate|oauth|bot)\s{1,3})?`;

/** A value in a URL's form: it ends at a sign of its own, or at the encoded quote, comma, ampersand, bracket or line's end. */
const ENCODED = String.raw`(?:[\w.~+*-]|%(?!2[267C]|0[AD]|5[BD]|7[BD])[0-9A-F]{2}){1,200}`;

const COOKIE = String.raw`[\w.-]{1,100}=[^\s;,"'$\x60(){}|&<>]{1,4000}`;

/** Programs with an option whose value is a secret; what stands between the two is bounded. */
const SECRET_OPTIONS = String.raw`(?:\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;&]{0,100}?\s-p(?=\S)|\bsshpass\s{1,3}-p\s{0,3}|\bredis-cli\b[^\n|;&]{0,100}?\s-a\s{1,3}|\bcurl\b[^\n|;&]{0,100}?\s(?:-u|--user)[\s=]{0,3}["']?[\w.@+-]{1,100}:)`;

/** What stands before a secret, and the secret: the first is kept. Nothing that has been replaced is matched again. */
const SECRET_ASSIGNMENTS: readonly RegExp[] = [
  // "password": "x y", \"password\": \"x\"
  [String.raw`${NAME}(?:${QUOTE})\s{0,3}:\s{0,3}`, QUOTED],
  // password='x y': a quotation that begins before the name may end behind the sign, and what follows is no value.
  [String.raw`${NAME}(?<!["'][\w.-]{0,60})\s{0,3}[:=]\s{0,3}`, QUOTED],
  // password=x, --api-key x, Authorization: Bearer x
  [String.raw`${NAME}(?:${QUOTE})?(?:\s{0,3}[=:]\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})${SCHEME}`, BARE],
  // <password>x</password>
  [
    String.raw`<(?:[\w.-]{1,40}:)?(?:[\w.-]{0,40}[_.-])?${NAME}(?:\s[^<>]{0,200})?>`,
    String.raw`[^<>$\x60;|&]{1,200}(?=</)`,
  ],
  // ALTER USER x PASSWORD 'y', IDENTIFIED BY 'y'
  [String.raw`\b(?:identified\s{1,3}by|password)\s{1,3}`, QUOTED],
  // password%3Dx, %22password%22%3A%22x%22
  [String.raw`${NAME}(?:(?:%5C){0,3}%2[27])?(?:%20|\+)?%3[AD](?:%20|\+)?(?:(?:%5C){0,3}%2[27])?`, ENCODED],
  // Cookie: session=x; theme=dark
  [String.raw`\b(?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?`, String.raw`${COOKIE}(?:;\s{0,3}${COOKIE}){0,50}`],
  // Of options the case counts: `mysql -P` is a port.
  [SECRET_OPTIONS, BARE, 'g'],
].map(
  ([before, secret, flags = 'gi']) => new RegExp(String.raw`(${before})(?!\\{0,7}["']?\[redacted)${secret}`, flags),
);

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
