import { getOrMake } from '../lib/collections.js';
import { BOUNDS, boundOf, quantile } from './durations.js';
import { type Observation, type Observer, outcomeOf, type UpstreamState } from './observation.js';

const MINUTE_MS = 60_000;

/** Minutes that are kept. */
const MINUTES = 30;

/** How often something of one name was seen in the half hour. */
export interface Tally {
  readonly name: string;
  readonly count: number;
}

/** What a server did in one minute. */
export interface CourseMinute {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly ok: number;
  /** Calls that a server or the gateway failed; refusals of the gateway are no fault of a server, and count as neither. */
  readonly failed: number;
  /** In milliseconds; absent where no call ended. */
  readonly median?: number;
  readonly p95?: number | undefined;
  /** Whether it could be called: all the time, not all the time, or not at all; unknown before it was first heard of. */
  readonly state: 'up' | 'shaken' | 'down' | 'unknown';
}

/** The half hour of one server. */
export interface ServerCourse {
  /** The oldest first. */
  readonly minutes: readonly CourseMinute[];
  /** When it came into, or went out of, the state in which it can be called, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Starts that have failed since it could be called last. */
  readonly failures: number;
}

/** Counts names by minutes, for half an hour. The names are few: those of a table or of the configuration. */
export class Minutes {
  readonly #now: () => number;
  readonly #counts = new Map<string, { readonly minutes: Float64Array; readonly counts: Uint32Array }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(name: string): void {
    const kept = this.#counts.get(name) ?? { minutes: new Float64Array(MINUTES), counts: new Uint32Array(MINUTES) };
    this.#counts.set(name, kept);
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const place = minute % MINUTES;
    if (kept.minutes[place] !== minute) kept.counts[place] = 0;
    kept.minutes[place] = minute;
    kept.counts[place] = (kept.counts[place] ?? 0) + 1;
  }

  /** The most frequent first. */
  tallies(): readonly Tally[] {
    const first = Math.floor(this.#now() / MINUTE_MS) - MINUTES + 1;
    const all = [...this.#counts].map(([name, { minutes, counts }]) => ({
      name,
      count: counts.reduce((sum, each, place) => ((minutes[place] ?? 0) >= first ? sum + each : sum), 0),
    }));
    return all.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  }
}

const OK = 0;
const FAILED = 1;
const DURATIONS = 2;
const WIDTH = DURATIONS + BOUNDS;

/** Changes of its state that are kept of a server; one that changes more often is shaken in any minute. */
const MOST_CHANGES = 200;

/** States in which a server can be called, or is not wanted: `degraded` can be, and most calls of it fail. */
const FINE: ReadonlySet<UpstreamState> = new Set(['ready', 'dormant', 'disabled', 'closed']);

interface Change {
  readonly at: number;
  readonly isFine: boolean;
}

interface Kept {
  readonly rows: Uint32Array;
  /** Which minute each row is of. */
  readonly minutes: Float64Array;
  changes: readonly Change[];
  failures: number;
}

/** What each server did in the last half hour: 5 kB a server. */
export class ServerCourses {
  readonly #now: () => number;
  readonly #servers = new Map<string, Kept>();

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly observe: Observer = (observation) => {
    if (observation.kind === 'upstream-state') this.#noteState(observation);
    else if (observation.kind === 'call') this.#noteCall(observation);
  };

  of(slug: string): ServerCourse {
    const kept = this.#servers.get(slug);
    const last = Math.floor(this.#now() / MINUTE_MS);
    const minutes = Array.from({ length: MINUTES }, (_, index) => readMinute(kept, last - MINUTES + 1 + index));
    const since = kept?.changes.at(-1)?.at;
    return { minutes, failures: kept?.failures ?? 0, since };
  }

  #noteState({ upstream, state }: Extract<Observation, { kind: 'upstream-state' }>): void {
    // A start is no news: what comes of it is.
    if (state === 'starting') return;
    const kept = this.#keep(upstream);
    const before = kept.changes.at(-1)?.isFine;
    const isFine = FINE.has(state);
    if (isFine) kept.failures = 0;
    else if (state === 'waiting' || state === 'failed') kept.failures += 1;
    if (before !== isFine) kept.changes = [...kept.changes.slice(1 - MOST_CHANGES), { at: this.#now(), isFine }];
  }

  #noteCall({ upstream, code, durationMs }: Extract<Observation, { kind: 'call' }>): void {
    const outcome = outcomeOf(code);
    if (outcome === 'refused') return;
    const { rows, minutes } = this.#keep(upstream);
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const place = minute % MINUTES;
    const row = place * WIDTH;
    if (minutes[place] !== minute) rows.fill(0, row, row + WIDTH);
    minutes[place] = minute;
    for (const at of [row + (outcome === 'ok' ? OK : FAILED), row + DURATIONS + boundOf(durationMs)])
      rows[at] = (rows[at] ?? 0) + 1;
  }

  #keep(slug: string): Kept {
    return getOrMake(this.#servers, slug, () => {
      const rows = new Uint32Array(MINUTES * WIDTH);
      return { rows, minutes: new Float64Array(MINUTES), changes: [], failures: 0 };
    });
  }
}

function readMinute(kept: Kept | undefined, minute: number): CourseMinute {
  const at = minute * MINUTE_MS;
  if (kept === undefined) return { at, ok: 0, failed: 0, state: 'unknown' };
  const place = minute % MINUTES;
  const isCounted = kept.minutes[place] === minute;
  const row = isCounted ? kept.rows.subarray(place * WIDTH, (place + 1) * WIDTH) : new Uint32Array(WIDTH);
  const [ok = 0, failed = 0] = row;
  const durations = row.subarray(DURATIONS);
  const calls = ok + failed;
  const quantiles =
    calls === 0 ? {} : { median: quantile(durations, calls, 0.5), p95: quantile(durations, calls, 0.95) };
  return { at, ok, failed, ...quantiles, state: stateIn(kept.changes, at) };
}

/** How it was when the minute began, and what came in it. */
function stateIn(changes: readonly Change[], at: number): CourseMinute['state'] {
  const before = changes.findLast((change) => change.at < at);
  const within = changes.filter((change) => change.at >= at && change.at < at + MINUTE_MS);
  const seen = new Set([before, ...within].flatMap((change) => (change === undefined ? [] : [change.isFine])));
  if (seen.size === 0) return 'unknown';
  if (seen.size === 2) return 'shaken';
  return seen.has(true) ? 'up' : 'down';
}
