import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';

/** By format: a value that servers take, and one that no reading accepts. */
const VALUES: Readonly<Record<string, readonly [good: string, bad: string]>> = {
  time: ['10:30:00', 'noon'],
  'date-time': ['2026-11-28T10:00:00', 'tomorrow'],
  duration: ['PT0.5S', 'half a second'],
  email: ['jörg@x.org', 'nowhere'],
};

const properties = Object.fromEntries(Object.keys(VALUES).map((format) => [format, { type: 'string', format }]));
const tool = `{ get_slot: {
  tool: ${JSON.stringify({ description: 'A slot.', inputSchema: { type: 'object', properties }, annotations: { readOnlyHint: true } })},
  run: (args) => ({ structuredContent: { got: args }, content: [{ type: 'text', text: JSON.stringify({ got: args }) }] }),
} }`;

describe.each(['single', 'passthrough'] as const)('in %s mode', (mode) => {
  const callsOf = async (more: object) => {
    const gateway = await openLiveGateway({ endpoint: { mode }, mcpServers: { calendar: inlineServer(tool, more) } });
    const client = await gateway.connect('http', 'modern');
    const call = async (params: JsonObject): Promise<string> => {
      const request =
        mode === 'single'
          ? { name: 'mcp_aql', arguments: { operation: 'get_slot', params } }
          : { name: 'get_slot', arguments: params };
      const { content } = await client.callTool(request);
      return (content as { text: string }[])[0]?.text ?? '';
    };
    return { call, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
  };

  it('a format refuses only what no reading of it accepts, and sends the rest as it is', async () => {
    await using gateway = await callsOf({});
    for (const [format, [good, bad]] of Object.entries(VALUES)) {
      const key = format.replace('-', '_');
      const name = mode === 'single' ? key : format;
      expect(JSON.parse(await gateway.call({ [name]: good }))).toMatchObject(
        mode === 'single' ? { data: { got: { [format]: good } } } : { got: { [format]: good } },
      );
      expect(await gateway.call({ [name]: bad })).toContain('VALIDATION_PATTERN_MISMATCH');
    }
  });

  it('a format refuses what its standard does not allow where its operator says so', async () => {
    await using gateway = await callsOf({ formats: 'strict' });
    expect(await gateway.call({ time: '10:30:00' })).toContain('VALIDATION_PATTERN_MISMATCH');
  });
});
