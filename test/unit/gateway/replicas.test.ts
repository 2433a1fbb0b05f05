import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.js';
import { ReplicaRoll, SealedSpace } from '../../../src/gateway/replicas.js';
import { MemoryStore } from '../../../src/store/memory-store.js';
import type { SharedSpace } from '../../../src/store/state-store.js';
import { Vault } from '../../../src/upstream/credentials/vault.js';
import { load } from '../config/config-folder.js';

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

it('counts the other gateways of a store by whether they are configured alike', async () => {
  const store = new MemoryStore(Date.now);
  const open = (config: GatewayConfig): ReplicaRoll =>
    new ReplicaRoll({ store, config: () => config, vault: undefined, observe: () => undefined });
  const [{ config: usual }, { config: other }] = await Promise.all([load({}), load({ policy: { readOnly: true } })]);
  const [one, two, different] = [open(usual), open(usual), open(other)];
  for (const roll of [one, two, different, one, two]) await roll.beat();
  expect([one.others(), different.others()]).toEqual([
    { same: 1, different: 1 },
    { same: 0, different: 2 },
  ]);
  await different.leave();
  await one.beat();
  expect(one.others()).toEqual({ same: 1, different: 0 });
});
