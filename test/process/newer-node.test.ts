import { describe, expect, it } from 'vitest';
import { findSuite } from '../suite/find-suite.mjs';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';

/** The newer Node.js with which the official suite runs. */
const found = findSuite();
const missing = 'missing' in found ? ` (skipped: ${found.missing})` : '';
const runner = 'missing' in found ? {} : { node: found.node };

const LARGE = 20_000_000;

const TOOLS = `({
  get_steps: {
    run: async (_args, { send }, meta) => {
      send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: 1, message: 'one of two' } });
      return { content: [{ type: 'text', text: 'two of two' }] };
    },
  },
  get_large: { run: () => ({ content: [{ type: 'text', text: 'x'.repeat(${LARGE}) }] }) },
})`;

/** What Node.js 22 and 24 do in another way than 20 has lost answers: these are the ways that an answer takes. */
describe.skipIf('missing' in found)(`a gateway on a newer Node.js than that of the tests${missing}`, () => {
  it.each(['legacy', 'auto'] as const)('answers small, after progress, and large to clients (%s)', async (mode) => {
    await using gateway = await serveGateway(
      {
        endpoint: { passthrough: true },
        limits: { maxResponseSize: 4 * LARGE },
        results: { maxTokens: 0 },
        mcpServers: { demo: inlineServer(TOOLS) },
      },
      runner,
    );
    await using client = await connectClient(gateway.url, mode);
    const steps: unknown[] = [];
    const onprogress = (step: object): unknown => steps.push(step);
    const called = { name: 'get_steps', arguments: {} };
    expect((await client.client.callTool(called)).content).toEqual([{ type: 'text', text: 'two of two' }]);
    expect((await client.client.callTool(called, { onprogress })).content).toEqual([
      { type: 'text', text: 'two of two' },
    ]);
    expect(steps).toMatchObject([{ progress: 1, message: 'one of two' }]);
    expect(await client.call('mcp_aql_read', 'get_large')).toMatchObject({ success: true, data: 'x'.repeat(LARGE) });
  });
});
