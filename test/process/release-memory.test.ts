import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/served-gateway.js';

const MODULE = pathToFileURL(join(REPOSITORY, 'dist/cli/shared/release-memory.js')).href;

const SCRIPT = `
  const { releaseMemory } = await import(${JSON.stringify(MODULE)});
  const make = () => new WeakRef(Array.from({ length: 1_000 }, () => ({})));
  const before = make();
  await new Promise((resolve) => setTimeout(resolve));
  await releaseMemory();
  console.log(before.deref() === undefined ? 'collected' : 'kept');
`;

it('collects garbage, and lets the process end', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    timeout: 20_000,
  });
  expect(stdout).toBe('collected\n');
});
