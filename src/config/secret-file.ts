import { readFileSync, statSync } from 'node:fs';

/** Larger files are no secrets but something whose name happens to end in `_FILE`. */
const MAX_SECRET_BYTES = 65_536;

/** The content of a secret file without surrounding blanks, or why there is none. */
export type SecretFile = { readonly text: string } | { readonly fault: string };

/** Reads a secret file. Synchronous: it happens at start-up, in the middle of interpolating a document. */
export function readSecretFile(path: string): SecretFile {
  try {
    const status = statSync(path);
    if (!status.isFile()) return { fault: `expected a file at '${path}'` };
    if (status.size > MAX_SECRET_BYTES) return { fault: `the file '${path}' is larger than ${MAX_SECRET_BYTES} bytes` };
    return { text: readFileSync(path, 'utf8').trim() };
  } catch (cause) {
    return { fault: `the file '${path}' cannot be read (${faultCode(cause)})` };
  }
}

/** The system's short code for a fault, such as `ENOENT`. */
export function faultCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown reason';
}
