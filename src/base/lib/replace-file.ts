import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Only its owner reads a new file: configurations hold secrets. */
const NEW_FILE_MODE = 0o600;

/**
 * Replaces a file as a whole, keeping its permissions and what a link points to: a reader sees the old text or the new.
 * @throws the system's error when the file cannot be written
 */
export async function replaceFile(file: string, text: string, newFileMode = NEW_FILE_MODE): Promise<void> {
  const target = await realpath(file).catch(() => file);
  await mkdir(dirname(target), { recursive: true });
  const mode = await stat(target).then(
    (status) => status.mode & 0o777,
    () => newFileMode,
  );
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}
