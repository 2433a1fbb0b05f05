import type { DangerLevel } from '../protocol/operation.js';
import { actionOf, alarmOf, type WordedDanger, worstOf } from './alarming-words.js';
import type { Hint } from './read-hint.js';
import { type MeantOperation, worstMeant } from './resolve-hint.js';

/** How an action of some risk is treated (specification, section 8.7.2). */
export type SafetyTier = 'advisory' | 'confirm' | 'verify' | 'danger_zone';

/** The highest score of each tier. */
const TIERS: readonly (readonly [SafetyTier, number])[] = [
  ['advisory', 30],
  ['confirm', 60],
  ['verify', 85],
  ['danger_zone', 100],
];

export function tierOf(score: number): SafetyTier {
  return TIERS.find(([, most]) => score <= most)?.[0] ?? 'danger_zone';
}

/** What an action risks, from 0 to 100, and why. */
export interface Risk {
  readonly score: number;
  readonly factors: readonly string[];
}

/** What is known of the agent that is about to act. */
export interface AgentHistory {
  /** How often it reported the same action before. */
  readonly repeated: number;
  /** How many of its steps have failed. */
  readonly failures: number;
}

/** The score of a danger level, within the range that the companion document "danger levels" gives it. */
const BASELINE: Readonly<Record<DangerLevel, number>> = {
  safe: 5,
  reversible: 22,
  destructive: 55,
  dangerous: 73,
  forbidden: 95,
};

/** An action of which nothing is known. */
const UNKNOWN = 28;

/** What repetition and failures add at most: they alone bring no action into the danger zone, and none that reads to a pause. */
const MOST_ADDED = 12;
const PER_REPETITION = 2;
const PER_FAILURE = 3;

/** Rates an action by the operation that it is about, by its words, and by what the agent did before. */
export function rateRisk(hint: Hint, meants: readonly MeantOperation[], { repeated, failures }: AgentHistory): Risk {
  const base = baseOf(hint, meants);
  const added = Math.min(MOST_ADDED, PER_REPETITION * Math.max(0, repeated - 1) + PER_FAILURE * failures);
  const isHeld = base.score > MOST_ADDED;
  return {
    score: isHeld ? Math.min(100, base.score + added) : base.score,
    factors: [
      ...base.factors,
      ...(isHeld && repeated > 1 ? [`the same action was reported ${repeated} times before`] : []),
      ...(isHeld && failures > 0 ? [`${failures} earlier step(s) failed`] : []),
    ],
  };
}

function baseOf(hint: Hint, meants: readonly MeantOperation[]): Risk {
  const operation = worstMeant(meants);
  const alarm = alarmOf(hint.words, hint.plain);
  const known = operation === undefined ? actionOf(hint.words) : describeOperation(operation);
  const worst = worstOf([known, alarm].filter((each): each is WordedDanger => each !== undefined));
  if (worst === undefined) return { score: UNKNOWN, factors: ['nothing is known of this action'] };
  return { score: BASELINE[worst.level], factors: [worst.reason] };
}

function describeOperation({ operation, danger, by, risks }: MeantOperation): WordedDanger {
  const subject = by === 'named' ? `operation '${operation.name}'` : `likely operation '${operation.name}'`;
  const why = [...risks, ...operation.classification.danger.reasons].slice(0, 2).join('; ');
  return { level: danger, reason: `${subject} is ${danger}: ${why}` };
}
