import { isDeepStrictEqual } from 'node:util';
import { readTime } from '../../protocol/read-time.js';
import { digitsOf } from '../desk/exact-numbers.js';
import { spelledNumber } from './comparable.js';

/**
 * Whether a value is one of those given, in time that does not grow with their number. Texts are equal to the letter, or as
 * one instant; a number equals a text that spells it; objects and lists are equal member by member. A number of more digits
 * than a double holds equals a text that spells them all, and a number that was rounded as it would be.
 */
export function createEquality(candidates: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(candidates.filter((candidate) => !isStructure(candidate)));
  const structures = candidates.filter(isStructure);
  const texts = candidates.filter((candidate) => typeof candidate === 'string');
  const times = new Set(texts.flatMap((text) => readTime(text) ?? []));
  const spelled = new Set(texts.flatMap((text) => spelledNumber(text) ?? []));
  const numbers = new Set(candidates.filter((candidate) => typeof candidate === 'number'));
  const equalsText = (text: string): boolean =>
    (times.size > 0 && holds(times, readTime(text))) || (numbers.size > 0 && holds(numbers, spelledNumber(text)));
  const equalsNumber = (digits: string): boolean => scalars.has(digits) || numbers.has(Number(digits));
  return (value) => {
    if (scalars.has(value)) return true;
    if (typeof value === 'string') {
      const digits = digitsOf(value);
      return digits === undefined ? equalsText(value) : equalsNumber(digits);
    }
    if (typeof value === 'number') return spelled.has(value);
    return isStructure(value) && structures.some((candidate) => isDeepStrictEqual(value, candidate));
  };
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function holds(set: ReadonlySet<number>, value: number | undefined): boolean {
  return value !== undefined && set.has(value);
}
