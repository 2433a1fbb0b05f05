import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { packList } from '../../../../src/results/stored/packed-list.js';
import { ResultSharing, type SharedBytes } from '../../../../src/results/stored/result-sharing.js';
import { createResultStore } from '../../../../src/results/stored/result-store.js';

const KEY = Buffer.alloc(32, 1);
const TTL_MS = 60_000;

const ANN: Caller = { sessionId: 'one', clientName: 'test', transport: 'http', client: 'ann' };
const LIST = { session: ANN.sessionId, operation: 'list_issues', question: 'q', fields: { paths: [['id']] } };

/** Two replicas over one place for bytes, which takes entries of at most so many. */
function openReplicas(maxBytes = 1_000_000) {
  const kept = new Map<string, Buffer>();
  const state = { isFailing: false };
  const bytes: SharedBytes = {
    async put(name, content) {
      if (state.isFailing) throw new Error('it cannot be reached');
      if (content.length > maxBytes) return false;
      kept.set(name, content);
      return true;
    },
    get: async (name) => kept.get(name),
    renew: async () => undefined,
  };
  const open = () => {
    const sharing = new ResultSharing({ bytes, key: () => KEY, isTroubled: () => state.isFailing, ttlMs: TTL_MS });
    return createResultStore({ maxBytes: 1_000_000, ttlMs: TTL_MS, sharing });
  };
  return { one: open(), two: open(), kept, state };
}

describe('stored results of several replicas', () => {
  it('are found on each of them: the items of a list behind its cursor, and a whole answer', async () => {
    const { one, two } = openReplicas();
    const items = packList([{ id: 1 }, { id: 'käpt' }, null]);
    const cursor = one.storePages({ ...LIST, items }, ANN)?.cursorAt(1) ?? '';
    const handle = one.storeResult({ operation: 'read_file', dataText: '"käpt"' }, ANN) ?? '';
    await one.shared(ANN);
    expect(one.shared(ANN)).toBeUndefined();
    expect(await two.bring({ cursor }, ANN)).toBeUndefined();
    expect(await two.bring({ handle }, ANN)).toBeUndefined();
    const found = two.findPage(cursor, ANN);
    expect(found?.index).toBe(1);
    expect(found?.snapshot).toMatchObject(LIST);
    expect([0, 1, 2].map((index) => found?.snapshot.items.valueAt(index))).toEqual([{ id: 1 }, { id: 'käpt' }, null]);
    expect(two.findContent(handle, ANN)?.content.toString()).toBe('"käpt"');
    // A cursor that the second makes is good on the first.
    expect(one.findPage(found?.cursorAt(2) ?? '', ANN)?.index).toBe(2);
  });

  it('are found by their own session alone', async () => {
    const { one, two } = openReplicas();
    const handle = one.storeResult({ operation: 'read_file', dataText: '1' }, ANN) ?? '';
    await one.shared(ANN);
    const other = { ...ANN, sessionId: 'two' };
    await two.bring({ handle }, other);
    expect(two.findContent(handle, other)).toBeUndefined();
  });

  it('are not shared for callers whose session one replica alone knows', async () => {
    const { one, kept } = openReplicas();
    const { client: _, ...nobody } = ANN;
    one.storeResult({ operation: 'read_file', dataText: '1' }, nobody);
    await one.shared(nobody);
    expect(kept.size).toBe(0);
  });

  it('are named with their size where they are too large to be shared', async () => {
    const { one, two } = openReplicas(1_000);
    const handle = one.storeResult({ operation: 'read_file', dataText: JSON.stringify('x'.repeat(2_000)) }, ANN) ?? '';
    await one.shared(ANN);
    expect(await two.bring({ handle }, ANN)).toBeGreaterThan(2_000);
    expect(one.findContent(handle, ANN)).toBeDefined();
  });

  it('reach the others later where that fails, who meanwhile say that they may come', async () => {
    const { one, two, state } = openReplicas();
    state.isFailing = true;
    const handle = one.storeResult({ operation: 'read_file', dataText: '1' }, ANN) ?? '';
    expect(await one.shared(ANN)).toBe(false);
    const refused = { code: 'INTERNAL_ERROR', details: { reason: 'unavailable', retryable: true, outcome: 'not_run' } };
    await expect(two.bring({ handle }, ANN)).rejects.toMatchObject(refused);
    state.isFailing = false;
    await expect
      .poll(() => two.bring({ handle }, ANN)?.then(() => two.findContent(handle, ANN)?.content.toString()))
      .toBe('1');
  });

  it('do not reach the others any more once the replica that made them has forgotten them', async () => {
    const { one, two, kept, state } = openReplicas();
    state.isFailing = true;
    const [gone, stays] = [
      one.storeResult({ operation: 'read_file', dataText: '1' }, ANN) ?? '',
      one.storeResult({ operation: 'read_file', dataText: '2' }, { ...ANN, sessionId: 'two' }) ?? '',
    ];
    await Promise.all([one.shared(ANN), one.shared({ ...ANN, sessionId: 'two' })]);
    one.endSession(ANN.sessionId);
    state.isFailing = false;
    await expect.poll(() => [...kept.keys()].join()).toContain(stays);
    await two.bring({ handle: gone }, ANN);
    expect(two.findContent(gone, ANN)).toBeUndefined();
  });
});
