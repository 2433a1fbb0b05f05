import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';

/** A tool that reports what it is told to. */
const REPORTS = `{
  report: {
    tool: { inputSchema: { type: 'object', properties: { updates: { type: 'array' } } }, annotations: { readOnlyHint: true } },
    run: ({ updates }, { send }, { progressToken }) => {
      for (const update of updates) send({ method: 'notifications/progress', params: { progressToken, ...update } });
      return { content: [{ type: 'text', text: 'done' }] };
    },
  },
}`;

it.each(['legacy', 'auto'] as const)(
  'progress rises with every update that a client gets, and what is no number or text is left out (client %s)',
  async (mode) => {
    await using gateway = await hostGateway({
      endpoint: { mode: 'passthrough' },
      mcpServers: { reports: inlineServer(REPORTS) },
    });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const report = async (updates: readonly object[]): Promise<readonly object[]> => {
      const got: object[] = [];
      const onprogress = (update: object): unknown => got.push(update);
      await client.callTool({ name: 'report', arguments: { updates } }, { onprogress });
      return got;
    };
    expect(
      await report([
        { progress: 0, total: null, message: null },
        { progress: 1, total: '9' },
        { progress: 1, total: 9 },
        { progress: '2', total: 9 },
        { progress: 4, total: 9, message: 'nearly' },
        { progress: 4, total: 9, message: 'nearly' },
      ]),
    ).toEqual([{ progress: 0 }, { progress: 1 }, { progress: 4, total: 9, message: 'nearly' }]);
    const phases = await report([
      { progress: 100, total: 100, message: 'reading' },
      { progress: 50, total: 100, message: 'writing' },
      { progress: 50, total: 100, message: 'checking' },
      { progress: 120 },
    ]);
    const values = phases.map((each) => (each as { readonly progress: number }).progress);
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
    expect(phases).toMatchObject([
      { message: 'reading' },
      { message: 'writing' },
      { message: 'checking' },
      { progress: 120 },
    ]);
    await client.close();
  },
);
