import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/caller.js';
import { Executions } from '../../../../src/policy/execution/executions.js';
import { SharedExecutions } from '../../../../src/policy/execution/shared-executions.js';
import { guardStore } from '../../../../src/store/fail-closed.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { type StateStore, StoreError } from '../../../../src/store/state-store.js';

const CALLER: Caller = { sessionId: 's', clientName: 'test', transport: 'http', peer: 's', client: 'c' };
const CALL = { kind: 'call', subject: 'shop__export' } as const;
const KEPT_MS = 3_600_000;
const OUTAGE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two gateways of one store that can be away. */
async function openPair() {
  const memory = new MemoryStore(Date.now);
  const link = { isAway: false, requestsLeft: Number.POSITIVE_INFINITY };
  const reach = new Proxy<StateStore>(memory, {
    get(_target, name) {
      const member: unknown = Reflect.get(memory, name);
      if (typeof member !== 'function') return member;
      return (...args: never[]) =>
        link.isAway || link.requestsLeft-- <= 0
          ? Promise.reject(new StoreError('it is away'))
          : Reflect.apply(member, memory, args);
    },
  });
  const open = async () => {
    const { store, state } = guardStore(reach, Date.now);
    const shared = new SharedExecutions({
      store,
      storeWorksForMs: () => state().worksForMs,
      keptMs: KEPT_MS,
      onStoreFault: () => undefined,
      now: Date.now,
    });
    const bounds = { perOwner: 4, all: 6, keptMs: KEPT_MS };
    const executions = new Executions({ bounds, shared, ownerOf: () => 'c', now: Date.now });
    await executions.open();
    return executions;
  };
  return { link, one: await open(), other: await open() };
}

async function runOne(executions: Executions): Promise<string> {
  const { id } = executions.begin(CALLER, CALL);
  executions.advance(id, 'running');
  await executions.written(id);
  return id;
}

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'a look-up that the store leaves after %i requests is refused as the store being away, or answered',
  async (requests) => {
    const { link, one, other } = await openPair();
    const id = await runOne(one);
    link.requestsLeft = requests;
    for (const ask of [() => other.get(id, CALLER), () => other.list(CALLER), () => other.runningElsewhere('s')]) {
      const outcome = await Promise.resolve(ask()).catch((error: unknown) => error);
      if (outcome instanceof Error)
        expect(outcome).toMatchObject({ code: 'INTERNAL_ERROR', details: { reason: 'unavailable', retryable: true } });
    }
  },
);

describe('while the store is away', () => {
  it('an execution ends, and the other gateways find its end when the store is back', async () => {
    const { link, one, other } = await openPair();
    const id = await runOne(one);
    link.isAway = true;
    await vi.advanceTimersByTimeAsync(OUTAGE_MS);
    one.advance(id, 'completed');
    await one.written(id);
    await vi.advanceTimersByTimeAsync(OUTAGE_MS);
    link.isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await other.get(id, CALLER)).status).toBe('completed');
  });

  it('whoever asks another gateway is told when to ask again', async () => {
    const { link, one, other } = await openPair();
    const id = await runOne(one);
    link.isAway = true;
    const refusal = { code: 'INTERNAL_ERROR', details: { retryable: true, retry_after_seconds: 2 } };
    await expect(other.get(id, CALLER)).rejects.toMatchObject(refusal);
    await expect(other.list(CALLER)).rejects.toMatchObject(refusal);
  });

  it('no gateway is taken for gone because nothing is heard of it', async () => {
    const { link, one, other } = await openPair();
    const id = await runOne(one);
    link.isAway = true;
    // Each gateway looks at the store from time to time, whatever it does.
    for (let passed = 0; passed < OUTAGE_MS; passed += 10_000) {
      await vi.advanceTimersByTimeAsync(10_000);
      await expect(other.get(id, CALLER)).rejects.toThrow('state store');
    }
    link.isAway = false;
    // The guard of the store tries once a second.
    vi.setSystemTime(Date.now() + 1_000);
    expect((await other.get(id, CALLER)).status).toBe('running');
    await vi.advanceTimersByTimeAsync(OUTAGE_MS);
    expect((await other.get(id, CALLER)).status).toBe('running');
    one.advance(id, 'completed');
    await one.written(id);
    expect((await other.get(id, CALLER)).status).toBe('completed');
  });
});
