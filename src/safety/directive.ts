import type { SafetyMode } from '../config/safety-config.js';
import type { Hold, Verdict } from './evaluate-step.js';
import type { SafetyTier } from './rate-risk.js';

/** Whether an agent may go on (specification, section 8.7.1); the names of its members are the specification's. */
export interface AutonomyDirective {
  readonly continue: boolean;
  readonly factors: readonly string[];
  readonly stopped?: true;
  readonly reason?: string;
  readonly stepsRemaining?: number;
  readonly nextStepRisk?: SafetyTier;
  readonly notifications?: readonly AgentNotification[];
}

/** What an agent should know beside (specification, section 8.7.3). */
export interface AgentNotification {
  readonly type: 'permission_pending' | 'autonomy_pause' | 'danger_zone' | 'status' | 'error';
  readonly message: string;
  readonly metadata?: {
    readonly operation?: string;
    readonly reason?: string;
    readonly level?: string;
    readonly verificationId?: string;
  };
  /** ISO 8601. */
  readonly timestamp: string;
}

/** What a directive is made from. */
interface DirectiveParts {
  readonly verdict: Verdict;
  readonly stepsRemaining: number;
  readonly notifications: readonly AgentNotification[];
}

/** The directive of a mode in which steps are evaluated: only `enforcing` holds an agent, the other one says what would hold it. */
export function directiveOf(
  mode: SafetyMode,
  { verdict, stepsRemaining, notifications }: DirectiveParts,
): AutonomyDirective {
  const { hold, reason, factors, tier } = verdict;
  const holds = mode === 'enforcing' && hold !== undefined;
  return {
    continue: !holds,
    factors,
    ...(holds && hold === 'block' ? { stopped: true as const } : {}),
    ...(reason === undefined ? {} : { reason: holds ? reason : `Would be held in mode 'enforcing': ${reason}` }),
    stepsRemaining: Math.max(0, stepsRemaining),
    ...(tier === undefined ? {} : { nextStepRisk: tier }),
    ...(notifications.length === 0 ? {} : { notifications }),
  };
}

/** Of mode `logging`: the specification asks for both members in every mode. */
export const NOT_EVALUATED: AutonomyDirective = { continue: true, factors: ['not evaluated: logging mode'] };

const HOLDS: readonly Hold[] = ['confirm', 'verify', 'block'];

/** Whether one hold asks more of a person than another. */
export function isStricter(one: Hold, other: Hold): boolean {
  return HOLDS.indexOf(one) > HOLDS.indexOf(other);
}
