import { CATEGORIES, type Category } from '../../base/protocol/operation.js';
import { MATCH_PROPERTIES, NAME_GLOB } from './policy-schema.js';
import { choice, integer, list, number, section, string } from './setting.js';

/** Spans of the calendar, in UTC. */
export const WINDOWS = ['second', 'minute', 'hour', 'day', 'month'] as const;

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
  Record<string, { readonly counts: 'requests' | 'tokens' | 'cost'; readonly window: (typeof WINDOWS)[number] }>
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
