import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.js';

/**
 * A server that shows each user something else, with the user's name in every word of it; its own authorization server. Of others it takes
 * tokens that name the user.
 */
export interface PrivateServer extends AsyncDisposable {
  readonly url: string;
  /** The user who signs in next. */
  user: string;
  /** Who is told to wait. */
  readonly limited: Set<string>;
  /** Whom it knows as its clients. */
  readonly registered: Set<string>;
  /** With what status its page for people answers a client that it does not know, and so do its tokens, where they do not check the code first. */
  toStrangers: { readonly page: number; readonly token: number | undefined };
  /** What its answers wait for. */
  held: Promise<unknown> | undefined;
  /** Whether clients may register. */
  registers: boolean;
  /** `who method` of each request. */
  readonly asked: string[];
}

/** Everything that the server has for a user, by list of MCP. */
function thingsOf(who: string): Readonly<Record<string, JsonObject>> {
  const schema = { type: 'object', properties: { [`of_${who}`]: { type: 'string' } } };
  const tools = [`get_${who}_diary`, `get_${who}_letters`].map((name) => ({
    name,
    description: `Get what ${who} wrote`,
    inputSchema: schema,
    annotations: { readOnlyHint: true },
  }));
  return {
    'tools/list': { tools },
    'resources/list': { resources: [{ uri: `diary://${who}/today`, name: `Diary of ${who}` }] },
    'resources/templates/list': {
      resourceTemplates: [{ uriTemplate: `diary://${who}/{day}`, name: `Days of ${who}` }],
    },
    'prompts/list': { prompts: [{ name: `letter_of_${who}`, description: `Write as ${who}` }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: `Write as ${who}` } }] },
    'completion/complete': { completion: { values: [`completed for ${who}`] } },
    'tools/call': { content: [{ type: 'text', text: `written by ${who}` }] },
  };
}

function answer(who: string, { method, params }: JsonObject): JsonObject | undefined {
  const given = isJsonObject(params) ? params : {};
  if (method === 'initialize')
    return {
      protocolVersion: given['protocolVersion'],
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true }, prompts: {}, completions: {} },
      serverInfo: { name: 'diaries', version: '1' },
      instructions: `The diaries of ${who}`,
    };
  if (method === 'ping') return {};
  const uri = String(given['uri']);
  if (method === 'resources/read')
    return uri.startsWith(`diary://${who}/`) ? { contents: [{ uri, text: `the day of ${who}` }] } : undefined;
  return thingsOf(who)[String(method)];
}

export async function startPrivateServer(): Promise<PrivateServer> {
  const users = new Map<string, string>();
  const sessions = {
    user: '',
    limited: new Set<string>(),
    registered: new Set<string>(),
    toStrangers: { page: 400, token: 401 } as PrivateServer['toStrangers'],
    held: undefined as Promise<unknown> | undefined,
    registers: true,
    asked: [] as string[],
  };
  const serveMcp = (request: IncomingMessage, response: ServerResponse, message: JsonObject): void => {
    const token = String(request.headers.authorization).slice('Bearer '.length);
    const who = String(request.headers['x-user'] ?? users.get(token) ?? subjectOf(token));
    if (who === '') {
      const metadata = `${base()}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
      return;
    }
    if (message['id'] === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    sessions.asked.push(`${who} ${String(message['method'])}`);
    if (message['method'] === 'tools/call' && sessions.limited.has(who)) {
      response.writeHead(429, { 'retry-after': '90' }).end('slow down');
      return;
    }
    const result = answer(who, message);
    const error = { code: message['method'] === 'resources/read' ? -32002 : -32601, message: 'There is none' };
    send(response, { jsonrpc: '2.0', id: message['id'], ...(result === undefined ? { error } : { result }) });
  };
  const serveOAuth = (url: URL, response: ServerResponse, body: string): void => {
    const form = new URLSearchParams(body);
    const client = url.searchParams.get('client_id') ?? form.get('client_id') ?? '';
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      send(response, { resource: `${base()}/mcp`, authorization_servers: [base()] });
    else if (url.pathname === '/.well-known/oauth-authorization-server') send(response, metadataOf(base()));
    else if (url.pathname === '/register') {
      const id = randomUUID();
      if (sessions.registers) sessions.registered.add(id);
      send(response, { ...JSON.parse(body), client_id: id }, sessions.registers ? 201 : 404);
    } else if (url.pathname === '/authorize' && !sessions.registered.has(client)) {
      response.writeHead(sessions.toStrangers.page).end('Who are you?');
    } else if (url.pathname === '/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      const state = url.searchParams.get('state') ?? '';
      back.search = new URLSearchParams({ code: `code of ${sessions.user}`, state, iss: base() }).toString();
      response.writeHead(302, { location: back.href }).end();
    } else {
      const who = /^code of (\w+)$/.exec(form.get('code') ?? '')?.[1];
      const { token: status } = sessions.toStrangers;
      const isStranger = !sessions.registered.has(client) && status !== undefined;
      if (isStranger || who === undefined) {
        send(response, { error: isStranger ? 'invalid_client' : 'invalid_grant' }, isStranger ? status : 400);
        return;
      }
      const token = randomUUID();
      users.set(token, who);
      send(response, { access_token: token, token_type: 'Bearer', expires_in: 3_600 });
    }
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const url = new URL(request.url ?? '/', base());
    if (url.pathname === '/mcp') await sessions.held;
    if (url.pathname === '/mcp') serveMcp(request, response, body === '' ? {} : JSON.parse(body));
    else serveOAuth(url, response, body);
  });
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(sessions, {
    url: `${base()}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Whom a token of another authorization server names; nobody where it is none. */
function subjectOf(token: string): string {
  return token.split('.').length === 3 ? (decodeJwt(token).sub ?? '') : '';
}

function metadataOf(base: string): JsonObject {
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

function send(response: ServerResponse, value: JsonObject, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
