/** The code of a system's error, such as `ENOENT`, as operators know it; `unknown reason` for what has none. */
export function faultCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown reason';
}
