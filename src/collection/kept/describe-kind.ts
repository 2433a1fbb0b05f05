import { isJsonObject } from '../../protocol/json.js';

/** What a JSON value is, in words: `a list of 20 items`. */
export function describeKind(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${count(value.length, 'item')}`;
  if (isJsonObject(value)) return `an object of ${count(Object.keys(value).length, 'member')}`;
  if (typeof value === 'string') return `a text of ${count(value.length, 'character')}`;
  return value === null ? 'null' : `a ${typeof value}`;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
