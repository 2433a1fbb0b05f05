/** When it is worth trying again, as errors and statuses say it. @param end milliseconds since the epoch */
export function describeReset(
  end: number,
  now: number,
): { readonly resets_at: string; readonly retry_after_seconds: number } {
  return {
    resets_at: new Date(end).toISOString(),
    retry_after_seconds: Math.max(0, Math.ceil((end - now) / 1_000)),
  };
}
