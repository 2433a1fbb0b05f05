import { isJsonObject } from '../base/json/json.js';
import type { Meter } from './evaluation.js';

/** Units that each value costs, and how many characters of a text cost one: some are compared eight at a time. */
const VALUE_UNITS = 4;
const CHARACTERS_PER_UNIT = 8;

/** Whether two JSON values are equal; ends at the first difference. Members may have any order, and -0 is 0. */
export function isEqual(a: unknown, b: unknown, meter: Meter): boolean {
  meter.spend(VALUE_UNITS + (typeof a === 'string' ? a.length / CHARACTERS_PER_UNIT : 0));
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index], meter));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name], meter))
  );
}

/** What an item of a list costs besides its values: its hash is kept and sorted. */
const ITEM_UNITS = 10;

/** Whether a list holds two equal values. Those with one hash are compared, so the work is linear unless hashes collide. */
export function hasRepetition(list: readonly unknown[], meter: Meter): boolean {
  const hashes = new Int32Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    meter.spend(ITEM_UNITS);
    hashes[index] = hashOf(list[index], meter);
  }
  const repeated = findRepeated(hashes);
  if (repeated.size === 0) return false;
  const known = new Map<number, unknown[]>();
  for (const [index, hash] of hashes.entries()) {
    if (!repeated.has(hash)) continue;
    const item = list[index];
    const others = known.get(hash);
    if (others === undefined) known.set(hash, [item]);
    else if (others.some((other) => isEqual(other, item, meter))) return true;
    else others.push(item);
  }
  return false;
}

/** The numbers that are there twice or more often: few, where most values differ. */
function findRepeated(numbers: Int32Array): ReadonlySet<number> {
  const sorted = numbers.toSorted();
  return new Set(sorted.filter((number, index) => index > 0 && number === sorted[index - 1]));
}

/** A number that equal JSON values share; the order of members does not count. */
function hashOf(value: unknown, meter: Meter): number {
  meter.spend(VALUE_UNITS);
  if (typeof value === 'string') return hashText(value, STRING, meter);
  if (typeof value === 'number') return hashText(String(value), NUMBER, meter);
  if (Array.isArray(value)) return value.reduce((hash: number, item) => mix(hash, hashOf(item, meter)), LIST);
  if (!isJsonObject(value)) return hashText(String(value), OTHER, meter);
  let hash = OBJECT;
  for (const name of Object.keys(value)) {
    hash = (hash + mix(hashText(name, STRING, meter), hashOf(value[name], meter))) | 0;
  }
  return hash;
}

/** Where the hashes of each kind begin. They differ from process to process, so that no sender can prepare collisions. */
const SEED = Math.floor(Math.random() * 2 ** 31);
const [STRING, NUMBER, LIST, OBJECT, OTHER] = [SEED, SEED + 1, SEED + 2, SEED + 3, SEED + 4] as const;

/** Characters that are hashed for one unit. */
const HASHED_PER_UNIT = 4;

function hashText(text: string, start: number, meter: Meter): number {
  meter.spend(text.length / HASHED_PER_UNIT);
  let hash = start;
  for (let index = 0; index < text.length; index += 1) hash = mix(hash, text.charCodeAt(index));
  return hash;
}

/** Murmur3's way of adding one number to a hash (https://github.com/aappleby/smhasher). */
function mix(hash: number, number: number): number {
  const scrambled = Math.imul(number, 0xcc9e2d51);
  const mixed = hash ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}
