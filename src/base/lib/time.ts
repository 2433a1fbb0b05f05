const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

/** The longest text that the expression above accepts. */
const LONGEST = 36;

/**
 * The milliseconds since the epoch of an ISO 8601 date or date-time; undefined for any other text. A date means its first
 * instant, and a text without a zone is UTC, so that an answer does not depend on where the gateway runs.
 */
export function readTime(text: string): number | undefined {
  // Most texts are not times, and the fifth character shows it.
  if (text.length < 10 || text.length > LONGEST || text.charAt(4) !== '-') return undefined;
  const [, year, month, day, clock = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (Number(day) > daysIn(Number(year), Number(month))) return undefined;
  const time = Date.parse(`${year}-${month}-${day}T${clock.replace(',', '.')}${completeZone(zone)}`);
  return Number.isNaN(time) ? undefined : time;
}

/** `Date.parse` would read the 30th of February as the 2nd of March. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function completeZone(zone: string): string {
  if (zone.length === 1) return 'Z';
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
}

/** From this number on a moment is in milliseconds: as seconds it would be after the year 5000. */
const FIRST_MILLISECONDS = 100_000_000_000;

/**
 * The moment that a value names, in milliseconds since the epoch: an ISO 8601 text (UTC without a zone), or a Unix time in
 * seconds or milliseconds. Undefined for any other value.
 */
export function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  return typeof value === 'string' ? readTime(value) : undefined;
}
