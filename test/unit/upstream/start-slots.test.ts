import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StartSlots } from '../../../src/upstream/start-slots.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

it('lets so many servers start at once and the next when one has connected', async () => {
  const slots = new StartSlots(2, 1_000);
  const [release] = await Promise.all([slots.take(never), slots.take(never)]);
  const started: string[] = [];
  void slots.take(never).then(() => started.push('third'));
  void slots.take(never).then(() => started.push('fourth'));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([]);
  release();
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['third']);
});

it('takes the slot of a server that hangs', async () => {
  const slots = new StartSlots(1, 1_000);
  const releaseHung = await slots.take(never);
  const next = slots.take(never);
  await vi.advanceTimersByTimeAsync(1_000);
  await next;
  releaseHung();
  const started: string[] = [];
  void slots.take(never).then(() => started.push('third'));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([]);
});

it('ends the wait of a server that is closed, without using a slot', async () => {
  const slots = new StartSlots(1, 1_000);
  const release = await slots.take(never);
  const closing = new AbortController();
  const closed = slots.take(closing.signal);
  closing.abort();
  await closed;
  release();
  await slots.take(never);
});
