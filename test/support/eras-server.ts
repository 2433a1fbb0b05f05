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
  /** Says in one era that a resource has changed. */
  update(era: Era, uri: string): void;
}

const NOTHING = { type: 'object', properties: {} } as const;

interface ErasOptions {
  /** What it declares beside tools, resources and prompts, by era. */
  readonly capabilities?: Partial<Record<Era, ServerCapabilities>>;
  /** Whether the tool that both eras have takes other arguments in each. */
  readonly differs?: boolean;
  /** Asked before each request of a session; a status refuses it. */
  readonly refuses?: () => number | undefined;
}

/** A server that has other tools, resources and prompts in each era, and says in each answer of which era it was asked. */
export async function startErasServer({ capabilities = {}, differs, refuses }: ErasOptions = {}): Promise<ErasServer> {
  const called: (readonly [Era, string])[] = [];
  let sessionsOpened = 0;
  const servers = new Set<Server>();
  const make = (era: Era): Server => {
    if (era === 'legacy') sessionsOpened += 1;
    const declared = { tools: {}, resources: { subscribe: true }, prompts: {}, ...capabilities[era] };
    const server = new Server({ name: 'eras', version: '1' }, { capabilities: declared });
    const own = era === 'legacy' ? 'in_session' : 'in_request';
    const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
    if (era === 'legacy') servers.add(server);
    server.setRequestHandler('tools/list', () => ({
      tools: ['in_both', 'ask', own].map((name) => ({
        name: `get_${name}`,
        inputSchema: differs === true ? { ...NOTHING, properties: { [era]: { type: 'string' } } } : NOTHING,
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
    server.setRequestHandler('prompts/get', ({ params: { name } }) => {
      if (name !== `prompt_${own}`) throw new Error('no such prompt');
      return { messages: [{ role: 'user', content: { type: 'text', text: `${name} of ${era}` } }] };
    });
    return server;
  };
  const { handle, sessions, notify } = serveEras(make);
  const served = await listen((request, response) => {
    const status = request.headers['mcp-protocol-version'] === '2026-07-28' ? undefined : refuses?.();
    if (status === undefined) handle(request, response);
    else response.writeHead(status).end();
  }, 0);
  return {
    ...served,
    called,
    get sessionsOpened() {
      return sessionsOpened;
    },
    forgetSessions: () => sessions.clear(),
    update(era, uri) {
      if (era === 'modern') notify.resourceUpdated(uri);
      else for (const server of servers) void server.sendResourceUpdated({ uri }).catch(() => undefined);
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}
