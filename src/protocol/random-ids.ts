import { randomBytes } from 'node:crypto';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** Random digits for the next ids: making many at once costs hardly more than making those of one. */
const DIGITS_AT_ONCE = 256 * TRACE_DIGITS;
const random = { digits: '', used: 0 };

/** The id of a trace, and of a request: https://www.w3.org/TR/trace-context/#trace-id */
export function newTraceId(): string {
  return take(TRACE_DIGITS);
}

/** https://www.w3.org/TR/trace-context/#parent-id */
export function newSpanId(): string {
  return take(SPAN_DIGITS);
}

function take(count: number): string {
  if (random.digits.length - random.used < count) {
    random.digits = randomBytes(DIGITS_AT_ONCE / 2).toString('hex');
    random.used = 0;
  }
  const at = random.used;
  random.used += count;
  return random.digits.slice(at, random.used);
}
