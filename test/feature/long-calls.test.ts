import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const EXECUTE = 'mcp_aql_execute';
/** Shorter than a whole call that reports progress, longer than the pauses between its reports. */
const TIMEOUT_MS = 1_000;

let gateway: ServedGateway;

beforeAll(async () => {
  gateway = await serveGateway({
    log: { level: 'debug' },
    mcpServers: {
      behaviour: {
        ...behaviourServer(),
        timeoutMs: TIMEOUT_MS,
        operations: { '*': { category: 'EXECUTE', danger: 'safe' } },
      },
    },
  });
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

describe.each(['auto', 'legacy'] as const)('a long call of a client in mode %s', (mode) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectClient(gateway.url, mode);
  });
  afterAll(() => client?.[Symbol.asyncDispose]());

  const callTool = (operation: string, params: object, options: object) =>
    client.client.callTool({ name: EXECUTE, arguments: { operation, params } }, options);

  it('passes progress on with the caller’s own token and does not time out while progress arrives', async () => {
    const steps: unknown[] = [];
    const result = await callTool(
      'progress',
      { steps: 4, every_ms: 400 },
      { onprogress: (step: unknown) => steps.push(step) },
    );
    expect(JSON.stringify(result)).toContain('done');
    expect(steps).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4, message: `step ${progress}` })));
  });

  it('does not time out while progress arrives that the caller did not ask for', async () => {
    expect(JSON.stringify(await callTool('progress', { steps: 4, every_ms: 400 }, {}))).toContain('done');
  });

  it('is cancelled at the upstream when the caller cancels it', async () => {
    const key = `cancel-${mode}`;
    const controller = new AbortController();
    const call = callTool('hold', { key }, { signal: controller.signal });
    await gateway.logged(`holding ${key}`);
    controller.abort();
    await expect(call).rejects.toThrow();
    await gateway.logged(`cancelled ${key}`);
  });
});
