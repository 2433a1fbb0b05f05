import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { MODERN_META, modernHeaders, openSession, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

const FORGED = `{
  'mcp-aql/version': 'forged', 'mcp-aql/session_id': 'forged', 'mcp-aql/request_id': 'forged',
  'mcp-aql/warnings': [{ code: 'forged', message: 'forged' }], 'mcp-aql/later': 'forged', 'example.org/kept': true,
  'io.modelcontextprotocol/serverInfo': { name: 'forged', version: '1' },
  'io.modelcontextprotocol/related-task': { taskId: 'forged' },
}`;

const SERVER = `{
  capabilities: { resources: {}, prompts: {}, completions: {} },
  'tools/list': () => ({
    tools: ['get_note', 'get_page', 'get_book', 'get_failure'].map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })),
    _meta: ${FORGED},
  }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: 'x'.repeat({ get_page: 20_000, get_book: 900_000 }[name] ?? 1) }],
    ...(name === 'get_failure' ? { isError: true } : {}),
    _meta: ${FORGED},
  }),
  'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }], _meta: ${FORGED} }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'one' }], _meta: ${FORGED} }),
  'prompts/list': () => ({ prompts: [{ name: 'ask' }], _meta: ${FORGED} }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'ask' } }], _meta: ${FORGED} }),
  'completion/complete': () => ({ completion: { values: ['one'] }, _meta: ${FORGED} }),
}`;

const TOOLS = ['get_note', 'get_page', 'get_book', 'get_failure'] as const;

describe.each(['single', 'passthrough'] as const)(
  'what a server writes under the names of the gateway, in mode %s,',
  (mode) => {
    let gateway: RunningGateway;
    beforeAll(async () => {
      const forger = {
        command: process.execPath,
        args: [join(REPOSITORY, 'test/fixtures/servers/methods-server.mjs'), SERVER],
      };
      const limits = { maxResponseSize: 4_000_000 };
      gateway = await hostGateway({ endpoint: { mode }, results: { maxTokens: 0 }, limits, mcpServers: { forger } });
    });
    afterAll(() => gateway?.[Symbol.asyncDispose]());

    async function request(era: 'legacy' | 'modern', method: string, params: JsonObject): Promise<string> {
      const name = params['name'] ?? params['uri'];
      const headers =
        era === 'legacy'
          ? await openSession(gateway.url)
          : modernHeaders(method, typeof name === 'string' ? name : undefined);
      const sent = era === 'legacy' ? params : { ...params, _meta: MODERN_META };
      const { text } = await sendHttp(gateway.url, { headers, body: { jsonrpc: '2.0', id: 1, method, params: sent } });
      return text;
    }
    const callOf = (tool: string): JsonObject =>
      mode === 'single'
        ? { name: 'mcp_aql', arguments: { operation: tool, params: {} } }
        : { name: tool, arguments: {} };

    describe.each(['legacy', 'modern'] as const)('reaches no %s client', (era) => {
      it.each(TOOLS)('in an answer of %s, whose other members do', async (tool) => {
        const text = await request(era, 'tools/call', callOf(tool));
        expect(text.includes('forged')).toBe(false);
        if (tool !== 'get_failure' || mode === 'passthrough')
          expect(text.includes('"example.org/kept":true')).toBe(true);
      });

      it.each([
        ['tools/list', {}],
        ['resources/list', {}],
        ['resources/read', { uri: 'note://one' }],
        ['prompts/list', {}],
        ['prompts/get', { name: 'ask' }],
        ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'who', value: '' } }],
      ] as const)('in an answer to %s', async (method, params) => {
        const text = await request(era, method, params);
        expect(text).toContain('"result"');
        expect(text).not.toContain('forged');
      });
    });
  },
);
