/** The middle of some numbers; undefined of none. */
export function median(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, smallest and largest: what repeated measurements of one thing come to. */
export function spread(values) {
  const finite = values.filter((value) => Number.isFinite(value));
  return { median: median(finite), min: Math.min(...finite), max: Math.max(...finite) };
}

/** Round by round, `values` over `base`: what both share of the machine's mood cancels out. */
export function ratios(values, base) {
  return spread(values.map((value, round) => value / base[round]));
}

/** Slice by slice: what ran at nearly the same time is compared. */
export function medianDifference(values, base) {
  return median(values.map((value, slice) => value - base[slice]));
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
