import { describe, expect, it } from 'vitest';
import type { Occupancy } from '../../../../src/server/http/responder.js';
import { IdleMap } from '../../../../src/server/http/sessions.js';

const occupancy = (lastUsedAt: number, open = 0): Occupancy => ({ lastUsedAt, open });

describe('IdleMap', () => {
  it('sweeps entries that were idle for the whole time, and none in use', () => {
    const expired: Occupancy[] = [];
    const map = new IdleMap<Occupancy>(100, 10, (value) => expired.push(value));
    const old = occupancy(0);
    map.add('old', old);
    map.add('used', occupancy(0, 1));
    map.add('young', occupancy(1));
    map.sweep(100);
    expect(expired).toEqual([old]);
    expect(['old', 'used', 'young'].map((key) => map.get(key) !== undefined)).toEqual([false, true, true]);
  });

  it('drops the entry that was idle longest when it is full, and adds none when all are in use', () => {
    const expired: Occupancy[] = [];
    const map = new IdleMap<Occupancy>(100, 2, (value) => expired.push(value));
    const idle = occupancy(5);
    map.add('a', occupancy(1, 1));
    map.add('b', idle);
    expect(map.add('c', occupancy(9, 1))).toBe(true);
    expect(expired).toEqual([idle]);
    expect(map.add('d', occupancy(9))).toBe(false);
    expect(map.get('d')).toBeUndefined();
  });
});
