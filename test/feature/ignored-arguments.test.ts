import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';

const TOOLS = `{
  get_note: {
    tool: {
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { id: { type: 'string' }, action: { type: 'string' } } },
    },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify({ got: args }) }] }),
  },
}`;

const ADDED = { toolCallId: 'x', chatInput: 'hello', sessionId: 's', action: 'look' };

const TOKENS = { n8n: 'n8n-has-a-token-of-its-own', other: 'other-has-a-token-of-its-own' };

it.each(['single', 'passthrough'] as const)(
  'what a client adds to its calls is dropped for it alone, with a warning, unless the operation has it (%s)',
  async (mode) => {
    await using gateway = await openLiveGateway({
      endpoint: { mode },
      clients: {
        n8n: { token: TOKENS.n8n, ignoreArguments: ['toolCallId', 'chat*', 'sessionId', 'action'] },
        other: { token: TOKENS.other },
      },
      mcpServers: {
        notes: inlineServer(TOOLS, { operations: { get_note: { unknownParameters: 'refuse' } } }),
      },
    });
    for (const place of mode === 'single' ? ['inside', 'beside'] : ['inside']) {
      const inside = { id: 'a', ...(place === 'inside' && ADDED) };
      const request =
        mode === 'single'
          ? { name: 'mcp_aql', arguments: { operation: 'get_note', params: inside, ...(place === 'beside' && ADDED) } }
          : { name: 'get_note', arguments: inside };
      const answers: JsonObject[] = [];
      for (const token of Object.values(TOKENS)) {
        const client = await gateway.connect('http', 'modern', token);
        const { content, _meta } = await client.callTool(request);
        answers.push({ ...JSON.parse((content as { text: string }[])[0]?.text ?? ''), _meta });
      }
      const [mine, others] = answers;
      const got = { id: 'a', action: 'look' };
      expect(mine).toMatchObject(mode === 'single' ? { data: { got } } : { got });
      expect(JSON.stringify(mine)).toContain('VALIDATION_ARGUMENT_IGNORED_WARNING');
      expect(JSON.stringify(mine)).toContain('toolCallId');
      expect(others).toMatchObject({ error: { code: 'VALIDATION_UNKNOWN_PARAM' } });
    }
  },
);
