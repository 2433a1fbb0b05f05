import { describe, expect, it } from 'vitest';
import type { Occupancy } from '../../../../src/server/http/responder.js';
import { IdleMap } from '../../../../src/server/http/sessions.js';

const occupancy = (lastUsedAt: number, open = 0): Occupancy => ({ lastUsedAt, open });

describe('IdleMap', () => {
  it('sweeps what has been idle for the whole time, and nothing that is in use', () => {
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

  it('drops the longest idle when full, and takes nothing when all are in use', () => {
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
