import type { UpstreamState } from '../observe/observation.js';
import type { CallCounts, UpstreamStatus } from './upstream.js';

/** From the one that says most for the upstream to the one that says least. */
const STATES: readonly UpstreamState[] = ['ready', 'degraded', 'starting', 'waiting', 'failed', 'dormant', 'closed'];

export const DOWN: ReadonlySet<UpstreamState> = new Set(['waiting', 'failed']);

/** The connection that speaks for all of an upstream; undefined where it has none. */
export function bestOf(statuses: readonly UpstreamStatus[]): UpstreamStatus | undefined {
  return statuses.toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))[0];
}

/** The calls of all connections of an upstream. */
export function countCalls(statuses: readonly UpstreamStatus[]): CallCounts {
  const sum = (of: (calls: CallCounts) => number): number => statuses.reduce((all, { calls }) => all + of(calls), 0);
  return { inFlight: sum(({ inFlight }) => inFlight), waiting: sum(({ waiting }) => waiting) };
}
