import { readFile, stat } from 'node:fs/promises';

/** Reads a whole file; one that is larger fails as a system fails that cannot hold it (`EFBIG`). */
export async function readBounded(file: string, mostBytes: number): Promise<Buffer> {
  if ((await stat(file)).size <= mostBytes) return readFile(file);
  throw Object.assign(new RangeError(`it has more than ${mostBytes} bytes`), { code: 'EFBIG' });
}
