import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayConfig } from './gateway-config.js';

type Files = Pick<GatewayConfig, 'file' | 'upstreamsDir' | 'lock' | 'secretFiles'>;

/** A digest of the main file, the upstream files, the lock and the files of secrets. */
export async function digestConfigFiles(config: Files): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await listConfigFiles(config)) {
    hash.update(`${file}\0`).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}

/** Changes whenever a file is written; much cheaper than a digest. */
export async function stampConfigFiles(config: Files): Promise<string> {
  const stamps = (await listConfigFiles(config)).map(async (file) => {
    const status = await stat(file).catch(() => undefined);
    return `${file} ${status?.mtimeMs} ${status?.size} ${status?.ino}`;
  });
  return (await Promise.all(stamps)).join('\n');
}

async function listConfigFiles({ file, upstreamsDir, lock, secretFiles = [] }: Files): Promise<readonly string[]> {
  const names = await readdir(upstreamsDir).catch(() => []);
  const upstreams = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  const others = upstreams.map((name) => join(upstreamsDir, name));
  return [...(file === null ? [] : [file]), lock.file, ...others, ...secretFiles];
}
