const FIRST_MS = 100;
const MAX_MS = 30_000;
/** Failures that are met with the first pause: a restart usually takes a few hundred milliseconds. */
const PATIENT = 3;

/**
 * Pause before the next attempt, in milliseconds: none after a loss, short at first, then doubling up to half a minute. Spread
 * by a fifth, so that servers which went down together are not all asked at the same moment.
 *
 * @param failures attempts that failed since the connection was last good.
 */
export function backOff(failures: number, random: () => number = Math.random): number {
  if (failures === 0) return 0;
  const pause = Math.min(FIRST_MS * 2 ** Math.max(0, failures - PATIENT), MAX_MS);
  return Math.round(pause * (0.9 + 0.2 * random()));
}
