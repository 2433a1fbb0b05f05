import type { Category } from '../protocol/category.js';
import type { RuleMatch } from './policy-config.js';

/** Spans of the calendar, in UTC. */
export const WINDOWS = ['second', 'minute', 'hour', 'day', 'month'] as const;

export type Window = (typeof WINDOWS)[number];

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
  Record<string, { readonly counts: 'requests' | 'tokens' | 'cost'; readonly window: Window }>
>;

export type QuotaMetric = keyof typeof METRICS;

/** The smallest price and the steps that costs are counted in, in the currency's unit: a millionth. */
export const COST_STEPS = 1_000_000;

/** Whether everybody draws on one budget, each client on its own, or each session. */
export const SHARES = ['all', 'client', 'session'] as const;

export type Share = (typeof SHARES)[number];

/** Which calls are meant: all that is given must match, and of a list one entry. */
export type QuotaMatch = Pick<RuleMatch, 'operation' | 'category' | 'upstream' | 'client'>;

/** Counts or money; those that are given stand in this order. */
export interface Thresholds {
  /** From here on answers carry a warning. */
  readonly warn?: number;
  /** What would pass this needs somebody's word to go on. */
  readonly pause?: number;
  /** What would pass this is refused. */
  readonly hardStop?: number;
}

export interface QuotaLimit extends Thresholds {
  /** As given, else the metric. Unique, and what its counters are known by. */
  readonly name: string;
  readonly match: QuotaMatch;
  readonly per: Share;
  readonly metric: QuotaMetric;
  /** Of a metric that counts cost. */
  readonly currency?: string;
}

export interface QuotaPrice {
  readonly match: Omit<QuotaMatch, 'client'>;
  /** In `currency`. */
  readonly costPerCall: number;
}

export interface QuotasConfig {
  readonly limits: readonly QuotaLimit[];
  /** The last that matches an operation is its price; what none matches costs nothing. */
  readonly pricing: readonly QuotaPrice[];
  readonly currency: string;
}

export const API_LIMIT_SCOPES = ['global', 'endpoint', 'category'] as const;

/** The windows that upstreams' own limits come in. */
export const API_WINDOWS = ['second', 'minute', 'hour', 'day'] as const satisfies readonly Window[];

/** How many calls an upstream takes. */
export interface ApiLimit {
  readonly scope: (typeof API_LIMIT_SCOPES)[number];
  /** Of the scope `endpoint`: a pattern of operation names; what matches it is counted together. */
  readonly operation?: string;
  /** Of the scope `category`. */
  readonly category?: Category;
  readonly limit: number;
  readonly window: (typeof API_WINDOWS)[number];
}
