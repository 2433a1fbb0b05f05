import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { describeStateStore } from './state-store.js';

describeStateStore('memory', { open: (now) => openStore({ type: 'memory' }, { now }) });

it('says that the state is of this process alone', async () => {
  const store = await openStore({ type: 'memory' });
  expect(store.shared).toBe(false);
  expect(store.description).toBe('memory of this process');
});
