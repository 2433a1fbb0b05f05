import {
  COST_STEPS,
  METRICS,
  type QuotaLimit,
  type QuotaMatch,
  type QuotasConfig,
  type Thresholds,
} from '../../config/quota-config.js';
import { GATEWAY_SOURCE, type Operation } from '../../protocol/operation.js';
import { compileClient, compileOperation } from '../rules/compile-rules.js';
import { matchClauses } from '../rules/match-rule.js';
import type { QuotaBudget } from './budget.js';
import { quotaExhausted } from './quota-refusals.js';

/** What a call adds before it runs, in steps. */
type Pricing = (operation: Operation) => number;

/** The configured quotas, in order. */
export function createQuotaBudgets({ limits, pricing }: QuotasConfig): readonly QuotaBudget[] {
  const costs = createPricing(pricing);
  return limits.map((limit) => createQuotaBudget(limit, costs));
}

function createQuotaBudget(limit: QuotaLimit, costs: Pricing): QuotaBudget {
  const { name, metric, match, per } = limit;
  const { counts, window } = METRICS[metric];
  const scale = counts === 'cost' ? COST_STEPS : 1;
  const ofOperation = compileOperation(match);
  const ofCaller = compileClient(match);
  const budget: QuotaBudget = {
    kind: 'quota',
    limit,
    scale,
    // The metric is part of the key: what counted calls must not go on as money.
    key: `quota/${metric}/${encodeURIComponent(name)}`,
    per,
    window,
    thresholds: scaleThresholds(limit, scale),
    countsAnswers: counts === 'tokens',
    stepsOf: (operation) => {
      if (sparesOwn(match, operation) || matchClauses(ofOperation, operation) === 'no') return undefined;
      if (counts !== 'cost') return counts === 'requests' ? 1 : 0;
      // What costs nothing is not about money.
      return costs(operation) || undefined;
    },
    isFor: ({ client }) => matchClauses(ofCaller, { client }) !== 'no',
    refuse: (level, now) => quotaExhausted(budget, level, now),
  };
  return budget;
}

function scaleThresholds({ warn, pause, hardStop }: Thresholds, scale: number): Thresholds {
  return {
    ...(warn !== undefined && { warn: Math.round(warn * scale) }),
    ...(pause !== undefined && { pause: Math.round(pause * scale) }),
    ...(hardStop !== undefined && { hardStop: Math.round(hardStop * scale) }),
  };
}

/** The gateway's own operations use nothing up, and a model must be able to ask for the status; unless a quota names them. */
function sparesOwn({ operation: names = [], upstream = [] }: QuotaMatch, operation: Operation): boolean {
  if (operation.upstream !== GATEWAY_SOURCE) return false;
  return !names.includes(operation.name) && !upstream.includes(GATEWAY_SOURCE);
}

function createPricing(pricing: QuotasConfig['pricing']): Pricing {
  const prices = pricing.map(({ match, costPerCall }) => ({
    clauses: compileOperation(match),
    steps: Math.round(costPerCall * COST_STEPS),
  }));
  return (operation) => prices.findLast(({ clauses }) => matchClauses(clauses, operation) !== 'no')?.steps ?? 0;
}
