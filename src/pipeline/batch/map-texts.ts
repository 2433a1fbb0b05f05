import { isJsonObject } from '../../protocol/json.js';

/** The same JSON value with each text in it, at any depth, exchanged. `at` is where the text stands: `params.items[0].id`. */
export function mapTexts(value: unknown, exchange: (text: string, at: string) => unknown, at = ''): unknown {
  if (typeof value === 'string') return exchange(value, at);
  if (Array.isArray(value)) return value.map((each, index) => mapTexts(each, exchange, `${at}[${index}]`));
  if (!isJsonObject(value)) return value;
  // `fromEntries` defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapTexts(member, exchange, at === '' ? key : `${at}.${key}`)]),
  );
}
