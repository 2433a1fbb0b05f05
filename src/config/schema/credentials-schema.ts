import { boolean, choice, list, looseTexts, SCOPE, section, string, text } from './setting.js';

/** A server's `credentials`. */
export const UPSTREAM_CREDENTIALS = section(
  'Whose rights the calls of a server over HTTP use; those of its `headers` unless given. See docs/upstream-credentials.md.',
  {
    type: choice(
      ['perUser', 'exchange', 'forwardHeaders'],
      "`perUser`: each user connects their own account (OAuth 2.1); `exchange`: the caller's token is exchanged for one of the server (RFC 8693); `forwardHeaders`: headers of the caller's request are passed on.",
    ),
    issuer: text(
      'Of `perUser`: the only authorization server that may be used; the one that the server names unless given.',
    ),
    clientId: text(
      'What the gateway is at the authorization server. Of `perUser`, unless given, it has a metadata document at `server.publicUrl` or registers itself.',
    ),
    clientSecret: string({}, 'Its secret.'),
    clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
    scopes: list(
      SCOPE,
      'What is asked for; of `perUser`, unless given, what the server says that it needs.',
      undefined,
      { maxItems: 100 },
    ),
    tokenEndpoint: text('Of `exchange`: where tokens are exchanged.'),
    audience: text('Of `exchange`: the name of what the new token is for.'),
    resource: text('Of `exchange`: its address.'),
    headers: list(
      string({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", maxLength: 100 }, ''),
      'Of `forwardHeaders`: the names of the headers.',
      undefined,
      { minItems: 1, maxItems: 20 },
    ),
    allowAuthorization: boolean(
      'Of `forwardHeaders`: whether `Authorization` may be among them. The server then gets the token of this gateway.',
    ),
    discovery: section('By what the gateway reads what the server offers, before any caller has come.', {
      headers: looseTexts('Headers beside those of the server. `X_FILE` sets the header `X` to the content of a file.'),
    }),
  },
);

/** How grants of users are kept. */
export const CREDENTIALS = section('How the tokens are kept that users have granted for servers.', {
  key: string(
    {},
    'What they are encrypted with in the store: 16 characters at least. Without it they are in memory alone.',
  ),
  key_FILE: text('A file that holds it; `key` beats it.'),
});
