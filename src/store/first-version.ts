import { randomInt } from 'node:crypto';

/** Leaves room to count up and still be an exact number. */
const CEILING = 2 ** 47;

/**
 * The version that a new record begins with. Not 1: a record that was removed and inserted again would pass for the one
 * somebody has seen before.
 */
export function firstVersion(): number {
  return randomInt(1, CEILING);
}
