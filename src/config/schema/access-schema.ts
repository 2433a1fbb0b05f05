import type { JsonSchema } from '../../base/json/json.js';
import { DEFAULT_ALGORITHMS } from '../access-config.js';
import { KEYS, range, section, TEXTS } from './policy-schema.js';

const NAME = '^[A-Za-z0-9][A-Za-z0-9_.-]*$';

const text = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });

export const CLIENTS_SETTING: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: NAME, maxLength: 64 },
  additionalProperties: section('A client with a static token.', {
    ...KEYS,
    groups: { ...TEXTS, description: 'Groups that the client is in, for rules and quotas.' },
  }),
  description:
    'Who may use MCP over HTTP with a static token: name -> token. Without these and `server.oauth`, everyone who can reach the port.',
};

const SCALAR: JsonSchema = { type: ['string', 'number', 'boolean'] };
const VALUES: JsonSchema = {
  type: ['string', 'number', 'boolean', 'array'],
  items: SCALAR,
  if: { type: 'array' },
  else: SCALAR,
};

const ISSUER: JsonSchema = {
  ...section('An authorization server whose tokens are accepted.', {
    name: {
      type: 'string',
      pattern: NAME,
      maxLength: 64,
      description: 'What stands before the names of its users and clients in rules: `corp:alice`.',
    },
    issuer: text('Its identifier, exactly as its tokens have it in `iss`: https://login.example.org/realms/main.'),
    jwksUri: text("Where its keys are; from the issuer's metadata (RFC 8414, OpenID Connect Discovery) unless given."),
    audience: {
      type: ['string', 'array'],
      items: { type: 'string', minLength: 1 },
      description: 'What its tokens have in `aud`, one of these; `resource` unless given.',
    },
    algorithms: {
      type: 'array',
      minItems: 1,
      items: { enum: [...DEFAULT_ALGORITHMS] },
      description: 'The signatures that are accepted; all of these unless given.',
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
      description: 'Scopes that every token must grant; clients are told of them.',
    },
    groupsClaim: text('The claim that lists the groups: `groups`, or members inside a claim: `realm_access.roles`.'),
    groupsPrefix: {
      type: 'string',
      description: 'Stands before these names, so that groups of two issuers stay apart.',
    },
    claims: {
      type: 'object',
      propertyNames: { pattern: '^.+$', maxLength: 200 },
      additionalProperties: { type: 'object', minProperties: 1, additionalProperties: VALUES },
      description:
        'Groups by what the claims must be: group -> claim -> value(s). `{"engineers": {"department": ["eng", "research"]}}`; all claims of a group must hold.',
    },
    clockToleranceSeconds: range(0, 300, 'How far the clocks may differ; 30 unless given.'),
    introspection: section('Where tokens that are no JWT are asked about (RFC 7662).', {
      endpoint: text("The address; from the issuer's metadata unless given."),
      clientId: text('What the gateway is at the issuer.'),
      clientSecret: { type: 'string', description: 'Its secret.' },
      clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
      cacheSeconds: range(
        0,
        300,
        'For how long an answer is used again; 30 unless given. A revoked token works so long.',
      ),
    }),
    login: section(
      'What the gateway is at the issuer when a person signs in on one of its pages (docs/upstream-credentials.md).',
      {
        clientId: text('Its client id; unless given, it has a metadata document at `publicUrl` or registers itself.'),
        clientSecret: { type: 'string', description: 'Its secret, where it has one.' },
        clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
      },
    ),
  }),
  required: ['name', 'issuer'],
};

/** Settings of `server` about who may enter and how connections come. */
export const ACCESS_PROPERTIES = {
  publicUrl: text(
    'Where clients and people reach this gateway, without `/mcp`: https://mcp.example.org. Its host name is allowed.',
  ),
  oauth: section('Accept access tokens of authorization servers. See docs/authentication.md.', {
    resource: text(
      'The canonical address of MCP here, for which tokens are issued; `publicUrl` and `/mcp` unless given.',
    ),
    issuers: { type: 'array', minItems: 1, maxItems: 20, items: ISSUER, description: 'The authorization servers.' },
  }),
  tls: section('Serve HTTPS. The files are read again when they change.', {
    cert: text('The certificate and its chain, in PEM.'),
    key: text('Its private key, in PEM.'),
  }),
  trustedProxies: {
    ...TEXTS,
    description:
      'Addresses and networks (`10.0.0.0/8`) of proxies whose `Forwarded` and `X-Forwarded-*` headers are believed; of all others they are ignored.',
  },
};
