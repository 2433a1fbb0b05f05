import {
  boolean,
  choice,
  custom,
  dictionary,
  integer,
  list,
  NAME_GLOB,
  SCOPE,
  section,
  string,
  TEXT,
  text,
} from './setting.js';

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
    ignoreArguments: list(
      NAME_GLOB,
      'Names, or patterns of them (`chat*`), that this client adds to its calls: where an operation has no such parameter they are dropped, with a warning.',
    ),
  }),
  'Who may use MCP over HTTP with a static token: name -> token. Without these and `server.oauth`, everyone who can reach the port.',
);

export const OPERATORS = dictionary(
  HOLDER_NAMES,
  section('An operator with a static token.', KEYS),
  'Who may approve over the HTTP API: name -> token. Nobody unless given.',
);

/** The signatures with a public key that are accepted unless given; never those with a shared secret, and never none. */
export const DEFAULT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

type Scalar = string | number | boolean;

const SCALAR = { type: ['string', 'number', 'boolean'] };

/** Of a claim: one of these. */
const VALUES = custom<Scalar | readonly Scalar[], readonly Scalar[]>({
  type: ['string', 'number', 'boolean', 'array'],
  items: SCALAR,
  if: { type: 'array' },
  else: SCALAR,
});

const NAME = '^[A-Za-z0-9][A-Za-z0-9_.-]*$';

export const ISSUER = section(
  'An authorization server whose tokens are accepted.',
  {
    name: string(
      { pattern: NAME, maxLength: 64 },
      'What stands before the names of its users and clients in rules: `corp:alice`.',
    ),
    issuer: text('Its identifier, exactly as its tokens have it in `iss`: https://login.example.org/realms/main.'),
    jwksUri: text("Where its keys are; from the issuer's metadata (RFC 8414, OpenID Connect Discovery) unless given."),
    audience: custom<string | readonly string[], readonly string[]>({
      type: ['string', 'array'],
      items: TEXT,
      description: 'What its tokens have in `aud`, one of these; `resource` unless given.',
    }),
    algorithms: list(
      choice(DEFAULT_ALGORITHMS, ''),
      'The signatures that are accepted; all of these unless given.',
      undefined,
      { minItems: 1 },
    ),
    scopes: list(SCOPE, 'Scopes that every token must grant; clients are told of them.', []),
    groupsClaim: text('The claim that lists the groups: `groups`, or members inside a claim: `realm_access.roles`.'),
    groupsPrefix: string({}, 'Stands before these names, so that groups of two issuers stay apart.', ''),
    claims: dictionary(
      { propertyNames: { pattern: '^.+$', maxLength: 200 } },
      dictionary({ minProperties: 1 }, VALUES, ''),
      'Groups by what the claims must be: group -> claim -> value(s). `{"engineers": {"department": ["eng", "research"]}}`; all claims of a group must hold.',
    ),
    clockToleranceSeconds: integer(0, 300, 'How far the clocks may differ; 30 unless given.', 30),
    introspection: section('Where tokens that are no JWT are asked about (RFC 7662).', {
      endpoint: text("The address; from the issuer's metadata unless given."),
      clientId: text('What the gateway is at the issuer.'),
      clientSecret: string({}, 'Its secret.'),
      clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
      cacheSeconds: integer(
        0,
        300,
        'For how long an answer is used again; 30 unless given. A revoked token works so long.',
      ),
    }),
    login: section(
      'What the gateway is at the issuer when a person signs in on one of its pages (docs/upstream-credentials.md).',
      {
        clientId: text('Its client id; unless given, it has a metadata document at `publicUrl` or registers itself.'),
        clientSecret: string({}, 'Its secret, where it has one.'),
        clientSecret_FILE: text('A file that holds it; `clientSecret` beats it.'),
      },
    ),
  },
  ['name', 'issuer'],
);

export const SERVER = section('Where the gateway listens.', {
  host: text('The address to listen on.', '127.0.0.1'),
  port: integer(0, 65_535, 'The port to listen on; 0 takes a free one.', 3333),
  allowedHosts: list(TEXT, 'Host names that requests may address, beside the loopback names and `host`.', []),
  allowedOrigins: list(TEXT, "Host names that a browser's Origin may carry, beside the loopback names.", []),
  sessionIdleMs: integer(1000, 604_800_000, 'A session that is silent for so many milliseconds ends.', 1_800_000),
  maxSessions: integer(
    1,
    1_000_000,
    'Sessions at once, and open subscriptions. When there are as many, only one that was unused for a minute makes room; a new one is refused otherwise.',
    10_000,
  ),
  maxConnections: integer(
    1,
    1_000_000,
    'Network connections at once; one beyond that is closed before anything of it is read.',
    50_000,
  ),
  maxSessionsPerClient: integer(
    1,
    1_000_000,
    'Sessions at once of one client, or of one network address where there are no `clients`.',
    1_000,
  ),
  handshakeTimeoutMs: integer(
    100,
    600_000,
    'A connection that has not agreed on keys (TLS) by then is closed.',
    10_000,
  ),
  headersTimeoutMs: integer(
    100,
    600_000,
    'A request whose headers have not come whole by then is ended, as is a connection that brings none.',
    20_000,
  ),
  requestTimeoutMs: integer(
    1_000,
    3_600_000,
    'A request that has not come whole by then is ended; a body of up to 64 kB has a tenth of it. Answers may take as long as they need.',
    60_000,
  ),
  // Longer than load balancers keep theirs, which close first.
  keepAliveMs: integer(
    1_000,
    3_600_000,
    'How long a connection without a request is kept: longer than a load balancer in front keeps its own.',
    72_000,
  ),
  longCallKeepAliveMs: integer(
    100,
    3_600_000,
    'After so long without an answer the response to a call becomes an event stream (after two fifths at most in sessions of 2025-11-25, whose clients can come back to one), and every event stream has a comment so often: less than load balancers wait for a byte.',
    15_000,
  ),
  unreadTimeoutMs: integer(
    100,
    3_600_000,
    'The connection of a client that reads nothing for so long of what has been sent is closed.',
    120_000,
  ),
  maxUnreadBytes: integer(
    1_048_576,
    1_099_511_627_776,
    'What waits to be read by all clients together; beyond it, the connections of those that most waits for are closed.',
    268_435_456,
  ),
  maxCalls: integer(
    1,
    1_000_000,
    'Calls in flight at once, over all servers and built-in operations, where clients authenticate. More wait, and each client has its turn.',
    4_096,
  ),
  maxCallsPerClient: integer(1, 1_000_000, 'Calls in flight at once of one client (a user where there is one).', 1_024),
  maxWaitingCalls: integer(
    0,
    1_000_000,
    'Calls that wait; of those beyond, the newest of the client that has most of them is refused.',
    20_000,
  ),
  lameDuckMs: integer(
    0,
    300_000,
    'How long a gateway that is asked to stop still takes requests while `/readyz` answers 503, in milliseconds: the time that a load balancer needs to notice.',
    0,
  ),
  drainMs: integer(
    0,
    3_600_000,
    'How long calls in flight may go on after that, in milliseconds; the rest are answered that their outcome is unknown.',
    5_000,
  ),
  questionTimeoutMs: integer(
    1_000,
    3_600_000,
    'How long a client has to answer what a server asks during a call, in milliseconds.',
    300_000,
  ),
  allowUnauthenticated: boolean(
    'Listen beyond this machine without `clients` and `oauth`, where something else decides who may connect. Otherwise a token is made and shown at the first start.',
    false,
  ),
  name: string(
    { maxLength: 64 },
    "What people call this gateway, on every page of the console; the machine's name unless given.",
  ),
  environment: string({ maxLength: 32 }, 'What it serves, beside the name: `production`, `staging`.'),
  defaultView: text('The view that `/mcp` serves; everything unless given.'),
  publicUrl: text(
    'Where clients and people reach this gateway, without `/mcp`: https://mcp.example.org. Its host name is allowed.',
  ),
  oauth: section('Accept access tokens of authorization servers. See docs/authentication.md.', {
    resource: text(
      'The canonical address of MCP here, for which tokens are issued; `publicUrl` and `/mcp` unless given.',
    ),
    issuers: list(ISSUER, 'The authorization servers.', undefined, { minItems: 1, maxItems: 20 }),
  }),
  tls: section('Serve HTTPS. The files are read again when they change.', {
    cert: text('The certificate and its chain, in PEM.'),
    key: text('Its private key, in PEM.'),
  }),
  trustedProxies: list(
    TEXT,
    'Addresses and networks (`10.0.0.0/8`) of proxies whose `Forwarded` and `X-Forwarded-*` headers are believed; of all others they are ignored.',
    [],
  ),
  allowRemoteCommands: boolean(
    "Let operators add servers that run a command, and values that refer to variables, over the admin API. Who has an operator's token can then run programs on this machine.",
    false,
  ),
});
