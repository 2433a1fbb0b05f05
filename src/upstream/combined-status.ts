import type { Observation, Observer, UpstreamState } from '../base/observe/observation.js';
import type { CallCounts, UpstreamStatus } from './upstream.js';

/** From the one that says most for the upstream to the one that says least. */
const STATES: readonly UpstreamState[] = ['ready', 'degraded', 'starting', 'waiting', 'failed', 'dormant', 'closed'];

const DOWN: ReadonlySet<UpstreamState> = new Set(['waiting', 'failed']);

export function isDown(state: UpstreamState): boolean {
  return DOWN.has(state);
}

/** The connection that speaks for all of an upstream; undefined where it has none. */
export function bestOf(statuses: readonly UpstreamStatus[]): UpstreamStatus | undefined {
  return statuses.toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))[0];
}

/** The calls of all connections of an upstream. */
export function countCalls(statuses: readonly UpstreamStatus[]): CallCounts {
  const sum = (of: (calls: CallCounts) => number): number => statuses.reduce((all, { calls }) => all + of(calls), 0);
  return { inFlight: sum(({ inFlight }) => inFlight), waiting: sum(({ waiting }) => waiting) };
}

/** Different lists of tools that are reported. */
const MOST_LISTS_REPORTED = 20;

interface CombinedNewsOptions {
  readonly slug: string;
  readonly observe: Observer;
  /** Of all connections together; undefined where there is only one for all callers. */
  readonly state: () => UpstreamState | undefined;
}

/** What one of several connections becomes is news of the upstream where it changes what the upstream is. */
export class CombinedNews {
  readonly #options: CombinedNewsOptions;
  readonly #reported = new Set<string>();
  shownState: UpstreamState = 'starting';

  constructor(options: CombinedNewsOptions) {
    this.#options = options;
  }

  /** Once. */
  report(message: string): void {
    if (this.#reported.has(message) || this.#reported.size >= MOST_LISTS_REPORTED) return;
    this.#reported.add(message);
    this.#options.observe({ kind: 'diagnostic', severity: 'warning', upstream: this.#options.slug, message });
  }

  noteDormant(): void {
    if (this.shownState === 'dormant') return;
    this.shownState = 'dormant';
    const message = 'dormant: no caller uses it; the next call starts it';
    this.#options.observe({ kind: 'upstream-state', upstream: this.#options.slug, state: 'dormant', message });
  }

  readonly observe = (observation: Observation): void => {
    const { slug, observe } = this.#options;
    const state = observation.kind === 'upstream-state' ? this.#options.state() : undefined;
    if (observation.kind !== 'upstream-state' || state === undefined) {
      observe(observation);
      return;
    }
    const isNews = state !== this.shownState;
    this.shownState = state;
    const level = isDown(observation.state) ? 'warn' : 'debug';
    const message = `${slug}: one of its connections: ${observation.message}`;
    observe(isNews ? { ...observation, state } : { kind: 'notice', level, message });
  };
}
