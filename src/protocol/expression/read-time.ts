const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:([Zz])|([+-]\d{2}):?(\d{2})?)?)?$/;

/** From here on a number counts milliseconds: as seconds it would lie beyond the year 5000. */
const FIRST_MILLISECONDS = 100_000_000_000;

/**
 * The moment that a value names, in milliseconds since the epoch: an ISO 8601 text (UTC where it names no zone), or a number
 * as Unix counts time, in seconds or milliseconds. Undefined for everything else.
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  const match = typeof value === 'string' ? ISO_TIME.exec(value) : null;
  if (match === null) return undefined;
  const [, date, time = '00:00', , hours, minutes = '00'] = match;
  const milliseconds = Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
