import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, or a date and a time, in ISO 8601; without a zone it is UTC, as in the journals. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A moment as an option gives it: `2026-11-22`, `2026-11-22T01:24`, or `12h` for twelve hours ago. In ISO 8601, UTC. */
export function readMoment(text: string): string {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(Date.now() - Number(amount) * (UNITS[unit] ?? 0)).toISOString();
  const [whole, zone] = MOMENT.exec(text) ?? [];
  const time =
    whole === undefined ? Number.NaN : Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("expected '2026-11-22', '2026-11-22T01:24:53Z' or '12h'.");
  return new Date(time).toISOString();
}
