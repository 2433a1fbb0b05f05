/** Smaller pieces may lie in a pool that others use, and cost little to copy. */
const LEAST_TRANSFERRED = 64 * 1024;

/** The memory of some bytes that changes hands between threads without being copied: the sender has none of it left. What threads share stays. */
export function transferable(pieces: readonly Uint8Array[]): readonly ArrayBuffer[] {
  const buffers = pieces.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  return [...new Set(buffers)].filter(({ byteLength }) => byteLength >= LEAST_TRANSFERRED);
}
