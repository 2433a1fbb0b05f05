import type { Caller } from '../../base/protocol/call.js';
import type { StateStore } from '../../store/state-store.js';
import { type ConfirmationTokens, scopeOf } from '../confirmation/token-types.js';
import { keyOfCaller } from '../rules/caller-key.js';
import type { Draw, QuotaBudget } from './budget.js';
import { quotaPaused } from './budgets.js';
import type { ChargeRequest } from './quota-types.js';

/** Companion document "confirmation tokens": five minutes, and no longer than the window, because the pause ends with it. */
const LIFETIME_SECONDS = 300;

interface QuotaPausesOptions {
  readonly store: Pick<StateStore, 'increment' | 'count'>;
  readonly tokens: Pick<ConfirmationTokens, 'issue' | 'redeem'>;
  readonly now: () => number;
}

/** Asks callers whether to continue past a quota's pause, and keeps who did so in the current window. */
export class QuotaPauses {
  readonly #store: QuotaPausesOptions['store'];
  readonly #tokens: QuotaPausesOptions['tokens'];
  readonly #now: () => number;

  constructor({ store, tokens, now }: QuotaPausesOptions) {
    this.#store = store;
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Whether the caller has continued past this pause. */
  async isOver(draw: Draw<QuotaBudget>, caller: Caller): Promise<boolean> {
    return (await this.#store.count(counterOf(draw, caller))) > 0;
  }

  /** Consumes a token; the caller is not paused again in this window. Rejects with a TOKEN_* error. */
  async continuePast(draw: Draw<QuotaBudget>, { operation, arguments: args, caller }: ChargeRequest, token: string) {
    const scope = { ...scopeOf(operation, args), quota: draw.counter };
    await this.#tokens.redeem(token, scope, caller);
    await this.#store.increment([{ counter: counterOf(draw, caller), by: 1, expiresAt: draw.expiresAt }]);
  }

  /** The question whether to continue, with a new token. Rejects with RATE_LIMIT_EXCEEDED where too many were asked. */
  async ask(draw: Draw<QuotaBudget>, value: number, { operation, arguments: args, caller }: ChargeRequest) {
    const secondsLeft = Math.ceil((draw.span.end - this.#now()) / 1_000);
    const { token, record } = await this.#tokens.issue({
      type: 'quota_continue',
      scope: { ...scopeOf(operation, args), quota: draw.counter },
      caller,
      danger: operation.classification.danger.level,
      cooldownSeconds: 0,
      lifetimeSeconds: Math.max(1, Math.min(LIFETIME_SECONDS, secondsLeft)),
    });
    return quotaPaused(draw.budget, value, { text: token, expiresAt: record.expiresAt });
  }
}

function counterOf({ counter }: Draw, caller: Caller): string {
  return `${counter}/continued by ${keyOfCaller(caller)}`;
}
