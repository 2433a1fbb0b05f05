import type { Block } from './blocks.js';
import type { AgentNotification } from './directive.js';
import type { Run } from './runs.js';

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
