import type { Caller } from '../../protocol/caller.js';
import type { Operation } from '../../protocol/operation.js';
import { createApiBudget } from './api-budget.js';
import { type ApiBudget, type Budget, type Draw, drawOn, type QuotaBudget } from './budget.js';
import { createQuotaBudgets } from './quota-budget.js';
import type { QuotaDeskConfig } from './quota-desk.js';

/** What calls of one operation draw on. */
interface Plan {
  /** Upstreams' limits first. */
  readonly charges: readonly { readonly budget: Budget; readonly by: number }[];
  /** Budgets that count the answers. */
  readonly settled: readonly Budget[];
}

const NOTHING: readonly never[] = [];

/** Every budget of the configuration, and which of them are about a call. */
export class BudgetBook {
  readonly api: readonly ApiBudget[];
  readonly quotas: readonly QuotaBudget[];
  /** Operations never change, so each is held against the budgets once. */
  readonly #plans = new WeakMap<Operation, Plan>();

  constructor({ quotas, upstreams }: QuotaDeskConfig) {
    this.api = upstreams.flatMap(({ slug, apiLimits }) => apiLimits.map((limit) => createApiBudget(slug, limit)));
    this.quotas = createQuotaBudgets(quotas);
  }

  /** What a call draws before it runs. */
  drawsOf(operation: Operation, caller: Caller, now: number): readonly Draw[] {
    const { charges } = this.#planOf(operation);
    if (charges.length === 0) return NOTHING;
    return charges
      .filter(({ budget }) => budget.isFor(caller))
      .map(({ budget, by }) => drawOn(budget, by, caller, now));
  }

  /** What an answer of so many tokens draws. */
  settlementOf(operation: Operation, caller: Caller, tokens: number, now: number): readonly Draw[] {
    const { settled } = this.#planOf(operation);
    if (settled.length === 0) return NOTHING;
    return settled.filter((budget) => budget.isFor(caller)).map((budget) => drawOn(budget, tokens, caller, now));
  }

  #planOf(operation: Operation): Plan {
    const known = this.#plans.get(operation);
    if (known !== undefined) return known;
    const charges = [...this.api, ...this.quotas].flatMap((budget) => {
      const by = budget.stepsOf(operation);
      return by === undefined ? [] : [{ budget, by }];
    });
    const settled = charges.map(({ budget }) => budget).filter(({ countsAnswers }) => countsAnswers);
    const plan = { charges, settled };
    this.#plans.set(operation, plan);
    return plan;
  }
}
