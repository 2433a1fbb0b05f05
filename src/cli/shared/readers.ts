import { readFile, stat } from 'node:fs/promises';
import { maskSecrets } from '../../base/protocol/secret-forms.js';
import { printWarning, type Terminal } from './terminal.js';

/** Says that others can read the secrets of a file that was written: its mode stays what its owner has made it. */
export async function warnOfReaders(file: string, terminal: Terminal): Promise<void> {
  const { mode } = await stat(file).catch(() => ({ mode: 0 }));
  // Windows keeps no such mode.
  if (process.platform === 'win32' || (mode & 0o044) === 0) return;
  const text = await readFile(file, 'utf8');
  if (maskSecrets(text, () => false) !== text)
    printWarning(terminal, `${file} holds secrets, and others on this machine can read it: chmod 600 '${file}'`);
}
