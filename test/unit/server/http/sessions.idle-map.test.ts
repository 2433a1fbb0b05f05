import { describe, expect, it } from 'vitest';
import type { Seat } from '../../../../src/server/http/responder.js';
import { IdleMap } from '../../../../src/server/http/sessions.js';

const seat = (lastUsedAt: number, open = 0): Seat => ({ lastUsedAt, open });

describe('IdleMap', () => {
  it('sweeps what has been idle for the whole time, and nothing that is in use', () => {
    const expired: Seat[] = [];
    const map = new IdleMap<Seat>(100, 10, (value) => expired.push(value));
    const old = seat(0);
    map.add('old', old);
    map.add('used', seat(0, 1));
    map.add('young', seat(1));
    map.sweep(100);
    expect(expired).toEqual([old]);
    expect(['old', 'used', 'young'].map((key) => map.get(key) !== undefined)).toEqual([false, true, true]);
  });

  it('drops the longest idle when full, and takes nothing when all are in use', () => {
    const expired: Seat[] = [];
    const map = new IdleMap<Seat>(100, 2, (value) => expired.push(value));
    const idle = seat(5);
    map.add('a', seat(1, 1));
    map.add('b', idle);
    expect(map.add('c', seat(9, 1))).toBe(true);
    expect(expired).toEqual([idle]);
    expect(map.add('d', seat(9))).toBe(false);
    expect(map.get('d')).toBeUndefined();
  });
});
