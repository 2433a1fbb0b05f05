import { BOUNDS, boundOf, quantile } from './durations.js';
import { type Observer, type Outcome, outcomeOf } from './observation.js';
import { Minutes, type ServerCourse, ServerCourses, type Tally } from './server-courses.js';

/** The calls that ended in one span of time. */
export interface RateSample {
  /** When the span began, in milliseconds since the epoch. */
  readonly at: number;
  /** How long the span is; of the one that goes on, how long it has gone on. */
  readonly seconds: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
  /** In milliseconds, rounded up to the next of some bounds; absent where no call ended. */
  readonly median?: number;
  readonly p95?: number;
}

/** Counts calls, for operators who watch a gateway without a monitoring system. */
export interface CallRates {
  readonly observe: Observer;
  /** Half an hour up to now, the oldest first. */
  samples(): readonly RateSample[];
  /** The half hour of one server. @param slug of it */
  server(slug: string): ServerCourse;
  /** Calls of the half hour by category, the most first. */
  categories(): readonly Tally[];
  /** Calls of the half hour that did not succeed, by code, the most first. */
  codes(): readonly Tally[];
}

const SPAN_MS = 10_000;
const SPANS = 180;

/** The place of each outcome in a span's row; the durations follow. */
const COLUMNS: Readonly<Record<Outcome, number>> = { ok: 0, refused: 1, failed: 2 };
const OUTCOMES = Object.keys(COLUMNS).length;

const WIDTH = OUTCOMES + BOUNDS;

/** Keeps the figures of half an hour in a few kilobytes for all and for each server, whatever is called how often. */
export function createCallRates(now: () => number = Date.now): CallRates {
  const rows = new Uint32Array(SPANS * WIDTH);
  /** Which span each row is of. */
  const spans = new Float64Array(SPANS).fill(-1);
  const rowOf = (span: number): number => {
    const place = span % SPANS;
    if (spans[place] !== span) {
      rows.fill(0, place * WIDTH, (place + 1) * WIDTH);
      spans[place] = span;
    }
    return place * WIDTH;
  };
  const servers = new ServerCourses(now);
  const categories = new Minutes(now);
  const codes = new Minutes(now);
  return {
    observe(observation) {
      servers.observe(observation);
      if (observation.kind !== 'call') return;
      categories.add(observation.category);
      if (observation.code !== 'OK') codes.add(observation.code);
      const row = rowOf(Math.floor(now() / SPAN_MS));
      count(rows, row + COLUMNS[outcomeOf(observation.code)]);
      count(rows, row + OUTCOMES + boundOf(observation.durationMs));
    },
    server: (slug) => servers.of(slug),
    categories: () => categories.tallies(),
    codes: () => codes.tallies(),
    samples() {
      const time = now();
      const last = Math.floor(time / SPAN_MS);
      return Array.from({ length: SPANS }, (_, index) => {
        const span = last - SPANS + 1 + index;
        const row = rowOf(span);
        return readRow(
          rows.subarray(row, row + WIDTH),
          span * SPAN_MS,
          span === last ? time - span * SPAN_MS : SPAN_MS,
        );
      });
    },
  };
}

function count(rows: Uint32Array, at: number): void {
  rows[at] = (rows[at] ?? 0) + 1;
}

function readRow(row: Uint32Array, at: number, lengthMs: number): RateSample {
  const [ok = 0, refused = 0, failed = 0] = row;
  const durations = row.subarray(OUTCOMES);
  const calls = ok + refused + failed;
  const quantiles =
    calls === 0 ? {} : { median: quantile(durations, calls, 0.5), p95: quantile(durations, calls, 0.95) };
  return { at, seconds: Math.max(1, lengthMs / 1_000), ok, refused, failed, ...quantiles };
}
