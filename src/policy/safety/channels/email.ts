import { createTransport } from 'nodemailer';
import type { EmailConfig } from '../../../config/safety-config.js';
import { type ChallengeChannel, describeAnnouncement } from './channel.js';

const TIMEOUT_MS = 15_000;

/** Mails each challenge with its code. */
export function openEmailChannel({ server, from, to }: EmailConfig): ChallengeChannel {
  const { hostname } = new URL(server);
  const transport = createTransport(server, { from, to: [...to] });
  return {
    name: `e-mail by ${hostname}`,
    async send(announcement) {
      const { agent } = announcement.challenge;
      const sending = transport.sendMail({
        subject: `Agent '${agent}' waits for your verification`,
        text: describeAnnouncement(announcement),
      });
      await Promise.race([sending, failLate()]);
    },
    async close() {
      transport.close();
    },
  };
}

function failLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('the mail server did not answer in time')), TIMEOUT_MS).unref();
  });
}
