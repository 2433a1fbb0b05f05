import type { JsonObject, JsonSchema } from '../../base/json/json.js';
import { CATEGORIES, DANGER_LEVELS } from '../../base/protocol/operation.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import { API_LIMIT_SCOPES, API_WINDOWS, STORE_TYPES } from '../gateway-config.js';
import { CONFIRMERS, DECISIONS, METRICS, SHARES } from '../policy-config.js';

const { policy, store, audit } = CONFIG_DEFAULTS;

const MAX_PATTERN_LENGTH = 500;

// A leading `!` or `#` of minimatch has no meaning here, and no name begins with it.
export const NAME_GLOB: JsonSchema = { type: 'string', pattern: '^[^!#]', maxLength: MAX_PATTERN_LENGTH };
const text: JsonSchema = { type: 'string', minLength: 1, maxLength: MAX_PATTERN_LENGTH };

const CONDITION: JsonSchema = {
  ...keysOf({
    present: { type: 'boolean', description: 'Whether the parameter is given; a missing one passes `false` alone.' },
    equals: { description: 'Deeply equal to this JSON value.' },
    in: { type: 'array', minItems: 1, description: 'Deeply equal to one of these JSON values.' },
    gt: { type: 'number', description: 'A number greater than this.' },
    gte: { type: 'number', description: 'A number of at least this.' },
    lt: { type: 'number', description: 'A number less than this.' },
    lte: { type: 'number', description: 'A number of at most this.' },
    glob: oneOrMany(
      text,
      'Pattern(s), one of which matches the value as text; of a list, any element. `**` crosses `/`.',
    ),
  }),
  minProperties: 1,
};

/** The conditions of rules; quotas have some of them. */
const MATCH_PROPERTIES = {
  operation: oneOrMany(NAME_GLOB, 'Names or pattern(s) of them: bare (`delete_*`) or qualified (`github__*`).'),
  category: oneOrMany({ enum: [...CATEGORIES] }, 'What the operation does to state.'),
  danger: oneOrMany({ enum: [...DANGER_LEVELS] }, 'How bad the call can be.'),
  upstream: oneOrMany(NAME_GLOB, 'Names of upstreams in any spelling, or pattern(s) of them in snake_case.'),
  client: oneOrMany(
    NAME_GLOB,
    'Names of `clients`, or `ISSUER:CLIENT` of an identity provider, or pattern(s) of them; a caller that did not authenticate matches none, not even `*`.',
  ),
  user: oneOrMany(
    NAME_GLOB,
    'Users of an identity provider as `ISSUER:SUBJECT`, or pattern(s) of them. A client with a static token is no user.',
  ),
  group: oneOrMany(NAME_GLOB, 'Groups, or pattern(s) of them; the caller is in one. See `server.oauth.issuers`.'),
  scope: oneOrMany(NAME_GLOB, 'Scopes, or pattern(s) of them; the token of the caller grants one.'),
  view: oneOrMany(
    NAME_GLOB,
    'Names of `views`, or pattern(s) of them; a call of the whole matches none, not even `*`.',
  ),
  params: {
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: '^[^.]+(\\.[^.]+)*$' },
    additionalProperties: CONDITION,
    description: 'Conditions by parameter, dotted into objects (`options.force`); all that are given must hold.',
  },
};

const MATCH = section(
  'Which calls the rule is about: all that is given must match, and of a list one entry.',
  MATCH_PROPERTIES,
);

export const RULE: JsonSchema = {
  ...keysOf({
    name: {
      ...text,
      maxLength: 100,
      description: 'What messages and records call it; `rule 3` by position if not given.',
    },
    match: MATCH,
    decision: {
      enum: [...DECISIONS],
      description: 'The decision about the call. Of the rules that match, `deny` beats `confirm` beats `allow`.',
    },
    reason: { ...text, description: 'Why; shown in the refusal or the question.' },
    requires: {
      enum: [...CONFIRMERS],
      description:
        'Of `confirm`, who must agree: the caller, which sends the token back (`token`, unless given), or a person, in a way ' +
        'that a model cannot use (`human`).',
    },
    cooldown_seconds: range(0, 3600, 'Of `confirm`: least seconds between the question and the execution.'),
  }),
  required: ['decision'],
};

const CONFIRMATION = section(
  'Confirmation tokens.',
  {
    ttlSeconds: section(
      'How long a token is valid, in seconds, by the danger of the call; below destructive as `destructive`.',
      {
        destructive: range(1, 900, 'Of a destructive call.'),
        dangerous: range(1, 900, 'Of a dangerous call.'),
        forbidden: range(1, 300, 'Of a forbidden call that may be confirmed at all.'),
      },
      policy.confirmation.ttlSeconds,
    ),
    clockSkewSeconds: range(0, 300, 'Grace after expiry for clocks that differ; above 60 gets a warning.'),
    batch: {
      enum: ['each', 'together'],
      description:
        'How the calls of one batch are agreed to: `each` by itself, or those whose arguments are known `together`: one ' +
        "token, or one question to the client's user, that shows and covers exactly them, in their order.",
    },
    maxIssuedPerMinute: range(1, 100_000, 'Tokens issued per caller and minute.'),
    maxFailuresPerMinute: range(1, 100_000, 'Failed validations and revocations per caller and minute.'),
  },
  policy.confirmation,
);

/** A static token. Its length is checked once references are resolved. */
const KEY = {
  token: {
    type: 'string',
    description:
      'The bearer token: at least 16 visible ASCII characters, best from a variable. No two may be the same.',
  },
  token_FILE: { type: 'string', minLength: 1, description: 'A file that holds it; `token` beats it.' },
  tokenHash: {
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
    description:
      'Instead of the token: `sha256:` and its hash, from `printf %s "$TOKEN" | sha256sum`. The file then holds no secret.',
  },
  expires: {
    type: 'string',
    minLength: 1,
    description: 'From when on it is refused: an ISO 8601 date or time, such as `2027-01-31`.',
  },
};

/** One static token, or several. */
export const KEYS = {
  ...KEY,
  keys: {
    type: 'array',
    items: section('One of the tokens.', KEY),
    description: 'Several tokens, so that one can be exchanged while the other is still used.',
  },
};

const OPERATORS: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', maxLength: 64 },
  additionalProperties: section('An operator with a static token.', KEYS),
  description: 'Who may approve over the HTTP API: name -> token. Nobody unless given.',
};

const APPROVALS = section(
  'How a person is asked where a rule says `human`.',
  {
    elicitation: { type: 'boolean', description: "Ask the client's user by MCP elicitation where the client can." },
    operator: { type: 'boolean', description: 'Ask the operator: command line, HTTP API, webhook.' },
    mode: {
      enum: ['retry', 'wait'],
      description: 'Answer at once with a token to retry with once approved (`retry`), or let the call wait (`wait`).',
    },
    waitSeconds: range(1, 3600, 'Of `wait`: how long a call waits.'),
    expireSeconds: range(10, 86_400, 'How long the operator has.'),
    maxPending: range(
      1,
      10_000,
      'How many requests may be undecided at one time. Clients without authentication share half of it.',
    ),
    maxPendingPerClient: range(1, 10_000, 'How many of them one client may have; without authentication, one session.'),
    operators: OPERATORS,
    operatorGroups: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description:
        'Groups whose users are operators: they sign in to the console at an issuer of `server.oauth` (docs/console.md).',
    },
    publicUrl: {
      type: 'string',
      minLength: 1,
      description: 'Where people reach this gateway, for links; the listening address unless given.',
    },
    webhook: section('Receives each request for an approval, with a link to it.', {
      url: { type: 'string', minLength: 1, description: 'Where it is posted to: http:// or https://.' },
      secret: { type: 'string', description: 'Key of the signature (HMAC-SHA256), at least 16 characters.' },
      secret_FILE: { type: 'string', minLength: 1, description: 'A file that holds it; `secret` beats it.' },
    }),
  },
  policy.approvals,
);

export const POLICY_SECTION = section(
  'Which calls are allowed, and who must agree. See [policy rules](#policy-rules).',
  {
    readOnly: { type: 'boolean', description: 'Refuse every operation that is not READ; this beats every rule.' },
    rules: { type: 'array', items: RULE, description: 'What is decided about the calls that match.' },
    confirmation: CONFIRMATION,
    approvals: APPROVALS,
  },
  policy,
);

/** A list of strings that are not empty. */
export const TEXTS = { type: 'array', items: { type: 'string', minLength: 1 } };

const MEGABYTE = 1_048_576;

export const STORE_SECTION = section(
  'Where tokens, approvals and other state are kept.',
  {
    type: {
      enum: [...STORE_TYPES],
      description:
        'Lost with the process (`memory`), one file (`sqlite`), or shared by several gateways (`redis`, also Valkey). ' +
        '`redis` where only `url` is given.',
    },
    file: { type: 'string', minLength: 1, description: 'Of `sqlite`: the file.' },
    url: {
      type: 'string',
      minLength: 1,
      description: 'Of `redis`: redis:// or rediss://, with its credentials.',
    },
    cluster: {
      ...TEXTS,
      minItems: 1,
      description: 'Of `redis`, instead of `url`: some servers of a cluster, each as `redis://host:6379`.',
    },
    sentinel: section('Of `redis`, instead of `url`: a server that sentinels watch.', {
      name: { type: 'string', minLength: 1, description: 'What the sentinels call it: `mymaster`.' },
      nodes: {
        ...TEXTS,
        minItems: 1,
        description: 'The sentinels, each as `redis://host:26379`, with their own credentials where they have some.',
      },
    }),
    username: { type: 'string', minLength: 1, description: 'Of `redis`: beats that of an address.' },
    password: {
      type: 'string',
      minLength: 1,
      description: `Of \`redis\`: beats that of an address. \`\${REDIS_PASSWORD}\` takes it from the environment or a file.`,
    },
    tls: section('Of `redis`, for rediss:// addresses: files in PEM.', {
      ca: { type: 'string', minLength: 1, description: 'The authority that signed the certificate of the server.' },
      cert: {
        type: 'string',
        minLength: 1,
        description: "The gateway's own certificate, where the server asks for one.",
      },
      key: { type: 'string', minLength: 1, description: 'Its private key.' },
    }),
    sharedBytes: range(
      MEGABYTE,
      Number.MAX_SAFE_INTEGER,
      'Of `redis`: what the parts of large answers may take in it, in bytes; 256 MB unless given. The oldest make room.',
    ),
    sharedBytesPerClient: range(
      MEGABYTE,
      Number.MAX_SAFE_INTEGER,
      'Of `redis`: those of one client or user; 32 MB unless given.',
    ),
    prefix: {
      type: 'string',
      pattern: '^[A-Za-z0-9:._-]+$',
      maxLength: 100,
      description: 'Of `redis`: what its keys begin with. Gateways that share it share their state.',
    },
  },
  { ...store, file: `\${dataDir}/${store.file}` },
);

export const AUDIT_SECTION = section(
  'The record of what was attempted, decided and administered.',
  {
    enabled: { type: 'boolean', description: 'Whether there is one.' },
    directory: { type: 'string', minLength: 1, description: 'Where its files are.' },
    calls: {
      enum: ['gated', 'all'],
      description: 'Calls that are destructive or worse and every refusal by policy (`gated`), or every call (`all`).',
    },
    sync: {
      type: 'boolean',
      description: 'Write each record to the disk before going on; else a crash may lose the last 100 ms.',
    },
    required: {
      type: 'boolean',
      description:
        'Refuse destructive, dangerous and forbidden calls while the journal cannot be written, as on a full disk. Unless given, as `sync`.',
    },
    maxBytes: range(
      0,
      Number.MAX_SAFE_INTEGER,
      'What the files may take together, in bytes; beyond that the oldest that have ended are removed. 0 keeps all.',
    ),
    retentionDays: range(0, 3650, 'Whole files older than so many days are removed; 0 keeps all.'),
    redactKeys: {
      type: 'array',
      items: text,
      description: 'Minimatch patterns of more parameter names whose values are never recorded.',
    },
    redactPatterns: {
      ...TEXTS,
      description:
        'Regular expressions (JavaScript, flag `u`) of more texts that are never recorded. Yours to keep cheap: nested ' +
        'repetition such as `(a+)+` may never end.',
    },
  },
  { ...audit, directory: `\${dataDir}/${audit.directory}` },
);

/** An object that allows these keys and no others, each with its default where there is one. */
function keysOf(properties: Record<string, JsonObject>, defaults: JsonObject = {}): JsonSchema {
  const entries = Object.entries(properties).map(([key, schema]) => [
    key,
    // The members of a section show their defaults themselves.
    key in defaults && !('properties' in schema) ? { ...schema, default: defaults[key] } : schema,
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(entries) };
}

/** The same with a description. */
export function section(
  description: string,
  properties: Record<string, JsonObject>,
  defaults: JsonObject = {},
): JsonSchema {
  return { ...keysOf(properties, defaults), description };
}

/** An integer within bounds. */
export function range(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

/** One string or a list of them; `if` chooses one of the two, so that a fault is reported once. */
export function oneOrMany(item: JsonSchema, description: string): JsonSchema {
  return { type: ['string', 'array'], minItems: 1, items: item, if: { type: 'array' }, else: item, description };
}

const MAX_AMOUNT = 1_000_000_000;

const { params: _params, danger: _danger, ...QUOTA_MATCH } = MATCH_PROPERTIES;
const { operation, category, upstream } = MATCH_PROPERTIES;

function threshold(description: string): JsonSchema {
  return { type: 'number', minimum: 0, maximum: MAX_AMOUNT, description };
}

const currency: JsonSchema = { type: 'string', pattern: '^[A-Z]{3}$', description: 'The currency of every price.' };

const LIMIT: JsonSchema = {
  ...keysOf({
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'What messages call it and counters are known by; its metric if not given.',
    },
    match: section('Which calls it is about: all that is given must match, and of a list one entry.', QUOTA_MATCH),
    per: {
      enum: [...SHARES],
      default: 'all',
      description: 'Whether all callers share one budget, or each client or each session has its own.',
    },
    metric: { enum: Object.keys(METRICS), description: 'What is counted, and over which span of the calendar (UTC).' },
    warn: threshold('From here on answers carry a warning.'),
    pause: threshold('A call that would exceed this is paused until its caller repeats it with a token.'),
    hard_stop: threshold('A call that would exceed this is refused.'),
    currency: { ...currency, description: 'Of a metric of cost; the one of the prices.' },
  }),
  required: ['metric'],
};

const PRICE: JsonSchema = {
  ...keysOf({
    match: section('Which operations cost it: all that is given must match, and of a list one entry.', {
      operation,
      category,
      upstream,
    }),
    cost_per_call: { type: 'number', minimum: 0, maximum: 1_000_000, description: 'In `currency`, by the millionth.' },
  }),
  required: ['cost_per_call'],
};

export const QUOTAS_SECTION = section(
  'Budgets of calls, tokens and money. See [quotas](quotas.md).',
  {
    limits: { type: 'array', items: LIMIT, description: 'What may be used in a span of time; each counts by itself.' },
    pricing: {
      type: 'array',
      items: PRICE,
      description: 'What operations cost; the last that matches one is its price.',
    },
    currency,
  },
  CONFIG_DEFAULTS.quotas,
);

export const API_LIMIT_PROPERTIES = {
  scope: {
    enum: [...API_LIMIT_SCOPES],
    description: 'Every call of the server, those of an `operation` pattern, or those of a `category`.',
  },
  operation: { ...NAME_GLOB, description: 'Of `endpoint`: a name, or a pattern whose operations count together.' },
  category: {
    enum: [...CATEGORIES, ...CATEGORIES.map((name) => name.toLowerCase())],
    description: 'Of `category`: the one that is counted.',
  },
  limit: range(1, MAX_AMOUNT, 'Calls in one window.'),
  window: { enum: [...API_WINDOWS], description: 'A span of the calendar (UTC).' },
};

/** A server's own key. */
export const API_LIMITS_SETTING: JsonSchema = {
  type: 'array',
  items: { ...keysOf(API_LIMIT_PROPERTIES), required: ['scope', 'limit', 'window'] },
  description: 'How many calls the server accepts; a call beyond a limit is not sent. See below.',
};
