import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectClient } from '../support/mcp-client.js';
import { REPOSITORY, serveGateway, shippedConfig } from '../support/served-gateway.js';
import { createPlayer, readTranscript } from '../support/transcript.js';

describe('the transcript in docs/security.md', () => {
  it('shows what a client sees, step by step', async () => {
    const text = readFileSync(join(REPOSITORY, 'docs/security.md'), 'utf8');
    const [, policy = ''] = /```json policy\n(.*?)```/s.exec(text) ?? [];
    await using gateway = await serveGateway({ ...shippedConfig(), ...(JSON.parse(policy) as object) });
    await using client = await connectClient(gateway.url);
    const play = createPlayer(gateway, client);
    const steps = readTranscript('docs/security.md');
    expect(steps.map(({ kind }) => kind)).toContain('operator');
    for (const step of steps) await play(step);
  });
});
