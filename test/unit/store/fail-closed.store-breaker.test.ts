import { expect, it } from 'vitest';
import { guardStore } from '../../../src/store/fail-closed.js';
import { MemoryStore } from '../../../src/store/memory-store.js';
import { type StateStore, StoreError } from '../../../src/store/state-store.js';

it('a store that fails is tried once a second, and every other call is refused at once', async () => {
  const memory = new MemoryStore(() => 0);
  let [time, works, tries] = [0, false, 0];
  const count: StateStore['count'] = (name) => {
    tries += 1;
    return works ? memory.count(name) : Promise.reject(new StoreError('it is away'));
  };
  const { store, state } = guardStore({ ...bind(memory), count }, () => time);
  expect(state()).toEqual({ failing: false, worksForMs: Number.POSITIVE_INFINITY });
  for (let call = 0; call < 5; call += 1) await expect(store.count('x')).rejects.toThrow(StoreError);
  expect([tries, state()]).toEqual([1, { failing: true, problem: 'it is away', worksForMs: 0 }]);
  time = 1_000;
  await expect(store.get('token', 'x').then(() => store.count('x'))).rejects.toThrow('it is away');
  time = 2_000;
  works = true;
  expect(await store.count('x')).toBe(0);
  expect(await store.count('x')).toBe(0);
  time = 5_000;
  expect(state()).toEqual({ failing: false, worksForMs: 4_000 });
});

/** The methods of a class instance as members. */
function bind(store: StateStore): StateStore {
  return {
    description: store.description,
    shared: store.shared,
    insert: (...args) => store.insert(...args),
    get: (...args) => store.get(...args),
    replace: (...args) => store.replace(...args),
    remove: (...args) => store.remove(...args),
    removeTagged: (...args) => store.removeTagged(...args),
    list: (...args) => store.list(...args),
    increment: (...args) => store.increment(...args),
    incrementAll: (...args) => store.incrementAll(...args),
    count: (...args) => store.count(...args),
    purge: () => store.purge(),
    close: () => store.close(),
  };
}
