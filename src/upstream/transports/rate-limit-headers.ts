import type { AnnouncedLimits } from '../../protocol/announced-limits.js';
import { headerOf, type ResponseHeaders } from './http-exchange.js';

/** Statuses whose `Retry-After` means that the next call should wait (RFC 9110, section 10.2.3; RFC 6585, section 4). */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/** From here on a reset is a Unix time in seconds, and from the second on one in milliseconds; below it, seconds from now. */
const UNIX_SECONDS = 1_000_000_000;
const UNIX_MILLISECONDS = 1_000_000_000_000;

const REMAINDER_HEADERS = ['x-ratelimit-remaining', 'ratelimit-remaining', 'ratelimit'] as const;

/** What is left and when there is more, as written. */
interface Remainder {
  readonly remaining: number;
  readonly reset: number;
}

/**
 * What an answer says of its server's rate limit: `Retry-After`, `X-RateLimit-*`, and the fields of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ in its older and its newer forms. Undefined where
 * it says nothing, as nearly all do.
 */
export function readLimitHeaders(
  status: number,
  headers: ResponseHeaders,
  now: () => number = Date.now,
): AnnouncedLimits | undefined {
  const retryAfterSeconds = BUSY.has(status) ? readRetryAfter(headerOf(headers, 'retry-after'), now()) : undefined;
  const remainder = readRemainder(headers);
  if (retryAfterSeconds === undefined && remainder === undefined) return undefined;
  return {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(remainder === undefined ? {} : { remaining: remainder.remaining, resetsAt: momentOf(remainder.reset, now()) }),
  };
}

/** `Retry-After` in seconds or as a date, as whole seconds from now; undefined where it says nothing. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}

/** Of several windows the one with least left. */
function readRemainder(headers: ResponseHeaders): Remainder | undefined {
  // Every answer passes here.
  if (REMAINDER_HEADERS.every((name) => headers[name] === undefined)) return undefined;
  const found = [...readPair(headers, 'x-ratelimit'), ...readPair(headers, 'ratelimit'), ...readField(headers)];
  return found.reduce<Remainder | undefined>(
    (least, each) => (least === undefined || each.remaining < least.remaining ? each : least),
    undefined,
  );
}

function readPair(headers: ResponseHeaders, prefix: string): readonly Remainder[] {
  const remaining = headerOf(headers, `${prefix}-remaining`);
  if (remaining === undefined) return [];
  return toRemainders(remaining, headerOf(headers, `${prefix}-reset`));
}

/** `RateLimit: limit=100, remaining=0, reset=50`, or `RateLimit: "burst";r=0;t=1, "daily";r=9;t=60`. */
function readField(headers: ResponseHeaders): readonly Remainder[] {
  const field = headerOf(headers, 'ratelimit');
  if (field === undefined) return [];
  const windows = field.includes('remaining=') ? [field] : field.split(',');
  return windows.flatMap((window) =>
    toRemainders(/\b(?:r|remaining)=(\d+)/.exec(window)?.[1], /\b(?:t|reset)=(\d+)/.exec(window)?.[1]),
  );
}

function toRemainders(remaining: string | undefined, reset: string | undefined): readonly Remainder[] {
  const found = { remaining: Number.parseFloat(remaining ?? ''), reset: Number.parseFloat(reset ?? '') };
  return Number.isFinite(found.remaining) && Number.isFinite(found.reset) ? [found] : [];
}

/** In milliseconds since the epoch. */
function momentOf(reset: number, now: number): number {
  if (reset >= UNIX_MILLISECONDS) return reset;
  return reset >= UNIX_SECONDS ? reset * 1_000 : now + reset * 1_000;
}
