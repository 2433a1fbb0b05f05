import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.js';
import { ReplicaRoll } from '../../../src/gateway/replicas.js';
import { MemoryStore } from '../../../src/store/memory-store.js';
import { load } from '../config/config-folder.js';

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
