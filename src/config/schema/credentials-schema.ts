import type { JsonSchema } from '../../base/json/json.js';
import { CREDENTIAL_TYPES } from '../credentials-config.js';
import { section } from './policy-schema.js';

const text = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });

const SCOPES = { type: 'array', maxItems: 100, items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' } };

/** A server's `credentials`. */
export const UPSTREAM_CREDENTIALS: JsonSchema = section(
  'Whose rights the calls of a server over HTTP use; those of its `headers` unless given. See docs/upstream-credentials.md.',
  {
    type: {
      enum: [...CREDENTIAL_TYPES],
      description:
        "`perUser`: each user connects their own account (OAuth 2.1); `exchange`: the caller's token is exchanged for one of the server (RFC 8693); `forwardHeaders`: headers of the caller's request are passed on.",
    },
    issuer: text(
      'Of `perUser`: the only authorization server that may be used; the one that the server names unless given.',
    ),
    clientId: text(
      'What the gateway is at the authorization server. Of `perUser`, unless given, it has a metadata document at `server.publicUrl` or registers itself.',
    ),
    clientSecret: { type: 'string', description: 'Its secret.' },
    clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
    scopes: {
      ...SCOPES,
      description: 'What is asked for; of `perUser`, unless given, what the server says that it needs.',
    },
    tokenEndpoint: text('Of `exchange`: where tokens are exchanged.'),
    audience: text('Of `exchange`: the name of what the new token is for.'),
    resource: text('Of `exchange`: its address.'),
    headers: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", maxLength: 100 },
      description: 'Of `forwardHeaders`: the names of the headers.',
    },
    allowAuthorization: {
      type: 'boolean',
      description:
        'Of `forwardHeaders`: whether `Authorization` may be among them. The server then gets the token of this gateway.',
    },
    discovery: section('By what the gateway reads what the server offers, before any caller has come.', {
      headers: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        description: 'Headers beside those of the server. `X_FILE` sets the header `X` to the content of a file.',
      },
    }),
  },
);

/** How grants of users are kept. */
export const CREDENTIALS_SECTION: JsonSchema = section('How the tokens are kept that users have granted for servers.', {
  key: {
    type: 'string',
    description:
      'What they are encrypted with in the store: 16 characters at least. Without it they are in memory alone.',
  },
  key_FILE: text('A file that holds it; `key` beats it.'),
});
