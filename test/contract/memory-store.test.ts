import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { describeStateStore } from './state-store.js';

describeStateStore('memory', { open: (now) => openStore({ type: 'memory' }, { now }) });

it('the memory store says that other processes do not share its state', async () => {
  const store = await openStore({ type: 'memory' });
  expect(store.shared).toBe(false);
  expect(store.description).toBe('memory of this process');
});
