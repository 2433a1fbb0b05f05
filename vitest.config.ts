import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { minutes, PATIENCE } from './test/support/patience.js';

const UNIT = 'test/unit/**/*.test.ts';

/** Files that mostly wait for processes begin first, so that none of them is what all wait for in the end. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification): boolean => /\/test\/(?:process|life)\//.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    setupFiles: ['test/support/property-seed.ts'],
    // Tests of real processes mostly wait for them.
    maxWorkers: 2 * availableParallelism(),
    // The files of a worker share the modules that it has loaded: to load them anew for each takes longer than most tests.
    isolate: false,
    testTimeout: minutes(2),
    hookTimeout: minutes(2),
    teardownTimeout: 5_000,
    // A poll ends when it holds; on a busy machine that may take more than the default second.
    expect: { poll: { timeout: 20_000 * PATIENCE, interval: 20 } },
    projects: [
      { extends: true, test: { name: 'unit', include: [UNIT] } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [UNIT],
        },
      },
    ],
  },
});
