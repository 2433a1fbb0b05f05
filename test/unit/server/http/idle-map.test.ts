import { describe, expect, it } from 'vitest';
import { IdleMap } from '../../../../src/server/http/idle-map.js';
import type { Occupancy } from '../../../../src/server/http/responder.js';

const occupancy = (lastUsedAt: number, open = 0): Occupancy => ({ lastUsedAt, open });
const MINUTE = 60_000;

function createMap(bounds: { readonly max?: number; readonly maxPerOwner?: number } = {}) {
  const expired: Occupancy[] = [];
  const map = new IdleMap<Occupancy>({ idleMs: 100, max: 10, maxPerOwner: 10, ...bounds }, (value) =>
    expired.push(value),
  );
  return { map, expired };
}

describe('IdleMap', () => {
  it('sweeps entries that were idle for the whole time, and none in use', () => {
    const { map, expired } = createMap();
    const old = occupancy(0);
    map.add('old', old, 'ann', 0);
    map.add('used', occupancy(0, 1), 'ann', 0);
    map.add('young', occupancy(1), 'ann', 1);
    map.sweep(100);
    expect(expired).toEqual([old]);
    expect(['old', 'used', 'young'].map((key) => map.get(key) !== undefined)).toEqual([false, true, true]);
  });

  it('drops the entry that was unused longest when it is full, and none that is open or was used within a minute', () => {
    const { map, expired } = createMap({ max: 3 });
    const idle = occupancy(1);
    map.add('open', occupancy(0, 1), 'ann', 0);
    map.add('fresh', occupancy(5), 'ann', 5);
    map.add('idle', idle, 'ann', 1);
    expect(map.add('new', occupancy(MINUTE + 1), 'ann', MINUTE + 1)).toBeUndefined();
    expect(expired).toEqual([idle]);
    expect(map.add('more', occupancy(MINUTE + 2), 'ann', MINUTE + 2)).toBe('all');
    expect(map.get('more')).toBeUndefined();
  });

  it('refuses an owner that has its share, and makes space among its own entries alone', () => {
    const { map, expired } = createMap({ maxPerOwner: 2 });
    const own = occupancy(2);
    map.add('bob', occupancy(0), 'bob', 0);
    map.add('a1', own, 'ann', 2);
    map.add('a2', occupancy(3), 'ann', 3);
    expect(map.add('a3', occupancy(4), 'ann', 4)).toBe('owner');
    expect(map.add('a3', occupancy(MINUTE + 2), 'ann', MINUTE + 2)).toBeUndefined();
    expect(expired).toEqual([own]);
  });

  it('drops nothing of an owner that has fewer entries than the one who asks for more', () => {
    const { map, expired } = createMap({ max: 3 });
    map.add('bob', occupancy(0), 'bob', 0);
    map.add('a1', occupancy(MINUTE), 'ann', MINUTE);
    map.add('a2', occupancy(MINUTE), 'ann', MINUTE);
    expect(map.add('a3', occupancy(MINUTE), 'ann', MINUTE)).toBe('all');
    expect(map.add('carl', occupancy(2 * MINUTE), 'carl', 2 * MINUTE)).toBeUndefined();
    expect(expired).toEqual([occupancy(MINUTE)]);
    expect(map.get('bob')).toBeDefined();
  });

  it('drops first what its owner never came back for, however lately, and keeps what was idle for longer', () => {
    const unproven = new Set<Occupancy>();
    const expired: Occupancy[] = [];
    const map = new IdleMap<Occupancy>(
      { idleMs: 100, max: 10, maxPerOwner: 2 },
      (value) => expired.push(value),
      (value) => unproven.has(value),
    );
    const [proven, brief, busy] = [occupancy(0), occupancy(MINUTE), occupancy(MINUTE, 1)];
    for (const each of [brief, busy]) unproven.add(each);
    map.add('proven', proven, 'ann', 0);
    map.add('brief', brief, 'ann', MINUTE);
    expect(map.add('busy', busy, 'ann', MINUTE)).toBeUndefined();
    expect(expired).toEqual([brief]);
    expect(map.add('more', occupancy(MINUTE + 1), 'ann', MINUTE + 1)).toBeUndefined();
    expect(expired).toEqual([brief, proven]);
    expect(map.get('busy')).toBe(busy);
  });

  it('forgets the share of what was removed', () => {
    const { map } = createMap({ maxPerOwner: 1 });
    map.add('a1', occupancy(0), 'ann', 0);
    expect([map.remove('a1'), map.remove('a1')]).toEqual([true, false]);
    expect(map.add('a2', occupancy(0), 'ann', 0)).toBeUndefined();
  });
});
