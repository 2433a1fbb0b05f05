import { expect, it } from 'vitest';
import { createProjection } from '../../../../src/results/query/select-fields.js';

it('an item is read once for all its computed fields', () => {
  let reads = 0;
  const item = {
    text: 'a',
    get other() {
      reads += 1;
      return 1;
    },
  };
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
  const computed = names.map((name) => ({ name, description: '', type: 'number' as const, compute: () => 1 }));
  const paths = names.map((name) => ['_computed', name] as const);
  createProjection({ paths: [...paths, ['text']] }, [item], { computed, presets: new Map(), now: 0 })(item);
  expect(reads).toBeLessThanOrEqual(1);
});
