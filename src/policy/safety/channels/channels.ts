import type { Observer } from '../../../base/observe/observation.js';
import type { GatewayConfig } from '../../../config/gateway-config.js';
import { hasOperators } from '../../../config/policy-config.js';
import type { AuditTrail } from '../../audit/audit-trail.js';
import type { Announce } from '../challenges.js';
import type { Announcement, ChallengeChannel } from './channel.js';

interface ChannelDeps {
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly observe: Observer;
}

/** Announces challenges on every channel that is configured. */
export async function openChannels(
  { safetyLoop, policy }: Pick<GatewayConfig, 'safetyLoop' | 'policy'>,
  { audit, observe }: ChannelDeps,
): Promise<{ readonly announce: Announce; close(): Promise<void> }> {
  const channels = await openConfigured(safetyLoop.challenge.channels);
  if (channels.length === 0 && !hasOperators(policy.approvals) && safetyLoop.mode === 'enforcing') {
    const message =
      'The safety loop has no way to bring a code to a person: set safetyLoop.challenge.channels or policy.approvals.operators. Until then only `agents` at the command line lifts pauses and blocks';
    observe({ kind: 'notice', level: 'warn', message });
  }
  const sending = new Set<Promise<void>>();
  const deliver = async (channel: ChallengeChannel, announcement: Announcement): Promise<void> => {
    const { id, agent, subject, execution } = announcement.challenge;
    const about = { type: 'safety', agent, subject, execution, challenge: id, actor: {} } as const;
    try {
      await channel.send(announcement);
      audit.record({ ...about, event: 'CHALLENGE_DELIVERED', reason: channel.name });
    } catch (cause) {
      const why = withoutCode(cause instanceof Error ? cause.message : 'unknown reason', announcement.code);
      audit.record({ ...about, event: 'CHALLENGE_UNDELIVERED', reason: `${channel.name}: ${why}` });
      observe({ kind: 'notice', level: 'warn', message: `${channel.name} did not get challenge '${id}': ${why}` });
    }
  };
  return {
    announce(challenge, code) {
      for (const channel of channels) {
        const delivery = deliver(channel, { challenge, code }).finally(() => sending.delete(delivery));
        sending.add(delivery);
      }
    },
    async close() {
      await Promise.all(channels.map((channel) => channel.close()));
      await Promise.all(sending);
    },
  };
}

/** Each channel is loaded where it is configured, so that its packages cost nobody else a start. */
async function openConfigured({
  webhook,
  email,
}: GatewayConfig['safetyLoop']['challenge']['channels']): Promise<readonly ChallengeChannel[]> {
  return [
    ...(webhook === undefined ? [] : [(await import('./webhook.js')).openWebhookChannel(webhook)]),
    ...(email === undefined ? [] : [(await import('./email.js')).openEmailChannel(email)]),
  ];
}

/** A receiver that fails may repeat what it was sent. */
function withoutCode(text: string, code: string): string {
  return text.replaceAll(code, '[code]').slice(0, LONGEST_REASON);
}

const LONGEST_REASON = 300;
