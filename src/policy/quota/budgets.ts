import type { JsonObject } from '../../base/json/json.js';
import { getOrMake } from '../../base/lib/collections.js';
import type { Caller } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import type { ApiLimit } from '../../config/gateway-config.js';
import {
  COST_STEPS,
  type COUNTED,
  METRICS,
  type QuotaLimit,
  type QuotaMatch,
  type QuotasConfig,
  type Thresholds,
} from '../../config/policy-config.js';
import { matchClauses } from '../rules/clause.js';
import { compileCaller, compileOperation } from '../rules/conditions.js';
import {
  type ApiBudget,
  type Budget,
  type Draw,
  describeReset,
  drawOn,
  type Level,
  type QuotaBudget,
} from './budget.js';
import type { QuotaSettings } from './quota-types.js';

/** A budget, and what a call adds to it before it runs. */
interface Charge {
  readonly budget: Budget;
  readonly by: number;
}

/** The budgets that calls of one operation use. */
interface Plan {
  /** The limits of upstreams first. */
  readonly charges: readonly Charge[];
  /** Those that count the answers. */
  readonly settled: readonly Charge[];
}

const NOTHING: readonly never[] = [];

/** Every budget of the configuration; finds those that apply to a call. */
export class Budgets {
  readonly api: readonly ApiBudget[];
  readonly quotas: readonly QuotaBudget[];
  /** Operations never change, so each is matched against the budgets once. */
  readonly #plans = new WeakMap<Operation, Plan>();

  constructor({ quotas, upstreams }: QuotaSettings) {
    this.api = upstreams.flatMap(({ slug, apiLimits }) => apiLimits.map((limit) => createApiBudget(slug, limit)));
    this.quotas = createQuotaBudgets(quotas);
  }

  /** What a call uses before it runs, with the tokens that are reserved for its answer. */
  drawsOf(operation: Operation, caller: Caller, reserved: number, now: number): readonly Draw[] {
    return draw(this.#planOf(operation).charges, caller, reserved, now);
  }

  /** What a part of an answer uses that the operation has given before. */
  answerDrawsOf(operation: Operation, caller: Caller, reserved: number, now: number): readonly Draw[] {
    return draw(this.#planOf(operation).settled, caller, reserved, now);
  }

  /** What sending a call once more uses: the limits of the upstream alone. */
  repeatDrawsOf(operation: Operation, caller: Caller, now: number): readonly Draw[] {
    const ofUpstream = this.#planOf(operation).charges.filter(({ budget }) => budget.kind === 'api');
    return draw(ofUpstream, caller, 0, now);
  }

  #planOf(operation: Operation): Plan {
    return getOrMake(this.#plans, operation, () => {
      const charges = [...this.api, ...this.quotas].flatMap((budget) => {
        const by = budget.stepsOf(operation);
        return by === undefined ? [] : [{ budget, by }];
      });
      return { charges, settled: charges.filter(({ budget }) => budget.countsAnswers) };
    });
  }
}

function draw(charges: readonly Charge[], caller: Caller, reserved: number, now: number): readonly Draw[] {
  if (charges.length === 0) return NOTHING;
  return charges
    .filter(({ budget }) => budget.appliesTo(caller))
    .map(({ budget, by }) => drawOn(budget, budget.countsAnswers ? reserved : by, caller, now));
}

/** The share of the next threshold from which a warning has severity `high` (companion document "warnings"). */
const HIGH_FROM = 0.9;

/** The refusal of a call that would pass the hard stop. */
function quotaExhausted(budget: QuotaBudget, { span, value }: Level, now: number): OperationError {
  const { name, hardStop = 0 } = budget.limit;
  const reset = describeReset(span.end, now);
  return new OperationError(
    'RATE_LIMIT_QUOTA_EXHAUSTED',
    `Quota exhausted: '${name}' allows ${describeAmount(budget, hardStop)}. Try again in ${reset.retry_after_seconds} seconds`,
    { ...describeCount(budget, value), hard_stop_threshold: hardStop, ...reset },
  );
}

/** The question whether to continue past the pause. */
export function quotaPaused(
  budget: QuotaBudget,
  value: number,
  token: { readonly text: string; readonly expiresAt: number },
): OperationError {
  const { name, pause = 0, hardStop } = budget.limit;
  return new OperationError(
    'RATE_LIMIT_QUOTA_PAUSE',
    `Quota pause threshold reached: '${name}' pauses with ${describeAmount(budget, pause)}. If the call is really wanted, ` +
      "send it again with the same params and '_quota_continue' set to details.confirmation_token",
    {
      ...describeCount(budget, value),
      pause_threshold: pause,
      ...(hardStop === undefined ? {} : { hard_stop_threshold: hardStop }),
      confirmation_token: token.text,
      expires_at: new Date(token.expiresAt).toISOString(),
    },
  );
}

/** The warning from the warning threshold on; undefined below it. */
export function quotaWarning(budget: QuotaBudget, { span, value }: Level): Warning | undefined {
  const { warn, pause, hardStop } = budget.limit;
  const { thresholds } = budget;
  if (thresholds.warn === undefined || value < thresholds.warn) return undefined;
  const ahead = [thresholds.pause, thresholds.hardStop].filter((bound) => bound !== undefined);
  const next = ahead.find((bound) => value <= bound) ?? ahead.at(-1);
  return {
    code: 'RATE_LIMIT_QUOTA_WARNING',
    message: 'Approaching quota limit',
    severity: next !== undefined && value > HIGH_FROM * next ? 'high' : 'medium',
    details: {
      ...describeCount(budget, value),
      warn_threshold: warn,
      ...(pause === undefined ? {} : { pause_threshold: pause }),
      ...(hardStop === undefined ? {} : { hard_stop_threshold: hardStop }),
      resets_at: new Date(span.end).toISOString(),
    },
  };
}

/** The count with its quota and metric, in units. */
function describeCount({ limit, scale }: QuotaBudget, value: number): JsonObject {
  const { name, metric, currency } = limit;
  return { quota: name, metric, current: value / scale, ...(currency === undefined ? {} : { currency }) };
}

function describeAmount({ limit, window }: QuotaBudget, amount: number): string {
  const unit = limit.currency ?? METRICS[limit.metric].counts;
  return `${amount} ${unit} per ${window}`;
}

/** Compiles an upstream's own limit. It holds for the upstream as a whole, so all callers share it. */
function createApiBudget(upstream: string, limit: ApiLimit): ApiBudget {
  const { scope, operation, category, window } = limit;
  const label = [upstream, scope, operation ?? category ?? [], window].flat().join(':');
  const ofOperation = compileOperation({
    ...(operation === undefined ? {} : { operation: [operation] }),
    ...(category === undefined ? {} : { category: [category] }),
  });
  return {
    kind: 'api',
    label,
    limit,
    key: `api/${label}`,
    per: 'all',
    window,
    thresholds: { hardStop: limit.limit },
    countsAnswers: false,
    stepsOf: (subject) =>
      subject.upstream === upstream && matchClauses(ofOperation, subject) !== 'no' ? 1 : undefined,
    appliesTo: () => true,
    refuse: ({ value, span }, now) => {
      const reset = describeReset(span.end, now);
      const what = scope === 'global' ? 'calls' : `calls of '${operation ?? category}'`;
      return new OperationError(
        'RATE_LIMIT_EXCEEDED',
        `API rate limit exceeded: upstream '${upstream}' allows ${limit.limit} ${what} per ${window}. Try again in ${reset.retry_after_seconds} seconds`,
        { upstream, limit: limit.limit, remaining: Math.max(0, limit.limit - value), window, ...reset },
      );
    },
  };
}

/** What a call adds before it runs, in steps. */
type Pricing = (operation: Operation) => number;

/** How a quota counts a call: in steps of `1 / scale`; what answers add is known when they are there. */
interface Counting {
  readonly scale: number;
  readonly countsAnswers: boolean;
  /** What the call adds before it runs; undefined where the quota does not apply to it. */
  readonly stepsOf: (operation: Operation, costs: Pricing) => number | undefined;
}

const COUNTERS: Readonly<Record<keyof typeof COUNTED, Counting>> = {
  requests: { scale: 1, countsAnswers: false, stepsOf: () => 1 },
  tokens: { scale: 1, countsAnswers: true, stepsOf: () => 0 },
  // A cost quota does not apply to a call without a cost.
  cost: { scale: COST_STEPS, countsAnswers: false, stepsOf: (operation, costs) => costs(operation) || undefined },
};

/** The configured quotas, in order. */
function createQuotaBudgets({ limits, pricing }: QuotasConfig): readonly QuotaBudget[] {
  const costs = createPricing(pricing);
  return limits.map((limit) => createQuotaBudget(limit, costs));
}

function createQuotaBudget(limit: QuotaLimit, costs: Pricing): QuotaBudget {
  const { name, metric, match, per } = limit;
  const { counts, window } = METRICS[metric];
  const { scale, countsAnswers, stepsOf } = COUNTERS[counts];
  const ofOperation = compileOperation(match);
  const ofCaller = compileCaller(match);
  const budget: QuotaBudget = {
    kind: 'quota',
    limit,
    scale,
    // The metric is part of the key, so that a count of calls never becomes an amount of money.
    key: `quota/${metric}/${encodeURIComponent(name)}`,
    per,
    window,
    thresholds: scaleThresholds(limit, scale),
    countsAnswers,
    stepsOf: (operation) =>
      exemptsOwn(match, operation) || matchClauses(ofOperation, operation) === 'no'
        ? undefined
        : stepsOf(operation, costs),
    appliesTo: (caller) => matchClauses(ofCaller, caller) !== 'no',
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

/** The gateway's own operations are exempt unless a quota names them, so that a model can always read the status. */
function exemptsOwn({ operation: names = [], upstream = [] }: QuotaMatch, operation: Operation): boolean {
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

interface Counter {
  held: number;
  readonly waiting: (() => void)[];
}

/**
 * What the calls of this process hold of each counter until their answers are known, and the calls that wait for some of it to be
 * given back: a call is refused only where answers have used up the counter.
 */
export class Reservations {
  readonly #counters = new Map<string, Counter>();

  heldOf(counter: string): number {
    return this.#counters.get(counter)?.held ?? 0;
  }

  hold(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) this.#counters.set(counter, { held: amount, waiting: [] });
    else entry.held += amount;
  }

  /** Gives back what no other call can have waited for, as the store has not counted it. */
  forget(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) return;
    entry.held -= amount;
    this.#dropUnused(counter, entry);
  }

  release(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry !== undefined) entry.held -= amount;
    this.wakeNext(counter);
  }

  /**
   * Resolves when it is this call's turn to try again; at once where nothing is held. A call that has had its turn and waits for no
   * other calls `wakeNext`.
   * @param again whether it has had a turn, and keeps its place
   */
  waitForTurn(counter: string, again: boolean): Promise<void> {
    const entry = this.#counters.get(counter);
    if (entry === undefined || entry.held <= 0) return Promise.resolve();
    return new Promise((wake) => {
      if (again) entry.waiting.unshift(wake);
      else entry.waiting.push(wake);
    });
  }

  /** Lets the next waiting call try: one at a time, so that many do not ask the store for each that ends. */
  wakeNext(counter: string): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) return;
    entry.waiting.shift()?.();
    this.#dropUnused(counter, entry);
  }

  #dropUnused(counter: string, { held, waiting }: Counter): void {
    if (held <= 0 && waiting.length === 0) this.#counters.delete(counter);
  }
}
