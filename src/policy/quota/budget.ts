import type { Caller } from '../../base/protocol/call.js';
import { principalOf } from '../../base/protocol/caller.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { OperationError } from '../../base/protocol/operation-error.js';
import type { ApiLimit } from '../../config/gateway-config.js';
import type { QuotaLimit, Share, Thresholds, Window } from '../../config/policy-config.js';
import type { CounterStep } from '../../store/state-store.js';
import { keyOfCaller } from '../rules/caller-key.js';

/** How far a budget is used up in one of its windows. */
export interface Level {
  readonly span: Span;
  /** The count, in the steps of the thresholds. */
  readonly value: number;
}

/** An upstream's own limit. */
export interface ApiBudget extends BudgetBase {
  readonly kind: 'api';
  readonly limit: ApiLimit;
  /** Its name in the status: `github:global:hour`. */
  readonly label: string;
}

/** One of the operator's quotas. */
export interface QuotaBudget extends BudgetBase {
  readonly kind: 'quota';
  readonly limit: QuotaLimit;
  /** How many steps make one unit: 1, or a million for a unit of money. */
  readonly scale: number;
}

export type Budget = ApiBudget | QuotaBudget;

/** What one call uses of one budget. */
export interface Draw<B extends Budget = Budget> {
  readonly budget: B;
  /** Of a budget that counts answers: what is reserved until the answer is known. */
  readonly by: number;
  readonly span: Span;
  readonly counter: string;
  /** When the counter may be forgotten, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The same at another time: in the window of that time. */
  at(now: number): Draw<B>;
}

/** A limited amount that calls use up. */
interface BudgetBase {
  /** The prefix of the names of its counters. */
  readonly key: string;
  readonly per: Share;
  readonly window: Window;
  /** In whole steps, so that sums are exact. */
  readonly thresholds: Thresholds;
  /** Whether it counts answers, after the call: a call then only needs the thresholds not to be reached. */
  readonly countsAnswers: boolean;
  /** What a call of the operation adds; undefined where the budget does not apply to it. */
  stepsOf(operation: Operation): number | undefined;
  appliesTo(caller: Caller): boolean;
  /** The refusal of a call that would pass the hard stop. */
  refuse(level: Level, now: number): OperationError;
}

/** Counters are kept longer than they are read, in case the store's clock is ahead of this one. */
const GRACE_MS = 60_000;

export function drawOn<B extends Budget>(budget: B, by: number, caller: Caller, now: number): Draw<B> {
  const span = spanOf(budget.window, now);
  const counter = `${budget.key}/${span.start}/${nameShare(budget.per, caller)}`;
  const at = (later: number): Draw<B> => drawOn(budget, by, caller, later);
  return { budget, by, span, counter, expiresAt: span.end + GRACE_MS, at };
}

/** All unauthenticated callers share one client's budget, because anybody can open another session. */
function nameShare(per: Share, caller: Caller): string {
  if (per === 'all') return 'all';
  if (per === 'session') return `session/${caller.sessionId}`;
  return principalOf(caller) === undefined ? 'anonymous' : keyOfCaller(caller);
}

/** @param bound the threshold that the counter must stay within, if any */
export function stepOf(draw: Draw, bound?: number): CounterStep {
  const { counter, by, expiresAt } = draw;
  const step = { counter, by, expiresAt };
  return bound === undefined ? step : { ...step, limit: ceilingOf(draw, bound) };
}

/** Whether the draw would take a counter past a threshold. */
export function passes(draw: Draw, value: number, bound: number | undefined): boolean {
  return bound !== undefined && value + draw.by > ceilingOf(draw, bound);
}

/**
 * The highest count that is allowed. A budget that counts answers must be below its threshold before the call: how far its own
 * answer goes beyond is not known yet.
 */
function ceilingOf({ budget, by }: Draw, bound: number): number {
  return budget.countsAnswers ? bound - 1 + by : bound;
}

/** One window of the calendar, in milliseconds since the epoch; the end is the next one's start. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const LENGTHS_MS: Readonly<Record<Exclude<Window, 'month'>, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The window that contains a moment, in UTC, so that all gateways with one store agree on it. */
export function spanOf(window: Window, now: number): Span {
  if (window === 'month') {
    const date = new Date(now);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  }
  const length = LENGTHS_MS[window];
  const start = Math.floor(now / length) * length;
  return { start, end: start + length };
}

/** When to try again, as errors and the status report it. @param end milliseconds since the epoch */
export function describeReset(
  end: number,
  now: number,
): { readonly resets_at: string; readonly retry_after_seconds: number } {
  return {
    resets_at: new Date(end).toISOString(),
    retry_after_seconds: Math.max(0, Math.ceil((end - now) / 1_000)),
  };
}
