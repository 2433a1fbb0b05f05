/** Smaller pieces cost little to copy. */
const LEAST_TRANSFERRED = 64 * 1024;

/**
 * The memory of some bytes that changes hands between threads without being copied: the sender has none of it left. What threads share stays,
 * and so does Node's pool of small buffers, in which others lie (64 kB from Node.js 24 on, https://nodejs.org/api/buffer.html#bufferpoolsize).
 */
export function transferable(pieces: readonly Uint8Array[]): readonly ArrayBuffer[] {
  const buffers = pieces.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  const least = Math.max(LEAST_TRANSFERRED, Buffer.poolSize + 1);
  return [...new Set(buffers)].filter(({ byteLength }) => byteLength >= least);
}
