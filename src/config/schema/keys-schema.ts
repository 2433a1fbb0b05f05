import { dictionary, list, section, string, TEXT, text } from './setting.js';

/** A static token. Its length is checked once references are resolved. */
const KEY = {
  token: string(
    {},
    'The bearer token: at least 16 visible ASCII characters, best from a variable. No two may be the same.',
  ),
  token_FILE: text('A file that holds it; `token` beats it.'),
  tokenHash: string(
    { pattern: '^sha256:[0-9a-f]{64}$' },
    'Instead of the token: `sha256:` and its hash, from `printf %s "$TOKEN" | sha256sum`. The file then holds no secret.',
  ),
  expires: text('From when on it is refused: an ISO 8601 date or time, such as `2027-01-31`.'),
};

/** One static token, or several. */
const KEYS = {
  ...KEY,
  keys: list(
    section('One of the tokens.', KEY),
    'Several tokens, so that one can be exchanged while the other is still used.',
  ),
};

const HOLDER_NAMES = { propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', maxLength: 64 } };

/** Who has a token, by name. */
export const CLIENTS = dictionary(
  HOLDER_NAMES,
  section('A client with a static token.', {
    ...KEYS,
    groups: list(TEXT, 'Groups that the client is in, for rules and quotas.'),
  }),
  'Who may use MCP over HTTP with a static token: name -> token. Without these and `server.oauth`, everyone who can reach the port.',
);

export const OPERATORS = dictionary(
  HOLDER_NAMES,
  section('An operator with a static token.', KEYS),
  'Who may approve over the HTTP API: name -> token. Nobody unless given.',
);
