import type { Category } from '../protocol/category.js';
import type { MatchEntry } from './policy-document.js';
import type { ApiLimit, QuotaLimit, QuotaMatch, QuotaPrice, QuotasConfig } from './quota-config.js';

type QuotaMatchEntry = Pick<MatchEntry, keyof QuotaMatch>;

export interface QuotaEntry {
  readonly name?: string;
  readonly match?: QuotaMatchEntry;
  readonly per?: QuotaLimit['per'];
  readonly metric: QuotaLimit['metric'];
  readonly warn?: number;
  readonly pause?: number;
  readonly hard_stop?: number;
  readonly currency?: string;
}

export interface PriceEntry {
  readonly match?: Pick<MatchEntry, keyof QuotaPrice['match']>;
  readonly cost_per_call: number;
}

/** The main file's `quotas` once its schema has passed it. */
export interface QuotasEntry {
  readonly limits?: readonly QuotaEntry[];
  readonly pricing?: readonly PriceEntry[];
  readonly currency?: QuotasConfig['currency'];
}

/** One of a server's `api_limits`; categories in either case, since the specification has both. */
export interface ApiLimitEntry extends Omit<ApiLimit, 'category'> {
  readonly category?: Category | Lowercase<Category>;
}
