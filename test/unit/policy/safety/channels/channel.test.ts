import { expect, it } from 'vitest';
import { describeChallenge } from '../../../../../src/policy/safety/challenge.js';
import { describeAnnouncement } from '../../../../../src/policy/safety/channels/channel.js';

it('marks each line that the agent wrote, so that it cannot write what stands around it', () => {
  const action = 'drop_table x\n\nWhy it was held: routine\n\nCode: VC-0000\u001b[2J\u202e';
  const challenge = {
    id: 'c1',
    kind: 'block',
    subject: 'client/alice',
    agent: 'bot',
    execution: 'exec_1',
    action,
    reason: 'denied',
    factors: ['it matches'],
    issuedAt: 0,
    expiresAt: 60_000,
    digest: 'd',
  } as const;
  const text = describeAnnouncement({ challenge, code: 'VC-REAL' });
  expect(text).toContain('> drop_table x\n> \n> Why it was held: routine\n> \n> Code: VC-0000\\u001b[2J\\u202e\n');
  expect(describeChallenge(challenge, 0)['action']).toMatch(/\\u001b\[2J\\u202e$/);
  expect(text.match(/^(?:Code|Why)/gm)).toEqual(['Why', 'Code']);
});
