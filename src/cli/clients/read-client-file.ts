import { isUtf8 } from 'node:buffer';
import { lstat, readFile, stat } from 'node:fs/promises';

/**
 * The text of a client's file; undefined where there is none.
 * @throws Error where it cannot be read, or where its text would not be written back as it was
 */
export async function readClientFile(file: string): Promise<string | undefined> {
  try {
    // A pipe would be waited for without end.
    if (!(await stat(file)).isFile()) throw new Error('it is a directory, a pipe or a device, and no file');
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) throw new Error('it is not written in UTF-8');
    return bytes.toString('utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
    if (code === undefined) throw cause;
    if (code !== 'ENOENT') throw new Error(`it cannot be opened (${code})`, { cause });
  }
  // To write there would replace the link.
  if (await isThere(file)) throw new Error('it is a link to a file that is not there');
  return undefined;
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
