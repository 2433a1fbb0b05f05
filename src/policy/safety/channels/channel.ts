import { escapeInvisible } from '../../../base/lib/text.js';
import type { Challenge } from '../challenge.js';

/** What a person gets: the code, and what it agrees to. */
export interface Announcement {
  readonly challenge: Challenge;
  readonly code: string;
}

/** A way to people that no model can read. */
export interface ChallengeChannel {
  /** Where it leads, for the log: `webhook at https://...`. Holds no secret. */
  readonly name: string;
  /** Rejects, with a reason that holds no code, where it did not arrive. */
  send(announcement: Announcement): Promise<void>;
  close(): Promise<void>;
}

/** What a person should read before the code is passed on. */
export function describeAnnouncement({ challenge, code }: Announcement): string {
  const { agent, subject, action, reason, factors, id, expiresAt } = challenge;
  return [
    `Agent '${agent}' of ${subject} wants to do this:`,
    '',
    // The agent wrote it: marked line by line, it cannot write the lines around it.
    escapeInvisible(action).replace(/^/gm, '> '),
    '',
    `Why it was held: ${reason} (${factors.join('; ')})`,
    '',
    'Enter the code only if this is what you want, and do not pass it on before you have read the above.',
    '',
    `Code: ${code}`,
    `Challenge: ${id}, until ${new Date(expiresAt).toISOString()}`,
  ].join('\n');
}
