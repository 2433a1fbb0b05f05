import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectClient } from '../support/mcp-client.js';
import { REPOSITORY, serveGateway, shippedConfig } from '../support/served-gateway.js';
import { createPlayer, readTranscript } from '../support/transcript.js';
import { startReceiver } from '../unit/policy/approvals/webhook-receiver.js';

const DOCUMENT = 'docs/safety-loop.md';
const TOKEN = 'alice-has-a-long-token';

it('shows in docs/safety-loop.md what an agent and a person see, step by step', async () => {
  const text = readFileSync(join(REPOSITORY, DOCUMENT), 'utf8');
  const [, config = ''] = /```json config\n(.*?)```/s.exec(text) ?? [];
  await using receiver = await startReceiver();
  const shown = JSON.parse(config.replace('https://ops.example', receiver.url)) as object;
  await using gateway = await serveGateway(
    { ...shippedConfig(), ...shown },
    { files: { 'alice.token': TOKEN, 'webhook.secret': 'a-secret-of-the-webhook' } },
  );
  await using client = await connectClient(gateway.url, 'auto', { token: TOKEN });
  const delivered = async (): Promise<string> => {
    await receiver.received(1);
    return receiver.posts.at(-1)?.body ?? '';
  };
  const play = createPlayer(gateway, client, delivered);
  const steps = readTranscript(DOCUMENT);
  expect(steps.map(({ kind }) => kind)).toContain('delivered');
  for (const step of steps) await play(step);
});
