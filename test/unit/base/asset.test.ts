import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../../support/served-gateway.js';

/** A module's own URL is that of the bundle's chunk which holds it, so that a path from it is right by luck. */
const MAY_KNOW_WHERE_THEY_ARE = [
  'base/asset.ts',
  // They load the bundle, and are in none.
  'cli/load-program.ts',
  'cli/main.ts',
];

it('no module but the one for files of the program depends on where it is', () => {
  const source = join(REPOSITORY, 'src');
  const modules = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const knowing = modules.filter((path) =>
    /import\.meta\b|__dirname|__filename/.test(readFileSync(join(source, path), 'utf8')),
  );
  expect(knowing.sort()).toEqual(MAY_KNOW_WHERE_THEY_ARE);
});
