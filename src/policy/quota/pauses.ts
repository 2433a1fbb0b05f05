import type { Caller } from '../../protocol/call.js';
import type { StateStore } from '../../store/state-store.js';
import { keyOfCaller } from '../caller-key.js';
import { type ConfirmationTokens, scopeOf } from '../confirmation/token-types.js';
import type { Draw, QuotaBudget } from './budget.js';
import { quotaPaused } from './budgets.js';
import type { ChargeRequest } from './quota-types.js';

/** Companion document "confirmation tokens": five minutes. No longer than the window, after which nobody is paused. */
const LIFETIME_SECONDS = 300;

interface QuotaPausesOptions {
  readonly store: Pick<StateStore, 'increment' | 'count'>;
  readonly tokens: Pick<ConfirmationTokens, 'issue' | 'redeem'>;
  readonly now: () => number;
}

/** Who was paused by a quota, and who has been told to go on in its present window. */
export class QuotaPauses {
  readonly #store: QuotaPausesOptions['store'];
  readonly #tokens: QuotaPausesOptions['tokens'];
  readonly #now: () => number;

  constructor({ store, tokens, now }: QuotaPausesOptions) {
    this.#store = store;
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Whether the caller has gone on past this pause. */
  async isOver(draw: Draw<QuotaBudget>, caller: Caller): Promise<boolean> {
    return (await this.#store.count(counterOf(draw, caller))) > 0;
  }

  /** Uses a token up; from then on the caller is not paused again. Rejects with a TOKEN_* error. */
  async goOn(draw: Draw<QuotaBudget>, { operation, arguments: args, caller }: ChargeRequest, token: string) {
    const scope = { ...scopeOf(operation, args), quota: draw.counter };
    await this.#tokens.redeem(token, scope, caller);
    await this.#store.increment(counterOf(draw, caller), 1, { expiresAt: draw.expiresAt });
  }

  /** The question whether to go on, with a token of its own. Rejects with RATE_LIMIT_EXCEEDED where too many were asked. */
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
