/** Replaces what is not recorded. */
const REDACTED = '[redacted]';

/** From this length on, what is hidden says its length. In characters. */
const LONG = 64;

/** What stands in place of a value; where much is hidden, it says how much. */
export function hide(value: unknown): string {
  const length = typeof value === 'string' ? value.length : 0;
  return length < LONG ? REDACTED : `[redacted: ${length} characters]`;
}

/**
 * Texts that are secret by their form, wherever they occur. A caller chooses these texts, and a person approves what is left of
 * them: so each form is what only a secret looks like, without the characters by which a shell or a query goes on, and bounded. No
 * pattern looks further back or ahead than it must: a text that nearly matches costs time in proportion to its length.
 */
const SECRET_FORMS: readonly RegExp[] = [
  // The body of a key in PEM is lines of base64 alone; the last one may be short.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\r?\n|(?:\\r)?\\n)(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9-]{1,40},[0-9A-F]{1,64})?(?=\r?\n|(?:\\r)?\\n)){0,4}(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z0-9+/=]{16,100}(?![A-Za-z0-9+/=])){0,500}(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z0-9+/=]{1,100}(?=(?:\r?\n|(?:\\r)?\\n)-----END))?(?:(?:\r?\n|(?:\\r)?\\n)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  // The credentials of an address: https://user:password@host.
  /(?<=:\/\/)[^\s/?#"'<>$(){}`\\;|&]{1,200}(?=@)/g,
  /\bbearer\s{1,3}[\w.~+/=-]{8,4000}/gi,
  // Base64 with a digit or padding: "basic understanding" is neither.
  /\bbasic\s{1,3}(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{6,}={0,2}/gi,
  // JSON Web Tokens, of two parts where there is no signature.
  /(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/g,
  /gh[oprsu]_\w{16,}/g,
  /github_pat_\w{16,}/g,
  /gl(?:pat|ptt|rt|dt|soat)-[\w-]{16,}/g,
  /xox[a-z](?:\.\w+)?-[\w-]{8,}/g,
  /xapp-[\w-]{8,}/g,
  /(?<![A-Za-z0-9])sk-[\w-]{16,}/g,
  /(?<![A-Za-z0-9])[prs]k_(?:live|test)_\w{8,}/g,
  /whsec_\w{16,}/g,
  /(?<![A-Z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}/g,
  /AIza[\w-]{30,}/g,
  /ya29\.[\w-]{16,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf|dop_v1|pypi|glc|shpat|lin_api|ntn|secret|figd|sq0[a-z]{3})[_-]\w{20,}/g,
  /SG\.[\w-]{16,}\.[\w-]{16,}/g,
  // The gateway's own confirmation tokens.
  /(?:conf|quota_continue)_[\w-]{16,}/g,
];

/** What a value looks like that is written without quotes, or in them. */
const BARE = String.raw`["']?[\w.~+/=@!%^*-]{1,200}["']?`;

/** A string in JSON behind a name in quotes: it may contain blanks. */
const IN_JSON = String.raw`"[^"\\\n$\x60(){};|&<>]{1,200}"`;

const SECRET_NAME =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|authorization|api[_-]?key|(?:access|private|secret)[_-]?key)';

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
    for (const form of [...own, ...SECRET_FORMS]) filtered = filtered.replace(form, hide);
    for (const form of SECRET_ASSIGNMENTS) filtered = filtered.replace(form, `$1${REDACTED}`);
    return filtered;
  };
}
