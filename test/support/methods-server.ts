import { json } from 'node:stream/consumers';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.js';
import { listen } from '../fixtures/servers/serve-http.mjs';

type Era = 'legacy' | 'modern';

export interface MethodsServer extends AsyncDisposable {
  readonly url: string;
  /** What it was asked beside the handshake and the list of its tools. */
  readonly asked: readonly { readonly method: string; readonly params: JsonObject }[];
}

interface MethodsServerOptions {
  readonly era: Era;
  readonly capabilities: JsonObject;
  /** What answers, by method; one that throws `{code, message}` is refused with that. */
  readonly methods: Readonly<Record<string, (params: JsonObject) => unknown>>;
  /** Called with each request; where it returns true the connection ends without an answer. */
  readonly breaks?: (method: string) => boolean;
}

const HANDSHAKE = new Set(['initialize', 'server/discover', 'tools/list', 'ping']);

const SERVER_INFO = { name: 'methods', version: '1' };

/** A server of one era over HTTP that answers whatever methods a test wants, those of extensions too. */
export async function startMethodsServer(options: MethodsServerOptions): Promise<MethodsServer> {
  const { era, capabilities, methods, breaks } = options;
  const asked: { method: string; params: JsonObject }[] = [];
  const own: MethodsServerOptions['methods'] = {
    ...(era === 'legacy'
      ? { initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: SERVER_INFO }) }
      : { 'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, serverInfo: SERVER_INFO }) }),
    'tools/list': () => ({ tools: [{ name: 'get_it', inputSchema: { type: 'object' } }] }),
  };
  const served = await listen(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params = {} } = (await json(request)) as { id?: number; method: string; params?: JsonObject };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = { ...own, ...methods }[method];
    if (!HANDSHAKE.has(method)) asked.push({ method, params });
    if (breaks?.(method) === true) return void response.destroy();
    const outcome = (): JsonObject => {
      if (answer === undefined) return { error: { code: -32601, message: 'Method not found' } };
      try {
        const result = answer(params) as JsonObject;
        return {
          result: era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } : result,
        };
      } catch (thrown) {
        if (isJsonObject(thrown)) return { error: thrown };
        throw thrown;
      }
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome() }));
  }, 0);
  return { url: served.url, asked, [Symbol.asyncDispose]: () => served.close() };
}
