/** A spread of ratios: `0.70 (0.62-0.88)`. */
export function ratio(value, withSpread = true) {
  if (value?.median === undefined) return '';
  const middle = fixed(value.median, 2);
  return withSpread ? `${middle} (${fixed(value.min, 2)}-${fixed(value.max, 2)})` : middle;
}

/** Like `ratio`, for values on either side of zero. */
export function signedSpread({ median, min, max }, unit, digits) {
  if (median === undefined) return '';
  return `${fixed(median * unit, digits)} (${fixed(min * unit, digits)} to ${fixed(max * unit, digits)})`;
}

export function whole(value) {
  return fixed(value, 0);
}

export function megabytes(kilobytes) {
  return kilobytes === undefined ? '' : fixed(kilobytes / 1024, 0);
}

export function fixed(value, digits) {
  if (value === undefined) return '';
  if (!Number.isFinite(value)) return 'never';
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'negative',
  });
}
