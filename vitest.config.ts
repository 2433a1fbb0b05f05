import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that keep the modules' state to themselves share the modules that a worker has loaded, which halves their time. */
const UNIT = 'test/unit/**/*.test.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    // A poll ends when it holds; on a busy machine that may take more than the default second.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    projects: [
      { extends: true, test: { name: 'unit', include: [UNIT], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [UNIT],
          // Tests of real processes mostly wait for them.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
