import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const UNIT = 'test/unit/**/*.test.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    maxWorkers: availableParallelism(),
    // The files of a worker share the modules that it has loaded: to load them anew for each takes longer than most tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    // A poll ends when it holds; on a busy machine that may take more than the default second.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    projects: [
      { extends: true, test: { name: 'unit', include: [UNIT] } },
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
