import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { REPOSITORY, type ServedGateway, serveGateway, shippedConfig } from '../support/served-gateway.js';
import { SHOP } from '../support/shop-server.js';
import { createPlayer, readTranscript, type TranscriptStep } from '../support/transcript.js';

/** The README says that a database stands beside the shipped servers. */
const SHIPPED = shippedConfig();

describe('the README', () => {
  let gateway: ServedGateway;
  let client: McpClient;
  let play: (step: TranscriptStep) => Promise<void>;

  beforeAll(async () => {
    gateway = await serveGateway({ ...SHIPPED, mcpServers: { ...SHIPPED.mcpServers, shop: SHOP } });
    client = await connectClient(gateway.url);
    play = createPlayer(gateway, client);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  const steps = readTranscript('README.md');

  it('has examples that can be replayed', () => {
    expect(steps.length).toBeGreaterThan(4);
  });

  it('is read in one go', () => {
    expect(readFileSync(join(REPOSITORY, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(201);
  });

  it.each(steps.map((step) => [step.title, step] as const))('shows a true answer: %s', (_title, step) => play(step));
});
