import { METRICS } from '../../config/quota-config.js';
import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Warning } from '../../protocol/result.js';
import type { Level, QuotaBudget } from './budget.js';
import { describeReset } from './describe-reset.js';

/** Where a warning becomes a loud one: so much of the next threshold (companion document "warnings"). */
const HIGH_FROM = 0.9;

/** The refusal of a call that would pass the hard stop. */
export function quotaExhausted(budget: QuotaBudget, { span, value }: Level, now: number): OperationError {
  const { name, hardStop = 0 } = budget.limit;
  const reset = describeReset(span.end, now);
  return new OperationError(
    'RATE_LIMIT_QUOTA_EXHAUSTED',
    `Quota exhausted: '${name}' allows ${describeAmount(budget, hardStop)}. Try again in ${reset.retry_after_seconds} seconds`,
    { ...describeCount(budget, value), hard_stop_threshold: hardStop, ...reset },
  );
}

/** The question whether to go on. */
export function quotaPaused(
  budget: QuotaBudget,
  value: number,
  token: { readonly text: string; readonly expiresAt: number },
): OperationError {
  const { name, pause = 0, hardStop } = budget.limit;
  return new OperationError(
    'RATE_LIMIT_QUOTA_PAUSE',
    `Quota pause threshold reached: '${name}' pauses at ${describeAmount(budget, pause)}. If the call is really wanted, ` +
      "repeat it with the same params and '_quota_continue' set to details.confirmation_token",
    {
      ...describeCount(budget, value),
      pause_threshold: pause,
      ...(hardStop === undefined ? {} : { hard_stop_threshold: hardStop }),
      confirmation_token: token.text,
      expires_at: new Date(token.expiresAt).toISOString(),
    },
  );
}

/** Tells that a threshold is near; undefined where there is nothing to tell. */
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

/** How much of what, in what people count in. */
export function describeCount({ limit, scale }: QuotaBudget, value: number): JsonObject {
  const { name, metric, currency } = limit;
  return { quota: name, metric, current: value / scale, ...(currency === undefined ? {} : { currency }) };
}

function describeAmount({ limit, window }: QuotaBudget, amount: number): string {
  const unit = limit.currency ?? METRICS[limit.metric].counts;
  return `${amount} ${unit} per ${window}`;
}
