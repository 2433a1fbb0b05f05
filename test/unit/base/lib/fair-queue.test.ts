import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../src/base/lib/fair-queue.js';

describe('FairQueue', () => {
  it('serves the sessions of a share in turn', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.add({ share: 'client', session: 'a' }, item);
    queue.add({ share: 'client', session: 'b' }, 'b1');
    queue.add({ share: 'client', session: 'c' }, 'c1');
    expect([1, 2, 3, 4, 5, 6].map(() => queue.next())).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
  });

  it('displaces for a newcomer only from a share that has clearly more waiting', () => {
    const queue = new FairQueue<string>();
    const own = { share: 'own', session: 's' };
    const other = { share: 'other', session: 's' };
    queue.add(other, 'o1');
    // One more than the newcomer's share has: after a displacement that share would have the more.
    expect(queue.displaceFor(own)).toBeUndefined();
    queue.add(other, 'o2');
    expect(queue.displaceFor(own)).toBe('o2');
    expect(queue.size).toBe(1);
    queue.add(own, 'w1');
    for (const item of ['o3', 'o4']) queue.add(other, item);
    expect(queue.displaceFor(own)).toBe('o4');
    expect(queue.displaceFor(own)).toBeUndefined();
  });
});
