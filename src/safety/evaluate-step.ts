import { RISK_TOLERANCES, type RiskTolerance } from '../config/safety-config.js';
import type { PatternMatch } from './match-patterns.js';
import { type Risk, type SafetyTier, tierOf } from './rate-risk.js';

/** How the last step ended, as its agent says. */
export const OUTCOMES = ['success', 'failure', 'skipped'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What holds an agent up: a pause until a person confirms, one until a code is entered, or a block until a code is entered. */
export type Hold = 'confirm' | 'verify' | 'block';

/** What is known when an agent reports a step. */
export interface StepFacts {
  /** Steps since a person last confirmed that it may go on, with this one. */
  readonly count: number;
  readonly maxAutonomousSteps: number;
  readonly outcome?: Outcome;
  readonly pattern?: PatternMatch;
  readonly riskTolerance: RiskTolerance;
  /** What a person has agreed to of this very action: `confirm` all but codes, `verify` all but a pattern that denies. */
  readonly agreed?: 'confirm' | 'verify';
  /** Rates the action; asked only where a stage needs it. */
  readonly risk: () => Risk;
}

/** What the evaluation of one step says. */
export interface Verdict {
  /** Absent where the agent may go on. */
  readonly hold?: Hold;
  readonly reason?: string;
  readonly factors: readonly string[];
  readonly score?: number;
  readonly tier?: SafetyTier;
}

/** What a stage says; undefined where it has nothing to say and the next one follows. */
type Stage = (facts: StepFacts) => Verdict | undefined;

/** The stages of the specification, section 8.7.2, in their order: the first that says something ends the evaluation. */
const STAGES: readonly Stage[] = [limitSteps, readOutcome, applyPattern, applyTier, applyTolerance];

export function evaluateStep(facts: StepFacts): Verdict {
  for (const stage of STAGES) {
    const verdict = stage(facts);
    if (verdict !== undefined) return verdict;
  }
  return { ...rated(facts.risk()) };
}

function limitSteps({ count, maxAutonomousSteps }: StepFacts): Verdict | undefined {
  if (count <= maxAutonomousSteps) return undefined;
  const factors = [`step ${count}, and ${maxAutonomousSteps} are allowed without a person`];
  return { hold: 'confirm', reason: 'Step limit exceeded', factors };
}

function readOutcome({ outcome, agreed }: StepFacts): Verdict | undefined {
  if (outcome !== 'failure' || agreed !== undefined) return undefined;
  return { hold: 'confirm', reason: 'The previous step failed', factors: ["the previous step's outcome is 'failure'"] };
}

function applyPattern({ pattern, agreed }: StepFacts): Verdict | undefined {
  if (pattern === undefined) return undefined;
  const factors = [`the action matches '${pattern.pattern}' of ${pattern.list}`];
  if (pattern.list === 'deny') return { hold: 'block', reason: 'The operator denies this action', factors };
  if (pattern.list === 'autoApprove') return { factors };
  if (agreed !== undefined) return undefined;
  return { hold: 'confirm', reason: 'A person has to approve this action', factors };
}

function applyTier({ risk, agreed }: StepFacts): Verdict | undefined {
  const verdict = rated(risk());
  if (agreed === 'verify') return { ...verdict, factors: [...verdict.factors, 'a person verified this action'] };
  if (verdict.tier === 'danger_zone') return { ...verdict, hold: 'block', reason: 'The action is in the danger zone' };
  if (verdict.tier === 'verify') return { ...verdict, hold: 'verify', reason: 'A person has to verify this action' };
  return undefined;
}

/** Decides what tiers leave open: an advisory score only pauses where the tolerance is below it, a confirm score only where it is too. */
function applyTolerance({ risk, riskTolerance, agreed }: StepFacts): Verdict | undefined {
  const verdict = rated(risk());
  const most = RISK_TOLERANCES[riskTolerance];
  if (verdict.score <= most) return undefined;
  if (agreed !== undefined) return { ...verdict, factors: [...verdict.factors, 'a person confirmed this action'] };
  const factors = [...verdict.factors, `above ${most}, the most for risk tolerance '${riskTolerance}'`];
  return { ...verdict, hold: 'confirm', reason: 'A person has to confirm this action', factors };
}

function rated({ score, factors }: Risk): Verdict & { readonly score: number } {
  const tier = tierOf(score);
  return { score, tier, factors: [`risk ${score} of 100 (${tier})`, ...factors] };
}
