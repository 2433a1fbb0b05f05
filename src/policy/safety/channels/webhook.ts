import { createDeliveries } from '../../approvals/signed-deliveries.js';
import { describeChallenge } from '../challenge.js';
import type { Announcement, ChallengeChannel } from './channel.js';

/** Posts each challenge with its code as signed JSON, as requests for approval are posted. */
export function openWebhookChannel(target: { readonly url: string; readonly secret: string }): ChallengeChannel {
  const deliveries = createDeliveries(target);
  return {
    name: `webhook at ${new URL(target.url).origin}`,
    send: (announcement) =>
      new Promise((resolve, reject) => {
        deliveries.send(write(announcement), (failure) => {
          if (failure === undefined) resolve();
          else reject(new Error(failure));
        });
      }),
    close: deliveries.close,
  };
}

function write({ challenge, code }: Announcement): string {
  return JSON.stringify({
    type: 'challenge.issued',
    challenge: describeChallenge(challenge, challenge.issuedAt),
    code,
  });
}
