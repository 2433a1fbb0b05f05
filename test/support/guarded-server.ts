import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler, Server } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';

/** Everything of one request that the server got. */
export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An upstream of the SDK that serves everyone their own notes, and demands tokens of an authorization server. */
export interface GuardedServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Tokens that it refuses from now on, whatever they say. */
  readonly refused: Set<string>;
  /** Refuses every token from now on. */
  refuseAll(): void;
  /** Refuses every token of this person from now on. */
  refuseSubject(name: string): void;
  /** Scopes that a call of a tool demands from now on. */
  readonly demands: Map<string, string>;
  /** Takes the tokens of another authorization server, and no others any more. */
  moveTo(issuer: string): void;
}

interface GuardedOptions {
  /** Whose tokens it demands; without it, it lets everyone in. */
  readonly issuer?: string;
  /** A header with which anyone may read what it offers. */
  readonly discoveryKey?: string;
}

const TOOLS = ['who_am_i', 'list_notes'].map((name) => ({
  name,
  description: name === 'who_am_i' ? 'Get who the caller is' : "List the caller's notes",
  inputSchema: { type: 'object' as const },
  annotations: { readOnlyHint: true },
}));

export async function startGuardedServer({ issuer: first, discoveryKey }: GuardedOptions = {}): Promise<GuardedServer> {
  let issuer = first;
  const received: ReceivedRequest[] = [];
  const refused = new Set<string>();
  let refusesAll = false;
  let refusedSubject: string | undefined;
  const handler = createMcpHandler(({ authInfo, requestInfo }) => openServer(authInfo, requestInfo), {
    legacy: 'stateless',
  });
  const serve = toNodeHandler(handler);
  const keysOf = (of: string | undefined) => (of === undefined ? undefined : createRemoteJWKSet(new URL(`${of}/jwks`)));
  let keys = keysOf(issuer);
  const demands = new Map<string, string>();
  const subjectOf = async (
    { headers }: IncomingMessage,
    resource: string,
  ): Promise<{ readonly sub: string; readonly scope: string } | undefined> => {
    if (keys === undefined) return { sub: 'anyone', scope: '' };
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || refusesAll || refused.has(token)) {
      return discoveryKey !== undefined && headers['x-discovery'] === discoveryKey
        ? { sub: 'the gateway', scope: '' }
        : undefined;
    }
    const verified = await jwtVerify(token, keys, { audience: resource, ...(issuer && { issuer }) }).catch(
      () => undefined,
    );
    if (verified?.payload.sub === refusedSubject) return undefined;
    return verified && { sub: String(verified.payload.sub), scope: String(verified.payload['scope'] ?? '') };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({ url: request.url ?? '', headers: request.headers, body });
    const origin = `http://127.0.0.1:${portOf(server.address())}`;
    const resource = `${origin}/mcp`;
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const metadata = { resource, authorization_servers: [issuer], scopes_supported: ['mcp:call'] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return;
    }
    const subject = await subjectOf(request, resource);
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (subject === undefined) {
      response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}` }).end();
      return;
    }
    const parsed: unknown = body === '' ? undefined : JSON.parse(body);
    const demanded = demands.get(toolOf(parsed)) ?? '';
    if (demanded !== '' && !subject.scope.split(' ').includes(demanded)) {
      const challenge = `Bearer error="insufficient_scope", scope="${demanded}", ${metadata}`;
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return;
    }
    const auth: AuthInfo = { token: '', clientId: subject.sub, scopes: [] };
    await serve(Object.assign(request as NodeIncomingMessageLike, { auth }), response, parsed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/mcp`,
    received,
    refused,
    demands,
    refuseSubject(name) {
      refusedSubject = name;
    },
    refuseAll() {
      refusesAll = true;
    },
    moveTo(next) {
      issuer = next;
      keys = keysOf(next);
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The tool that a request calls; an empty text where it calls none. */
function toolOf(message: unknown): string {
  const { method, params } = (message ?? {}) as {
    readonly method?: string;
    readonly params?: { readonly name?: string };
  };
  return method === 'tools/call' ? (params?.name ?? '') : '';
}

function openServer(auth: AuthInfo | undefined, request: { readonly headers: Headers } | undefined): Server {
  const who = auth?.clientId ?? 'nobody';
  const tenant = request?.headers.get('x-tenant') ?? 'none';
  const server = new Server({ name: 'guarded', version: '1' }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const data = params.name === 'who_am_i' ? { who, tenant } : [{ id: 1, text: `a note of ${who}` }];
    return { content: [{ type: 'text', text: JSON.stringify(data) }] };
  });
  server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'notes://mine', name: 'mine' }] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [{ uri: params.uri, text: `notes of ${who}` }],
  }));
  return server;
}

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
}
