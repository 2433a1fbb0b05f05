import { afterEach, describe, expect, it } from 'vitest';

import { MemoryBudget } from '../../../src/gateway/memory-budget.js';
import { ThreadPool, transferable } from '../../../src/gateway/thread-pool.js';

interface Job {
  readonly answer?: unknown;
  readonly fail?: string;
  readonly grow?: true;
  readonly never?: true;
  /** Bytes of memory. */
  readonly need?: number;
}

const MEMORY = 4 * 1024 * 1024;

const opened: ThreadPool<Job, unknown>[] = [];

interface PoolOptions {
  threads?: number;
  maxWaiting?: number;
  maxMs?: number;
  weightOf?: (job: Job) => number;
  budget?: MemoryBudget;
}

function openPool(options: PoolOptions = {}): ThreadPool<Job, unknown> {
  const pool = new ThreadPool<Job, unknown>({
    entry: new URL('../../fixtures/threads-echo.mjs', import.meta.url),
    threads: 1,
    maxWaiting: 10,
    budget: new MemoryBudget(MEMORY),
    needOf: ({ need = 1 }) => need,
    maxMs: 60_000,
    idleMs: 60_000,
    ...options,
  });
  opened.push(pool);
  return pool;
}

afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.close())));

describe('ThreadPool', () => {
  it('answers each job with its own result, many after one another in one thread', async () => {
    const pool = openPool();
    const jobs = Array.from({ length: 8 }, (_, answer) => pool.run({ answer }));
    expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await pool.run({ answer: 'again' })).toBe('again');
  });

  it('fails the job whose thread throws, and gives the next one another thread', async () => {
    const pool = openPool();
    const failing = expect(pool.run({ fail: 'no' })).rejects.toMatchObject({
      kind: 'failed',
      cause: { message: 'no' },
    });
    const next = pool.run({ answer: 'next' });
    await failing;
    expect(await next).toBe('next');
  });

  it('lets jobs of all pools wait that take more memory together than there is, until others have ended', async () => {
    const budget = new MemoryBudget(MEMORY);
    const [one, other] = [openPool({ budget }), openPool({ budget })];
    const endless = expect(one.run({ never: true, need: MEMORY * 0.8 })).rejects.toMatchObject({ kind: 'ended' });
    const answers = [other.run({ answer: 1, need: MEMORY * 0.5 }), other.run({ answer: 2, need: MEMORY * 0.5 })];
    expect([one.load, other.load]).toEqual([
      { busy: 1, waiting: 0 },
      { busy: 0, waiting: 2 },
    ]);
    await one.close();
    await endless;
    expect(await Promise.all(answers)).toEqual([1, 2]);
  });

  it('lets jobs wait for what programs hold, and one alone begin, as a program may wait for it', async () => {
    const budget = new MemoryBudget(MEMORY);
    const pool = openPool({ budget, threads: 2 });
    expect([0.3, 0.1, 0.2].map((share) => budget.hold(MEMORY * share))).toEqual([true, true, false]);
    expect(await pool.run({ answer: 'alone', need: MEMORY })).toBe('alone');
    const endless = expect(pool.run({ never: true, need: MEMORY * 0.4 })).rejects.toMatchObject({ kind: 'ended' });
    const waiting = pool.run({ answer: 'beside', need: MEMORY * 0.5 });
    expect(pool.load).toEqual({ busy: 1, waiting: 1 });
    budget.release(MEMORY * 0.4);
    expect(await waiting).toBe('beside');
    await pool.close();
    await endless;
  });

  it('refuses at once what would take more memory than all threads have', async () => {
    const pool = openPool();
    await expect(pool.run({ answer: 1, need: MEMORY + 1 })).rejects.toMatchObject({ kind: 'memory' });
    expect(await pool.run({ answer: 1, need: MEMORY })).toBe(1);
    expect(await pool.run({ answer: 2, need: MEMORY })).toBe(2);
  });

  it('fails the job that takes more memory than it may, and goes on', async () => {
    const pool = openPool();
    await expect(pool.run({ grow: true })).rejects.toMatchObject({ kind: 'memory' });
    expect(await pool.run({ answer: 1 })).toBe(1);
  });

  it('ends a job that takes too long', async () => {
    await expect(openPool({ maxMs: 1 }).run({ never: true })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('refuses a job where those that wait weigh too much together', async () => {
    const weightOf = ({ answer }: Job): number => Number(answer ?? 0);
    const pool = openPool({ maxWaiting: 10, weightOf });
    const running = expect(pool.run({ never: true })).rejects.toMatchObject({ kind: 'ended' });
    const waiting = [6, 4].map((answer) => expect(pool.run({ answer })).rejects.toMatchObject({ kind: 'ended' }));
    await expect(pool.run({ answer: 1 })).rejects.toMatchObject({ kind: 'busy' });
    await pool.close();
    await Promise.all([running, ...waiting]);
  });

  it('refuses a job where too many wait, and those that wait when it closes', async () => {
    const pool = openPool({ maxWaiting: 1 });
    const running = expect(pool.run({ never: true })).rejects.toMatchObject({ kind: 'ended' });
    const waiting = expect(pool.run({ answer: 1 })).rejects.toMatchObject({ kind: 'ended' });
    await expect(pool.run({ answer: 2 })).rejects.toMatchObject({ kind: 'busy' });
    await pool.close();
    await Promise.all([running, waiting]);
  });
});

const POOL_BYTES = Buffer.poolSize;

afterEach(() => {
  Buffer.poolSize = POOL_BYTES;
});

it('hands over large memory, and never the pool in which small buffers of others lie, however large it is', () => {
  Buffer.poolSize = 256 * 1024;
  // The next pool is made when the present one is full.
  const small = Array.from({ length: 2_000 }, () => Buffer.from('x'.repeat(1_000)));
  expect(small.some(({ buffer }) => buffer.byteLength === Buffer.poolSize)).toBe(true);
  const large = Buffer.allocUnsafeSlow(300_000);
  const shared = Buffer.from(new SharedArrayBuffer(300_000));
  expect(transferable([...small, large, shared])).toEqual([large.buffer]);
});
