import { expect, it } from 'vitest';
import { guardStore } from '../../../../src/store/fail-closed.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { type StateStore, StoreError } from '../../../../src/store/state-store.js';
import { openCredentialService } from '../../../../src/upstream/credentials/credential-service.js';
import { load } from '../../config/config-folder.js';

const KEY = { key: 'the-key-of-what-is-kept-in-the-store' };

/** The credentials of a gateway whose store cannot be reached, and how often they and the others tried to reach it. */
async function openOver(credentials: object) {
  const asked: string[] = [];
  const away = new Proxy<StateStore>(new MemoryStore(Date.now), {
    get: (store, name) => {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== 'function') return member;
      return () => {
        asked.push(String(name));
        return Promise.reject(new StoreError('it is away'));
      };
    },
  });
  const { store } = guardStore(away, () => 0);
  const { config } = await load({ credentials, store: { type: 'sqlite' } });
  const none = (): void => undefined;
  const service = openCredentialService(config, { store, warn: none, record: none });
  return { service, store, asked };
}

it('credentials do not try the store again that another part of the gateway has found away', async () => {
  const { service, store, asked } = await openOver(KEY);
  await expect(store.count('quota')).rejects.toThrow('it is away');
  await expect(service.connections.list()).rejects.toThrow('it is away');
  expect(asked).toEqual(['count']);
});

it('credentials without a key are kept in memory alone, whatever the store is', async () => {
  const { service, asked } = await openOver({});
  expect(await service.connections.list()).toEqual([]);
  expect(asked).toEqual([]);
});
