import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MODULES } from '../../../src/modules/modules.js';
import { NIGHTLY } from '../../support/nightly.js';
import { minutes } from '../../support/patience.js';

/** Types are checked three times at most in the gate, every module within a few days; at night all of them. */
const AT_ONCE = NIGHTLY ? MODULES.length : 3;
const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS);
const dueNow = Array.from({ length: Math.min(AT_ONCE, MODULES.length) }, (_, index) => {
  const { name } = MODULES[(today * AT_ONCE + index) % MODULES.length] as (typeof MODULES)[number];
  return name;
});

/** The list without the import of a module and its place in it. */
function withoutLineOf(name: string, list: string): string {
  const lines = list.split('\n').filter((line) => !line.endsWith(`from './${name}/module.js';`));
  return lines.join('\n').replace(/= \[(?<names>[^\]]*)\];/, (_all, names: string) => {
    const left = names.split(',').filter((each) => each.trim() !== name);
    return `= [${left.join(',')}];`;
  });
}

it.each(dueNow)(
  'the program compiles without the folder and the line of the module %s',
  async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'without-module-'));
    try {
      await cp('src', join(folder, 'src'), { recursive: true });
      await rm(join(folder, 'src/modules', name), { recursive: true });
      const list = join(folder, 'src/modules/modules.ts');
      await writeFile(list, withoutLineOf(name, await readFile(list, 'utf8')));
      await cp('package.json', join(folder, 'package.json'));
      await symlink(resolve('node_modules'), join(folder, 'node_modules'));
      const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'));
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
      const check = [resolve('node_modules/tsc-native/bin/tsc'), '-p', folder, '--noEmit'];
      const faults = await promisify(execFile)(process.execPath, check).then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
      expect(faults).toBe('');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  minutes(3),
);
