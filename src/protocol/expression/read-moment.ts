import { readTime } from '../read-time.js';

/** From here on a number counts milliseconds: as seconds it would lie beyond the year 5000. */
const FIRST_MILLISECONDS = 100_000_000_000;

/**
 * The moment that a value names, in milliseconds since the epoch: an ISO 8601 text (UTC where it names no zone), or a number
 * as Unix counts time, in seconds or milliseconds. Undefined for everything else.
 */
export function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  return typeof value === 'string' ? readTime(value) : undefined;
}
