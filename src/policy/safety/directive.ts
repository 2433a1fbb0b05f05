import type { AgentSettings, SafetyMode } from '../../config/safety-config.js';
import type { Block } from './blocks.js';
import type { Hold, SafetyTier, Verdict } from './evaluate-step.js';
import type { Run } from './runs.js';

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
interface AgentNotification {
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

/** What an agent is told at its start: how its reports are judged, where they are. */
export function startDirective(
  mode: SafetyMode,
  { maxAutonomousSteps: steps, riskTolerance }: AgentSettings,
): AutonomyDirective {
  if (mode === 'logging')
    return {
      continue: true,
      factors: ['started: report each action before it; in mode logging reports are kept, and nothing is held'],
    };
  const factor = `started with ${steps} steps and risk tolerance '${riskTolerance}': report each action before it`;
  const held = mode === 'monitoring' ? '; in mode monitoring nothing is held' : '';
  return { continue: true, factors: [`${factor}${held}`], stepsRemaining: steps };
}

/** Of mode `logging`: the specification asks for both members in every mode. */
export const NOT_EVALUATED: AutonomyDirective = { continue: true, factors: ['not evaluated: logging mode'] };

const HOLDS: readonly Hold[] = ['confirm', 'verify', 'block'];

/** Whether one hold asks more of a person than another. */
export function isStricter(one: Hold, other: Hold): boolean {
  return HOLDS.indexOf(one) > HOLDS.indexOf(other);
}

/** What a run is told: what is pending stays until it is answered, and what has happened comes once. */
export function noticesFor(run: Run, blocks: readonly Block[]): readonly AgentNotification[] {
  return [...describePause(run), ...describePending(run), ...describeBlocks(run, blocks), ...describeNews(run)];
}

function describePause({ pause }: Run): readonly AgentNotification[] {
  // A block is announced to all agents, this one among them.
  if (pause === undefined || pause.kind === 'block') return [];
  const { reason, factors, challenge, since } = pause;
  const isVerified = pause.kind === 'verify';
  const way = isVerified
    ? `A person gets a code; 'verify_challenge' with this id and the code ends the pause`
    : `Another person or client has to confirm it with 'confirm_operation'`;
  return [
    {
      type: 'autonomy_pause',
      message: `${reason}. ${way}`,
      metadata: { reason: factors.join('; '), ...(isVerified ? { verificationId: challenge } : {}) },
      timestamp: timeOf(since),
    },
  ];
}

function describePending({ pending }: Run): readonly AgentNotification[] {
  return pending.map(({ operation, level, reason, since }) => ({
    type: 'permission_pending',
    message: `Operation '${operation}' waits to be confirmed: the answer to its call says how`,
    metadata: { operation, reason, level },
    timestamp: timeOf(since),
  }));
}

/** Every agent learns of every block that came while it ran. What other clients call their agents is not passed on. */
function describeBlocks({ subject, startedAt }: Run, blocks: readonly Block[]): readonly AgentNotification[] {
  return blocks
    .filter((block) => block.since >= startedAt || block.subject === subject)
    .map((block) => {
      const isOwn = block.subject === subject;
      const message = isOwn
        ? `Agent '${block.agent}' is blocked: ${block.reason}. Stop now. A person gets a code; 'verify_challenge' with this id and the code lifts the block`
        : `An agent of another client is blocked: ${block.reason}`;
      return {
        type: 'danger_zone',
        message,
        metadata: { reason: block.reason, verificationId: block.challenge },
        timestamp: timeOf(block.since),
      };
    });
}

function describeNews({ news }: Run): readonly AgentNotification[] {
  return news.map(({ message, at }) => ({ type: 'status', message, timestamp: timeOf(at) }));
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}
