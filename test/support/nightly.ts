/** `NIGHTLY=1 npm test` also runs what takes minutes and seldom finds what the rest of the suite does not. */
export const NIGHTLY = process.env['NIGHTLY'] === '1';

/** All of them at night, and each Nth in the gate, the same each time. */
export function eachNth<T>(n: number, items: readonly T[]): readonly T[] {
  return NIGHTLY ? items : items.filter((_, index) => index % n === 0);
}
