import type { JsonObject } from '../../base/json/json.js';
import { ROW_FUNCTIONS, TRUST_LEVELS } from '../../base/protocol/operation.js';
import {
  boolean,
  choice,
  choiceOrMany,
  custom,
  integer,
  list,
  looseTexts,
  SCOPE,
  section,
  string,
  text,
} from './setting.js';

/** The longest time of anything between the gateway and a server. */
export const MAX_TIMEOUT_MS = 86_400_000;

export const INSTANCES = section(
  'Of a server that is isolated: how many connections there may be (`max`), after how long without a call one is ended ' +
    '(`idleSeconds`), and how many wait ready (`spare`).',
  {
    max: integer(1, 1_000, 'Connections at once; who comes when all are in use is refused.', 20),
    idleSeconds: integer(
      0,
      86_400,
      'One that had no call for so long is ended, and the next call begins another; 0 for never.',
      1800,
    ),
    spare: integer(0, 100, 'How many wait, connected, for their first caller: for servers that start slowly.', 0),
  },
);

export const QUEUE = section('How many calls wait beyond `maxConcurrency` (`max`), and how long (`waitMs`).', {
  max: integer(
    0,
    1_000_000,
    'Calls that wait; of those beyond, the newest of the client that has most of them is refused.',
    10_000,
  ),
  waitMs: integer(1, MAX_TIMEOUT_MS, 'How long a call waits, in milliseconds; as long as it may take unless given.'),
});

export const RESTARTS = section(
  'How often it may fail within a time (`max`, `windowSeconds`) before it is `failed` and left alone until an operator asks for it or changes its configuration.',
  {
    max: integer(0, 10_000, 'Starts or connections anew within the window; 0 for without end.', 0),
    windowSeconds: integer(1, 86_400, 'The window, in seconds.', 600),
  },
);

export const CIRCUIT = section(
  'After how many failed calls (`failures`) others are refused at once, and for how long (`openSeconds`), until one is answered.',
  {
    failures: integer(
      0,
      10_000,
      'Calls in a row that fail without an answer, by a time-out or with an HTTP status from 500 on; 0 for never.',
      0,
    ),
    openSeconds: integer(1, 3_600, 'How long calls are refused before one is tried, in seconds.', 30),
  },
);

export const PINGS = section(
  'After how many milliseconds of silence a connection is proven by a ping: before a call (`afterIdleMs`), and beside one (`duringCallMs`). What does not answer is replaced.',
  {
    afterIdleMs: integer(
      0,
      MAX_TIMEOUT_MS,
      'Nothing came for so long: the connection is proven before the next call is sent; 0 for never.',
      30_000,
    ),
    duringCallMs: integer(
      0,
      MAX_TIMEOUT_MS,
      'Nothing came for so long while a call waits for its answer: the connection is proven beside it; 0 for never.',
      10_000,
    ),
  },
);

export const OUTBOUND_TLS = section(
  'The certificates of the way to a server over HTTP, each read again when it changes.',
  {
    ca: text('A PEM file with the authorities that are trusted in place of the public ones.'),
    cert: text('A PEM file with the certificate that the gateway shows.'),
    key: text('A PEM file with its key.'),
    serverName: text("The name that the server's certificate must have, where that is not the host of the URL."),
    acceptAnyCertificate: boolean(
      'DANGEROUS: take any certificate, so that who is on the way can read and change everything. For trials only.',
    ),
  },
);

const MAX_ID = 4_294_967_294;

export const CHILD_LIMITS = section('What its processes may take, and as whom they run.', {
  memoryMb: integer(
    1,
    1_048_576,
    'Resident memory of its processes together, in MiB, which is looked at every two seconds; pages that they share count for each.',
  ),
  restartOnMemory: boolean('Start it again beyond that, unless `false`: then a warning is logged.'),
  user: integer(0, MAX_ID, 'The id of the user that it runs as; for a gateway that runs as root.'),
  group: integer(0, MAX_ID, "The id of its group; the gateway's own unless given."),
});

/** A path, or the address of one. */
const ABSOLUTE_FOLDER = '^(/|[A-Za-z]:[\\\\/]|file:///)';

const mayAsk = (description: string) => choice(['allow', 'deny'], description, 'allow');

export const ASKS = section('What the server may ask of the client that calls it, while it runs the call.', {
  elicitation: mayAsk('Whether it may ask the user of the client that calls it: by a form, or by a page to open.'),
  sampling: mayAsk("Whether it may have texts written by the client's model."),
  roots: choiceOrMany(
    ['own', 'allow', 'deny'],
    string({ pattern: ABSOLUTE_FOLDER }, ''),
    'What it learns of the folders that the client works in. `own`: those of the client that has its connection alone, or that it asks within a call (2026-07-28); none in all ' +
      'other cases. A list of absolute paths: the same, with these folders in place of none. `allow`: those of the client that calls, which a server whose connection is shared may ' +
      'keep for others. `deny`: it is told that nobody has folders.',
    'own',
  ),
});

/** The settings that `defaults` holds for all upstreams and that each upstream may override. */
export const SHARED = {
  // The operator has chosen the servers of the configuration: `validated`, not the specification's `untested`.
  trust: choice(
    TRUST_LEVELS,
    'How far the server is trusted; decides which calls are allowed and how much its annotations count.',
    'validated',
  ),
  timeoutMs: integer(1, MAX_TIMEOUT_MS, 'Upper bound of one call in milliseconds; progress restarts it.', 60_000),
  maxCallMs: integer(
    1,
    MAX_TIMEOUT_MS,
    'Upper bound of one call in milliseconds, whatever progress it shows. Where `timeoutMs` is longer, that counts.',
    900_000,
  ),
  connectTimeoutMs: integer(1, MAX_TIMEOUT_MS, 'Upper bound of connecting and listing tools, in milliseconds.', 30_000),
  protocol: choice(
    ['auto', '2025-11-25', '2026-07-28'],
    'The revision of MCP that it is spoken to in: that of sessions (`2025-11-25`; an older one where the server knows no other), or `2026-07-28`. `auto` speaks to ' +
      'a server over HTTP that knows both in the era of each client, and to one on a pipe in the newer one where it knows that. Servers of the SSE transport have sessions.',
    'auto',
  ),
  extensions: custom<Readonly<Record<string, JsonObject>>>({
    type: 'object',
    additionalProperties: { type: 'object' },
    description:
      'The extensions of MCP that the server is told its clients have, by name, each with its settings. Where tools of servers are passed through, ' +
      "MCP Apps (`io.modelcontextprotocol/ui`) unless given; none elsewhere. The methods of a vendor's extension that is named here and that the server has " +
      '(`com.example/notes/list` of `com.example/notes`) are passed on to it: you vouch for what they do.',
  }),
  experimental: custom<Readonly<Record<string, JsonObject>>>({
    type: 'object',
    additionalProperties: { type: 'object' },
    description:
      'The experimental capabilities that the server is told its clients have, by name; none unless given. Methods that begin with such a name are passed on to it.',
  }),
  maxConcurrency: integer(
    1,
    100_000,
    'Calls in flight at once; more wait, and each client has its turn among them.',
    64,
  ),
  queue: QUEUE,
  restarts: RESTARTS,
  circuit: CIRCUIT,
  pings: PINGS,
  proxy: text(
    'The proxy on the way to a server over HTTP: an `http://` or `https://` address; `environment` for that of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; `none`, which is the default.',
  ),
  tls: OUTBOUND_TLS,
  required: boolean('Whether `/readyz` says 503 while this server is not connected.', false),
  isolation: choice(
    ['auto', 'shared', 'client', 'session'],
    'Who shares a connection, and the process behind it: all callers (`shared`), those of one authenticated client (`client`; ' +
      'without authentication, of one session), or one session alone (`session`). `auto` decides by what the server offers.',
    'auto',
  ),
  instances: INSTANCES,
  maxAnswerBytes: integer(
    65_536,
    1_073_741_824,
    'Longest message that the server may send, in bytes; a call with a longer answer fails alone. Unless given, five times ' +
      '`limits.maxResponseSize`, and 4 MiB at least.',
  ),
  strict: choice(
    [true, false, 'deep'],
    'Refuse parameters that a tool does not describe; `deep` also members of nested objects that their schema does not name, of which callers are else only warned.',
    true,
  ),
  formats: choice(
    ['readable', 'strict'],
    'What `format` of a schema refuses: `readable` what no reading of a notation accepts (local times, fractions and international names pass), `strict` what its standard does not allow.',
    'readable',
  ),
  readOnlyStatements: boolean(
    'Count a statement (SQL, GraphQL) that is proven to only read as a READ, and offer an operation for nothing else beside each one that runs statements.',
    true,
  ),
  rowFunctions: choice(
    ROW_FUNCTIONS,
    'Whether the schema of a PostgreSQL database may have functions that take a row of a table (computed columns, as of PostGraphile and Hasura): `table.name` may call one, ' +
      'so that a statement with columns named so is not proven to only read. `none`: it has none, or none that changes anything.',
    'possible',
  ),
  asks: ASKS,
};

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
