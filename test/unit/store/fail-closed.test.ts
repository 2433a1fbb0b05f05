import { describe, expect, it } from 'vitest';
import { failClosed, guardStore } from '../../../src/store/fail-closed.js';
import { MemoryStore } from '../../../src/store/memory-store.js';
import { type StateStore, StoreError } from '../../../src/store/state-store.js';
import { CALLER, createTokenBench, refusalOf, SCOPE } from '../policy/confirmation/token-bench.js';

/** A store whose every method fails in the same way. */
function brokenStore(fault: Error): StateStore {
  const fail = (): Promise<never> => Promise.reject(fault);
  return {
    description: 'broken',
    shared: true,
    insert: fail,
    get: fail,
    replace: fail,
    remove: fail,
    removeTagged: fail,
    list: fail,
    increment: fail,
    count: fail,
    purge: fail,
    close: () => Promise.resolve(),
  };
}

const OUTAGE = new StoreError("cannot write '/var/lib/gateway/state.db'");

const uses: Readonly<Record<string, (store: StateStore) => Promise<unknown>>> = {
  insert: (store) => store.insert('token', 'key', {}, { expiresAt: 1 }),
  get: (store) => store.get('token', 'key'),
  replace: (store) => store.replace('token', 'key', 1, {}),
  remove: (store) => store.remove('token', 'key'),
  removeTagged: (store) => store.removeTagged('token', 'tag'),
  list: (store) => store.list('token'),
  increment: (store) => store.increment([{ counter: 'counter', by: 1, expiresAt: 1 }]),
  count: (store) => store.count('counter'),
  purge: (store) => store.purge(),
};

describe('failClosed', () => {
  it.each(Object.entries(uses))('refuses the call when %s fails, and does not reveal the cause', async (_, use) => {
    const refusal = await refusalOf(use(failClosed(brokenStore(OUTAGE))));
    expect(refusal.toFailure().error).toEqual({
      code: 'INTERNAL_ERROR',
      message:
        "Internal error: 'the state store cannot be reached, so the call was refused and did not run'. Send it again in 2 seconds",
      details: { reason: 'unavailable', retryable: true, outcome: 'not_run', retry_after_seconds: 2 },
    });
    expect(refusal.cause).toBe(OUTAGE);
  });

  it('passes on errors that are not of the store', async () => {
    const defect = new TypeError('x is undefined');
    await expect(failClosed(brokenStore(defect)).get('token', 'key')).rejects.toBe(defect);
  });

  it('changes nothing while the store works', async () => {
    const store = failClosed(new MemoryStore(() => 0));
    expect(store).toMatchObject({ shared: false, description: 'memory of this process' });
    expect(await store.insert('token', 'key', { a: 1 }, { expiresAt: 1, tag: 'tag' })).toBe(true);
    const { version, ...record } = (await store.get('token', 'key'))!;
    expect(record).toEqual({ key: 'key', value: { a: 1 } });
    expect(await store.replace('token', 'key', version, { a: 2 })).toBe(true);
    expect(await store.list('token')).toMatchObject([{ value: { a: 2 } }]);
    expect(await store.increment([{ counter: 'counter', by: 2, expiresAt: 1, limit: 1 }])).toEqual({
      values: [0],
      added: false,
    });
    expect(await store.count('counter')).toBe(0);
    expect(await store.removeTagged('token', 'tag')).toEqual(['key']);
    expect(await store.remove('token', 'key')).toBe(false);
    await store.purge();
    await store.close();
    expect((await refusalOf(store.get('token', 'key'))).code).toBe('INTERNAL_ERROR');
  });

  it.each(['inspect', 'redeem'] as const)('%s refuses while the store is away', async (attempt) => {
    const bench = createTokenBench({ store: brokenStore(OUTAGE) });
    expect((await refusalOf(bench.tokens[attempt]('conf_x', SCOPE, CALLER))).code).toBe('INTERNAL_ERROR');
    expect(bench.events).toMatchObject([{ event: 'TOKEN_REJECTED', failure_reason: 'INTERNAL_ERROR' }]);
  });
});

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
    count: (...args) => store.count(...args),
    purge: () => store.purge(),
    close: () => store.close(),
  };
}
