import { expect, it } from 'vitest';
import { SealedSpace } from '../../../src/gateway/replicas.js';
import type { SharedSpace } from '../../../src/store/state-store.js';
import { Vault } from '../../../src/upstream/credentials/vault.js';

it('shows the store nothing of what is kept, and gives it only by its own name and key', async () => {
  const kept = new Map<string, Buffer>();
  const store: SharedSpace = {
    put: async (name, bytes) => kept.set(name, bytes).size > 0,
    get: async (name) => kept.get(name),
    renew: async () => undefined,
    remove: async () => undefined,
  };
  const space = new SealedSpace(store, new Vault('one key'));
  await space.put('a', Buffer.from('a salary'), { owner: 'ann', expiresAt: 1 });
  kept.set('b', kept.get('a') ?? Buffer.alloc(0));
  expect(kept.get('a')?.includes('salary')).toBe(false);
  expect((await space.get('a'))?.toString()).toBe('a salary');
  expect(await space.get('b')).toBeUndefined();
  expect(await new SealedSpace(store, new Vault('another key')).get('a')).toBeUndefined();
  kept.set('a', Buffer.from('short'));
  expect(await space.get('a')).toBeUndefined();
});
