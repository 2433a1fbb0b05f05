/** What stands in the place of what is not recorded. */
export const REDACTED = '[redacted]';

/**
 * What is secret wherever it stands, by its form. No pattern looks further back or ahead than it
 * must: a text that nearly matches costs time in proportion to its length.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // The credentials of an address: https://user:password@host.
  /(?<=:\/\/)[^\s/?#"'<>]+(?=@)/g,
  /\bbearer\s{1,3}[\w.~+/=-]{8,}/gi,
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

/** `password=x`, `--api-key x`, `"secret": "x"`: a secret name before its value. */
const ASSIGNMENT =
  /((?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|authorization|api[_-]?key|(?:access|private|secret)[_-]?key)["']?(?:\s{0,3}[=:]\s{0,3}|(?<=--[\w-]{1,40})\s{1,3})(?:(?:bearer|basic)\s{1,3})?)(?!\[redacted\])("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&)}\]]+)/gi;

/** How much of a text is looked at, in characters; what follows is never recorded. */
const LOOKED_AT = 16 * 1024;

/** Takes the secrets out of a text. */
export type SecretTextFilter = (text: string) => string;

/** @param patterns further regular expressions; what they match is taken out whole */
export function createSecretTextFilter(patterns: readonly string[]): SecretTextFilter {
  const own = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  return (text) => {
    let rest = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
    for (const pattern of own) rest = rest.replace(pattern, REDACTED);
    for (const form of SECRET_FORMS) rest = rest.replace(form, REDACTED);
    return rest.replace(ASSIGNMENT, `$1${REDACTED}`);
  };
}
