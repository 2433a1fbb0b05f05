import type { Observations } from './evidence.js';

/** What was found about a clause: how many cases were looked at, and what is wrong with which. */
export interface Finding {
  readonly cases: number;
  readonly faults: readonly string[];
  readonly note?: string | undefined;
}

/** One demand of the specification, and how the observations are judged by it. */
export interface Clause {
  readonly id: string;
  readonly level: 1 | 2;
  /** What the demand is to the level: a level is met when nothing that it MUST do fails. */
  readonly strength: 'MUST' | 'SHOULD';
  /** Where it stands in the specification. */
  readonly section: string;
  /** The demand, in one sentence. */
  readonly demand: string;
  /** A text instead of a finding says why the clause cannot be judged or does not apply. */
  readonly judge: (seen: Observations) => Finding | string;
}

/** A finding over cases: the faults of those that have one. */
export function examine<Case>(
  cases: Iterable<Case>,
  faultOf: (one: Case) => string | undefined,
  note?: string,
): Finding {
  const all = [...cases];
  const faults = all.map(faultOf).filter((fault) => fault !== undefined);
  return { cases: all.length, faults, note };
}
