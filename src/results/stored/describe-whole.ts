import { isJsonObject } from '../../base/json/json.js';
import { parseContainer } from '../shape/locate-list.js';

/** Names that are said of a list's items. */
const MOST_NAMES = 8;
const LONGEST_NAME = 40;
const SAMPLE = 20;

const KB = 1_000;

/**
 * What a value is as a whole, in words, for those who see its beginning only: `an array of 3,900 objects with 'id', 'name'`, `JSON: ...`
 * of a text that is some, `a text of 596 kB on one line`.
 */
export function describeWhole(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  if (Array.isArray(value)) return describeList(value);
  return isJsonObject(value) ? `an object of ${inEnglish(Object.keys(value).length)} members` : 'one value';
}

/** Whether a text is the JSON of a list or an object. */
export function isJsonText(value: unknown): boolean {
  return typeof value === 'string' && parseContainer(value) !== undefined;
}

function describeText(text: string): string {
  const parsed = parseContainer(text);
  if (parsed !== undefined) return `JSON: ${describeWhole(parsed)}`;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  const on = lines === 1 ? 'on one line' : `in ${inEnglish(lines)} lines`;
  const bytes = Buffer.byteLength(text);
  const size = bytes < KB ? `${bytes} bytes` : `${inEnglish(Math.round(bytes / KB))} kB`;
  return `a text of ${size} ${on}`;
}

function describeList(items: readonly unknown[]): string {
  const sample = items.slice(0, SAMPLE);
  const names = [...new Set(sample.filter(isJsonObject).flatMap((item) => Object.keys(item)))];
  const shown = names.slice(0, MOST_NAMES).map((name) => `'${name.slice(0, LONGEST_NAME)}'`);
  const kinds = new Set(sample.map(kindOf));
  const kind = kinds.size === 1 ? [...kinds][0] : 'values';
  const withNames = shown.length === 0 ? '' : ` with ${shown.join(', ')}${names.length > shown.length ? ', ...' : ''}`;
  return `an array of ${inEnglish(items.length)} ${kind}${withNames}`;
}

function kindOf(item: unknown): string {
  if (Array.isArray(item)) return 'arrays';
  if (isJsonObject(item)) return 'objects';
  return typeof item === 'string' ? 'texts' : typeof item === 'number' ? 'numbers' : 'values';
}

function inEnglish(count: number): string {
  // Not by `toLocaleString`: its first use loads what it knows of languages, for 20 ms.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
