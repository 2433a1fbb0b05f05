const FIRST_MS = 100;
const MAX_MS = 30_000;
/**
 * Pause before the next attempt, in milliseconds: none after a loss, short at first, then doubling up to half a minute. Spread
 * by a tenth each way, so that servers which went down together are not all asked at the same moment.
 *
 * @param failures attempts that failed since the connection was last good.
 * @param patient how many of them are met with the shortest pause.
 */
export function backOff(failures: number, patient: number, random: () => number = Math.random): number {
  if (failures === 0) return 0;
  const pause = Math.min(FIRST_MS * 2 ** Math.max(0, failures - patient), MAX_MS);
  return Math.round(pause * (0.9 + 0.2 * random()));
}
