import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBuilt, MARK } from '../../../tools/is-built.mjs';
import { makeDirectory } from '../../support/gateway-folder.js';

const SOURCES = [
  'src/one.ts',
  'src/deep/two.ts',
  'tools/tool.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** A folder whose sources are of second 1000, and whose build ended at second 2000. */
async function builtFolder() {
  const directory = await makeDirectory();
  const touch = (path: string, seconds: number) => utimes(join(directory.path, path), seconds, seconds);
  for (const path of [...SOURCES, MARK]) {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), '');
  }
  for (const path of [...SOURCES, 'src', 'src/deep', 'tools']) await touch(path, 1000);
  await touch(MARK, 2000);
  return Object.assign(directory, { touch });
}

describe('whether the program must be built', () => {
  it('is denied where the build is newer than everything that it is made of', async () => {
    await using folder = await builtFolder();
    expect(isBuilt(folder.path)).toBe(true);
  });

  it.each(SOURCES)('is affirmed where %s is newer', async (path) => {
    await using folder = await builtFolder();
    await folder.touch(path, 3000);
    expect(isBuilt(folder.path)).toBe(false);
  });

  it('is affirmed where a source was removed', async () => {
    await using folder = await builtFolder();
    await rm(join(folder.path, 'src/deep/two.ts'));
    expect(isBuilt(folder.path)).toBe(false);
  });

  it('is affirmed where no build has ended', async () => {
    await using folder = await builtFolder();
    await rm(join(folder.path, MARK));
    expect(isBuilt(folder.path)).toBe(false);
  });
});
