import { CATEGORIES, type Category, DANGER_LEVELS } from '../../base/protocol/operation.js';
import { DECISIONS, type Decision } from '../../base/protocol/policy-decision.js';
import { OPERATORS } from './server-schema.js';
import {
  boolean,
  choice,
  custom,
  dictionary,
  GLOB,
  integer,
  list,
  NAME_GLOB,
  number,
  oneOrMany,
  section,
  string,
  TEXT,
  text,
} from './setting.js';

/** Who must agree: the caller, which sends the token of the warning back, or a person, in a way that a model cannot use. */
const CONFIRMERS = ['token', 'human'] as const;

/** Conditions on one parameter. Of a list each element, and of a rule that allows every one, is compared with `glob`. */
export const CONDITION = {
  ...section('', {
    present: boolean('Whether the parameter is given; a missing one passes `false` alone.'),
    equals: custom<unknown>({ description: 'Deeply equal to this JSON value.' }),
    in: custom<readonly unknown[]>({
      type: 'array',
      minItems: 1,
      description: 'Deeply equal to one of these JSON values.',
    }),
    gt: number({}, 'A number greater than this.'),
    gte: number({}, 'A number of at least this.'),
    lt: number({}, 'A number less than this.'),
    lte: number({}, 'A number of at most this.'),
    glob: oneOrMany(
      GLOB,
      'Pattern(s), one of which matches the value as text; of a list, any element. `**` crosses `/`.',
    ),
  }),
  minProperties: 1,
};

/** The conditions on the caller. Who did not authenticate has no name and matches no pattern of names. */
export const CALLER = {
  client: oneOrMany(
    NAME_GLOB,
    'Names of `clients`, or `ISSUER:CLIENT` of an identity provider, or pattern(s) of them; a caller that did not authenticate matches none, not even `*`.',
  ),
  user: oneOrMany(
    NAME_GLOB,
    'Users of an identity provider as `ISSUER:SUBJECT`, or pattern(s) of them. A client with a static token is no user.',
  ),
  issuer: oneOrMany(
    NAME_GLOB,
    'Names of `server.oauth.issuers`, or pattern(s) of them: whose token the caller has. A client with a static token has none.',
  ),
  group: oneOrMany(NAME_GLOB, 'Groups, or pattern(s) of them; the caller is in one. See `server.oauth.issuers`.'),
  scope: oneOrMany(NAME_GLOB, 'Scopes, or pattern(s) of them; the token of the caller grants one.'),
  view: oneOrMany(
    NAME_GLOB,
    'Names of `views`, or pattern(s) of them; a call of the whole matches none, not even `*`.',
  ),
};

/** The conditions of rules; quotas have some of them. */
export const MATCH_PROPERTIES = {
  operation: oneOrMany(NAME_GLOB, 'Names or pattern(s) of them: bare (`delete_*`) or qualified (`github__*`).'),
  category: oneOrMany(choice(CATEGORIES, ''), 'What the operation does to state.'),
  danger: oneOrMany(choice(DANGER_LEVELS, ''), 'How bad the call can be.'),
  upstream: oneOrMany(NAME_GLOB, 'Names of upstreams in any spelling, or pattern(s) of them in snake_case.'),
  ...CALLER,
  params: dictionary(
    { minProperties: 1, propertyNames: { pattern: '^[^.]+(\\.[^.]+)*$' } },
    CONDITION,
    'Conditions by parameter, dotted into objects (`options.force`); all that are given must hold.',
  ),
};

export const MATCH = section(
  'Which calls the rule is about: all that is given must match, and of a list one entry.',
  MATCH_PROPERTIES,
);

export const RULE = section(
  '',
  {
    name: string(
      { minLength: 1, maxLength: 100 },
      'What messages and records call it; `rule 3` by position if not given.',
    ),
    match: MATCH,
    decision: choice(
      Object.keys(DECISIONS) as Decision[],
      'The decision about the call. Of the rules that match, `deny` beats `confirm` beats `allow`.',
    ),
    reason: string({ minLength: 1, maxLength: 500 }, 'Why; shown in the refusal or the question.'),
    requires: choice(
      CONFIRMERS,
      'Of `confirm`, who must agree: the caller, which sends the token back (`token`, unless given), or a person, in a way ' +
        'that a model cannot use (`human`).',
    ),
    cooldown_seconds: integer(0, 3600, 'Of `confirm`: least seconds between the question and the execution.'),
  },
  ['decision'],
);

export const CONFIRMATION = section('Confirmation tokens.', {
  // Specification, section 7.4: the recommended lifetimes.
  ttlSeconds: section(
    'How long a token is valid, in seconds, by the danger of the call; below destructive as `destructive`.',
    {
      destructive: integer(1, 900, 'Of a destructive call.', 300),
      dangerous: integer(1, 900, 'Of a dangerous call.', 300),
      forbidden: integer(1, 300, 'Of a forbidden call that may be confirmed at all.', 120),
    },
  ),
  clockSkewSeconds: integer(0, 300, 'Grace after expiry for clocks that differ; above 60 gets a warning.', 30),
  batch: choice(
    ['each', 'together'],
    'How the calls of one batch are agreed to: `each` by itself, or those whose arguments are known `together`: one ' +
      "token, or one question to the client's user, that shows and covers exactly them, in their order.",
    'each',
  ),
  maxIssuedPerMinute: integer(1, 100_000, 'Tokens issued per caller and minute.', 60),
  maxFailuresPerMinute: integer(1, 100_000, 'Failed validations and revocations per caller and minute.', 20),
});

export const APPROVALS = section('How a person is asked where a rule says `human`.', {
  elicitation: boolean("Ask the client's user by MCP elicitation where the client can.", true),
  operator: boolean('Ask the operator: command line, HTTP API, webhook.', true),
  mode: choice(
    ['retry', 'wait'],
    'Answer at once with a token to retry with once approved (`retry`), or let the call wait (`wait`).',
    'retry',
  ),
  waitSeconds: integer(1, 3600, 'Of `wait`: how long a call waits.', 60),
  expireSeconds: integer(10, 86_400, 'How long the operator has.', 900),
  maxPending: integer(
    1,
    10_000,
    'How many requests may be undecided at one time. Clients without authentication share half of it.',
    200,
  ),
  maxPendingPerClient: integer(
    1,
    10_000,
    'How many of them one client may have; without authentication, one session.',
    20,
  ),
  operators: OPERATORS,
  operatorGroups: list(
    TEXT,
    'Groups whose users are operators: they sign in to the console at an issuer of `server.oauth` (docs/console.md).',
    [],
  ),
  publicUrl: text('Where people reach this gateway, for links; the listening address unless given.'),
  webhook: section('Receives each request for an approval, with a link to it.', {
    url: text('Where it is posted to: http:// or https://.'),
    secret: string({}, 'Key of the signature (HMAC-SHA256), at least 16 characters.'),
    secret_FILE: text('A file that holds it; `secret` beats it.'),
  }),
});

export const POLICY = section('Which calls are allowed, and who must agree. See [policy rules](#policy-rules).', {
  readOnly: boolean('Refuse every operation that is not READ; this beats every rule.', false),
  rules: list(RULE, 'What is decided about the calls that match.'),
  confirmation: CONFIRMATION,
  approvals: APPROVALS,
});

/** Spans of the calendar, in UTC. */
export const WINDOWS = ['second', 'minute', 'hour', 'day', 'month'] as const;

/** What a quota counts. Amounts of money may have fractions, and have a currency. */
export const COUNTED = {
  requests: { isMoney: false },
  tokens: { isMoney: false },
  cost: { isMoney: true },
} as const;

/** What a quota can count, and over which window (companion document "rate limiting", 3.1). */
export const METRICS = {
  requests_per_minute: { counts: 'requests', window: 'minute' },
  requests_per_hour: { counts: 'requests', window: 'hour' },
  requests_per_day: { counts: 'requests', window: 'day' },
  tokens_per_minute: { counts: 'tokens', window: 'minute' },
  tokens_per_hour: { counts: 'tokens', window: 'hour' },
  tokens_per_day: { counts: 'tokens', window: 'day' },
  cost_per_hour: { counts: 'cost', window: 'hour' },
  cost_per_day: { counts: 'cost', window: 'day' },
  cost_per_month: { counts: 'cost', window: 'month' },
} as const satisfies Readonly<
  Record<string, { readonly counts: keyof typeof COUNTED; readonly window: (typeof WINDOWS)[number] }>
>;

export type QuotaMetric = keyof typeof METRICS;

const METRIC_NAMES = Object.keys(METRICS) as QuotaMetric[];

/** Whether everybody draws on one budget, each client on its own, or each session. */
const SHARES = ['all', 'client', 'session'] as const;

const MAX_AMOUNT = 1_000_000_000;

const { params: _params, danger: _danger, ...QUOTA_MATCH } = MATCH_PROPERTIES;
const { operation, category, upstream } = MATCH_PROPERTIES;

const threshold = (description: string) => number({ minimum: 0, maximum: MAX_AMOUNT }, description);

const CURRENCY = { pattern: '^[A-Z]{3}$' };

/** A budget. */
export const LIMIT = section(
  '',
  {
    name: string(
      { minLength: 1, maxLength: 100 },
      'What messages call it and counters are known by; its metric if not given.',
    ),
    match: section('Which calls it is about: all that is given must match, and of a list one entry.', QUOTA_MATCH),
    per: choice(SHARES, 'Whether all callers share one budget, or each client or each session has its own.', 'all'),
    metric: choice(METRIC_NAMES, 'What is counted, and over which span of the calendar (UTC).'),
    warn: threshold('From here on answers carry a warning.'),
    pause: threshold('A call that would exceed this is paused until its caller repeats it with a token.'),
    hard_stop: threshold('A call that would exceed this is refused.'),
    currency: string(CURRENCY, 'Of a metric of cost; the one of the prices.'),
  },
  ['metric'],
);

/** What operations cost. */
export const PRICE = section(
  '',
  {
    match: section('Which operations cost it: all that is given must match, and of a list one entry.', {
      operation,
      category,
      upstream,
    }),
    cost_per_call: number({ minimum: 0, maximum: 1_000_000 }, 'In `currency`, by the millionth.'),
  },
  ['cost_per_call'],
);

export const QUOTAS = section('Budgets of calls, tokens and money. See [quotas](quotas.md).', {
  limits: list(LIMIT, 'What may be used in a span of time; each counts by itself.'),
  pricing: list(PRICE, 'What operations cost; the last that matches one is its price.'),
  currency: string(CURRENCY, 'The currency of every price.', 'USD'),
});

export const API_LIMIT_PROPERTIES = {
  scope: choice(
    ['global', 'endpoint', 'category'],
    'Every call of the server, those of an `operation` pattern, or those of a `category`.',
  ),
  operation: { ...NAME_GLOB, description: 'Of `endpoint`: a name, or a pattern whose operations count together.' },
  category: choice(
    [...CATEGORIES, ...CATEGORIES.map((name) => name.toLowerCase() as Lowercase<Category>)],
    'Of `category`: the one that is counted.',
  ),
  limit: integer(1, MAX_AMOUNT, 'Calls in one window.'),
  window: choice(['second', 'minute', 'hour', 'day'], 'A span of the calendar (UTC).'),
};

/** How many calls a server takes. */
export const API_LIMIT = section('', API_LIMIT_PROPERTIES, ['scope', 'limit', 'window']);

/** A server's own key. */
export const API_LIMITS = list(
  API_LIMIT,
  'How many calls the server accepts; a call beyond a limit is not sent. See below.',
);
