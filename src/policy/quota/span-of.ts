import type { Window } from '../../config/quota-config.js';

/** One window of the calendar, in milliseconds since the epoch; the end is the next one's start. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LENGTHS_MS: Readonly<Record<Exclude<Window, 'month'>, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The window that a moment lies in, by UTC: gateways with one store must agree on it wherever they stand. */
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
