interface DecisionFacts {
  /** The strictest of those that apply decides: the highest. */
  readonly strictness: number;
  /** When a call runs. */
  readonly runs: 'freely' | 'when agreed' | 'never';
  /** What a rule of this decision does to a call, and what was decided, in words. */
  readonly verb: string;
  readonly outcome: string;
}

/** What policy may decide about a call, and all that follows from it: whoever adds a decision is asked for it here. */
export const DECISIONS = {
  allow: { strictness: 0, runs: 'freely', verb: 'allows', outcome: 'Allowed' },
  confirm: { strictness: 1, runs: 'when agreed', verb: 'confirms', outcome: 'Needs confirmation' },
  deny: { strictness: 2, runs: 'never', verb: 'denies', outcome: 'Denied' },
} as const satisfies Readonly<Record<string, DecisionFacts>>;

export type Decision = keyof typeof DECISIONS;

/** When a call runs of which this was decided. */
export const whenRuns = (decision: Decision): DecisionFacts['runs'] => DECISIONS[decision].runs;

export const strictnessOf = (decision: Decision): number => DECISIONS[decision].strictness;
