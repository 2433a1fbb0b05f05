/** The upper bounds of durations in milliseconds: from half of one to some minutes, each half as much again. */
const UPPER = Array.from({ length: 34 }, (_, index) => 0.5 * 1.5 ** index);

/** How many there are. */
export const BOUNDS = UPPER.length;

/** Which bound a duration is counted under. */
export function boundOf(durationMs: number): number {
  const index = Math.ceil(Math.log(Math.max(durationMs, 0.5) / 0.5) / Math.log(1.5) - 1e-9);
  return Math.min(UPPER.length - 1, index);
}

/** The bound, in milliseconds, below which this share of the durations lies. @param counts by bound. @param all their sum */
export function quantile(counts: Uint32Array, all: number, share: number): number {
  let seen = 0;
  const index = counts.findIndex((each) => {
    seen += each;
    return seen >= all * share;
  });
  return UPPER[index] ?? 0;
}
