import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of one room, as `npm run mutants` plays them against each mutant. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: (process.env['MUTANTS_TESTS'] ?? '').split(','),
    setupFiles: ['test/support/property-seed.ts'],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});
