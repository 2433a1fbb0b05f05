import { type Html, html } from '../../base/lib/html.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its two largest units: `40 s`, `11 min`, `1 h 54 min`, `12 d 4 h`. @param ms milliseconds */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  const [large, small, size, part] =
    length < DAY ? (['h', 'min', HOUR, MINUTE] as const) : (['d', 'h', DAY, HOUR] as const);
  const rest = Math.floor((length % size) / part);
  return `${Math.floor(length / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** How far a moment is from now. @param time ISO 8601, or milliseconds since the epoch */
export function moment(time: string | number | undefined, now = Date.now()): Html | undefined {
  if (time === undefined) return undefined;
  const distance = now - new Date(time).getTime();
  return write(time, distance < 0 ? `in ${duration(-distance)}` : `${duration(distance)} ago`);
}

/** When something is due; what is overdue happens at this moment. */
export function due(time: string, now = Date.now()): Html {
  const left = new Date(time).getTime() - now;
  return write(time, left < 1_000 ? 'now' : `in ${duration(left)}`);
}

/** For how long something has been so. */
export function since(time: string | number | undefined, now = Date.now()): Html | undefined {
  return time === undefined ? undefined : write(time, duration(now - new Date(time).getTime()), 'since ');
}

/** The time of a log or record, with its day where that is not today; in UTC, as people of one incident may be in several time zones. */
export function clock(time: string | number | undefined, now = Date.now()): Html | undefined {
  if (time === undefined) return undefined;
  const iso = new Date(time).toISOString();
  const isToday = iso.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  return write(time, isToday ? iso.slice(11, 19) : `${iso.slice(5, 10)} ${iso.slice(11, 16)}`);
}

/** The exact moment is what the pointer shows. */
function write(time: string | number, text: string, before = ''): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}" title="${before}${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC">${text}</time>`;
}
