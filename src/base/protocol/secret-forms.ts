/** As it is written, indented, or as in JSON that is itself a text in JSON; one blank where all stands in one line. */
const LINE_END = String.raw`(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,40}|[ ])`;

/**
 * Texts that are secret by their form, wherever they occur. A caller chooses these texts, and a person approves what is left of
 * them: so each form is what only a secret looks like, without the characters by which a shell or a query goes on, and bounded. No
 * pattern looks further back or ahead than it must: a text that nearly matches costs time in proportion to its length.
 */
export const SECRET_FORMS: readonly RegExp[] = [
  // The body of a key in PEM is lines of base64 alone; the last one may be short.
  new RegExp(
    String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:${LINE_END}(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9-]{1,40},[0-9A-F]{1,64})?(?=\s|\\)){0,4}(?:${LINE_END}[A-Za-z0-9+/=]{16,100}(?![A-Za-z0-9+/=])){0,500}(?:${LINE_END}[A-Za-z0-9+/=]{1,100}(?=${LINE_END}-----END))?(?:${LINE_END}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`,
    'g',
  ),
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
  /(?<![A-Za-z0-9])(?:hv[sbr]\.|atlasv1\.|GOCSPX-|PMAK-|NRAK-|tskey-[a-z]{2,12}-|dckr_[po]at_|rubygems_|shp(?:ss|ca|pa)_|glsa_|ph[cx]_|sbp_|gsk_|xai-|r8_|rpa_|f[om]\d_|nfp_|ATATT3|AGE-SECRET-KEY-1|(?:bot)?\d{8,10}:AA)(?=[\w-]{0,200}\d)[\w-]{16,}/g,
  /(?<=\/\/hooks\.slack\.com\/services\/|\/api\/webhooks\/)[\w/-]{20,400}/g,
  /(?<=(?:[?&]|&amp;)(?:[\w.-]{0,60}[_.-])?(?:sig|signature|hmac|jwt|auth|s(?:ession)?id|appid|(?:api|access)?key)=)(?=[\w.~+/=%*-]{0,400}\d)[\w.~+/=%*-]{8,4000}/gi,
  /SG\.[\w-]{16,}\.[\w-]{16,}/g,
  // The gateway's own tokens, of confirmations and of stopped programs.
  /(?:conf|quota_continue)_[\w-]{16,}/g,
  /program_(?=[\w-]*\d)[\w-]{32,}/g,
  // The codes by which people verify an agent's action, also as they are typed.
  /(?<![A-Za-z0-9])vc[\s-]?(?:[0-9a-z]{4}[\s-]?){6,7}[0-9a-z]{0,4}(?![0-9a-z])/gi,
];

/** The credentials of an address: https://user:password@host. */
export const ADDRESS_CREDENTIALS = /(?<=:\/\/)[^\s/?#"'<>$(){}`\\;|&]{1,200}(?=@)/g;

/** Words for a password in languages of which tools and forms are written. */
export const PASSWORD_WORDS =
  'passwort|kennwort|contrase(?:ñ|n)a|mot[_ -]?de[_ -]?passe|(?<!de)senha(?![a-z])|wachtwoord|l(?:ö|o)senord|hasło|haslo(?![a-z])|пароль|密码|密碼|パスワード|비밀번호|şifre';

/** Names of secrets, as a part of a regular expression. One may go on: `SecretString`, `password_2`. */
export const SECRET_NAME = `(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|authorization|(?:api|access|account|shared|signing|encryption|private|secret|master|hmac|session|subscription|consumer|licen[cs]e)[ _-]?key|auth(?<=_auth)|pass(?<=--pass|(?:user|db|database|smtp|ftp|http|proxy|mysql|pg|postgres|redis|mongo|root|admin|login|mail|ssh|basic|auth)[_.-]pass)|${PASSWORD_WORDS})(?:[_-]?(?:value|string|data|b64|base64|base|\\d{1,2}))?`;

/** A quotation mark as it is written, in markup, or as in JSON that is itself a text in JSON, up to three times. */
export const QUOTE = String.raw`(?:\\{0,7}(?:["']|u002[27])|&quot;|&#3[49];)`;

/** Programs with an option whose value is a secret; what stands between the two is bounded. */
export const SECRET_OPTIONS = String.raw`(?:\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;&]{0,100}?\s-p(?=\S)|\bsshpass\s{1,3}-p\s{0,3}|\bredis-cli\b[^\n|;&]{0,100}?\s-a\s{1,3}|\bcurl\b[^\n|;&]{0,100}?\s(?:-u|--user)[\s=]{0,3}["']?[\w.@+-]{1,100}:)`;

const MASK = '[secret]';

/** Values that are secret by what stands before them: in headers, on command lines, in addresses and in markup. */
const AFTER_SIGNS: readonly RegExp[] = [
  /(?<=\bauthorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}[a-z]{1,20}\s{1,3})[\w.~+/=-]{8,4000}/gi,
  /(?<=\bcookie["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3})[^\s"'\\][^\r\n"'\\]{0,4000}/gi,
  String.raw`(?<=--(?:[a-z]{1,30}-){0,4}[a-z]{0,30}?${SECRET_NAME}(?:\s{1,3}|=|["'],\s{0,20})["']?)[^\s"'-][^\s"']{2,400}`,
  new RegExp(String.raw`(?<=${SECRET_OPTIONS}["']?)[^\s"'-][^\s"']{2,100}`, 'g'),
  // The user's name alone is kept, unless it is as long as a token: https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1
  /(?<=:\/\/)(?:[^\s/?#"'<>]{0,500}:[^\s/?#"'<>]{1,500}|[^\s/?#:"'<>]{16,1000})(?=@)/g,
  // {"name": "DB_PASSWORD", "value": "x"}
  String.raw`(?<=\bname["']?:\s{0,3}["']?[\w.-]{0,60}?${SECRET_NAME}["']?,?\s{0,40}["']?value["']?:\s{0,3}["']?)[^\s"',{}]{3,2000}`,
  String.raw`(?<=<(?:[\w-]{1,30}[_.-])?${SECRET_NAME}>)[^<\s][^<\n]{2,400}(?=</)`,
].map((form) => (typeof form === 'string' ? new RegExp(form, 'gi') : form));

/** A value in a sentence, which no name looks like: `token x9F4… has expired`. */
const MADE = String.raw`(?=[a-z+]{0,60}\d)(?=\d{0,60}[a-z])[a-z0-9+=]{12,400}(?![\w./-])`;

/** Its three groups, the only ones: the name of a secret, what stands between the two, and the value, which is a quotation or goes on to the next blank. */
const ASSIGNMENT = new RegExp(
  String.raw`(?<![a-z0-9])(?<name>(?:[a-z0-9]{1,30}[_.-]){0,4}[a-z0-9]{0,30}?${SECRET_NAME}s?)(?<between>${QUOTE}?(?:\s{0,3}=>?\s{0,3}|\s{0,3}:\s{0,3}|\s{1,3}is\s{1,3}(?=["'])|\s{1,3}(?:(?:is|was|provided|given):?\s{1,3})?(?=["']?${MADE})["']?)(?:&quot;|&#3[49];|\\{1,7}u002[27]|[bu](?=["']))?)(?<value>\\{1,7}"[^"\\\n]{1,400}\\{1,7}"|"(?:[^"\\\n]|\\.){1,400}"|'[^'\n]{1,400}'|[^\s"',;(){}<>[\]&\\]{3,400})`,
  'gi',
);
/** Of a list of pages, or a count. */
const HARMLESS_NAME =
  /(?<![a-z])(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count)[_.-](?:\w+[_.-])?tokens?$/i;
/** `password: required`, `unexpected token: }`: a word says something of the value. */
const WORD = /^[a-z][a-z-]{0,30}[.!?:]{0,2}$/i;
/** A token is a secret only where it is no word of a program: `unexpected token: foo_bar`. */
const MADE_VALUE = /\d.{0,400}[a-z]|[a-z].{0,400}\d/i;
const LEAST_TOKEN = 8;

/**
 * What a server says of a failure, without what is a secret by its form or by the name before it. A word after a colon stays: it mostly says
 * what is wrong with the value.
 * @param isSent whether the caller itself sent the text, which may be repeated to it
 */
export function maskSecrets(words: string, isSent: (text: string) => boolean, mask = MASK): string {
  const assigned = words.replace(ASSIGNMENT, (whole: string, name: string, between: string, value: string) => {
    const bare = value.replace(/^\\{0,7}["']|\\{0,7}["']$/g, '');
    return isSent(bare) || !isSecretValue(name, bare, between)
      ? whole
      : `${name}${between}${value.replace(bare, () => mask)}`;
  });
  return [...SECRET_FORMS, ...AFTER_SIGNS].reduce(
    (text, form) => text.replace(form, (found) => (isSent(found) ? found : mask)),
    assigned,
  );
}

export function isSecretMember(name: string, value: string): boolean {
  return MEMBER_NAME.test(inParts(name)) && !/\s/.test(value) && isSecretValue(name, value, '=');
}

const MEMBER_NAME = new RegExp(`(?:^|[_.-])${SECRET_NAME}s?$`, 'i');

/** Names in one word, as `clientSecret`, with the parts that others write. */
const inParts = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');

function isSecretValue(name: string, value: string, between: string): boolean {
  if (HARMLESS_NAME.test(inParts(name)) || /^\[|^\*+$|^\$\{[^}]*\}$/.test(value)) return false;
  if (/token|authorization/i.test(name)) return value.length >= LEAST_TOKEN && MADE_VALUE.test(value);
  return between.includes('=') || !WORD.test(value);
}
