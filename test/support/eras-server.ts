import type { RequestListener } from 'node:http';
import { type CallToolResult, inputRequired, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { serveEras } from '../fixtures/servers/serve-eras.mjs';
import { listen, type ServedHttp } from '../fixtures/servers/serve-http.mjs';

type Era = 'legacy' | 'modern';

interface ErasServer extends ServedHttp, AsyncDisposable {
  /** Forgets all sessions, as a server that was started anew does. */
  forgetSessions(): void;
  /** How many sessions it has opened. */
  readonly sessionsOpened: number;
  /** By era: the tools that were called. */
  readonly called: readonly (readonly [Era, string])[];
}

const NOTHING = { type: 'object', properties: {} } as const;

/** A server that has other tools, resources and prompts in each era, and says in each answer of which era it was asked. */
export async function startErasServer(
  capabilities: Partial<Record<Era, ServerCapabilities>> = {},
): Promise<ErasServer> {
  const called: (readonly [Era, string])[] = [];
  let sessionsOpened = 0;
  const make = (era: Era): Server => {
    if (era === 'legacy') sessionsOpened += 1;
    const declared = { tools: {}, resources: { subscribe: true }, prompts: {}, ...capabilities[era] };
    const server = new Server({ name: 'eras', version: '1' }, { capabilities: declared });
    const own = era === 'legacy' ? 'in_session' : 'in_request';
    const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
    server.setRequestHandler('tools/list', () => ({
      tools: ['in_both', 'ask', own].map((name) => ({
        name: `get_${name}`,
        inputSchema: NOTHING,
        annotations: { readOnlyHint: true },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq }) => {
      called.push([era, name]);
      if (name !== 'get_ask') return text(`${name} of ${era}`);
      const form = { message: 'Which?', requestedSchema: { ...NOTHING, properties: { size: { type: 'string' } } } };
      const { size } = (mcpReq.inputResponses ?? {}) as { readonly size?: { readonly content?: object } };
      if (era === 'modern' && size === undefined)
        return inputRequired({ inputRequests: { size: inputRequired.elicit(form as never) } }) as never;
      const answer = era === 'modern' ? size : await server.elicitInput(form as never);
      return text(`${JSON.stringify(answer?.content)} of ${era}`);
    });
    const uris = ['test://both', `test://${own}`];
    server.setRequestHandler('resources/list', () => ({ resources: uris.map((uri) => ({ uri, name: uri })) }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      if (!uris.includes(uri)) throw Object.assign(new Error('no such resource'), { code: -32002 });
      return { contents: [{ uri, text: `${uri} of ${era}` }] };
    });
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: `prompt_${own}` }] }));
    server.setRequestHandler('prompts/get', ({ params: { name } }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${name} of ${era}` } }],
    }));
    return server;
  };
  const { handle, sessions } = serveEras(make);
  const served = await listen(handle as RequestListener, 0);
  return {
    ...served,
    called,
    get sessionsOpened() {
      return sessionsOpened;
    },
    forgetSessions: () => sessions.clear(),
    [Symbol.asyncDispose]: () => served.close(),
  };
}
