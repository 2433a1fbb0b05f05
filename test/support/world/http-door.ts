import { randomInt, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { Link, ServerMind } from './server-mind.js';

/** How a server tells that it does not know a session. A code means a JSON-RPC error within HTTP 200. */
export type LostForm =
  | { readonly status: number; readonly text: string }
  | { readonly code: number; readonly text: string };

interface Session {
  readonly link: Link;
  stream: ServerResponse | undefined;
  /** Nothing that it sends is ever answered. */
  isDeaf: boolean;
}

/** Below the ports that systems give to outgoing connections. */
const FIRST_PORT = 12_000;
const END_OF_PORTS = 32_000;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/**
 * Where a server of the world is reached over HTTP: Streamable HTTP with sessions (2025-11-25) or without (2026-07-28), or HTTP+SSE.
 * The port stays the same over all of its lives.
 */
export class HttpDoor {
  readonly kind: 'http' | 'sse';
  /** How requests of a session of a former life are refused. */
  lostForm: LostForm = { status: 404, text: 'Session not found' };
  /** How the next call over HTTP+SSE is refused, though its session is known. */
  refusesCall: LostForm | undefined;
  readonly #mind: ServerMind;
  #server: Server | undefined;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #deafSockets = new WeakSet<Socket>();
  #sessions = new Map<string, Session>();

  constructor(kind: 'http' | 'sse', mind: ServerMind) {
    this.kind = kind;
    this.#mind = mind;
  }

  get entry(): JsonObject {
    const url = `http://127.0.0.1:${this.#port}/${this.kind === 'sse' ? 'sse' : 'mcp'}`;
    return this.kind === 'sse' ? { type: 'sse', url } : { url };
  }

  get isOpen(): boolean {
    return this.#server !== undefined;
  }

  /** Takes its port for good, without serving: one that no outgoing connection is given meanwhile. */
  async reserve(): Promise<void> {
    for (;;) {
      this.#port = randomInt(FIRST_PORT, END_OF_PORTS);
      try {
        await this.open();
        return await this.shut();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  async open(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((request, response) => void this.#receive(request, response));
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Cuts all connections and refuses new ones; sessions are forgotten. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.forget();
    this.cut();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** As behind a proxy: sessions are forgotten, and no connection ends. */
  forget(): void {
    for (const { link } of this.#sessions.values()) this.#mind.leave(link);
    this.#sessions = new Map();
  }

  /** Whoever is connected is never answered again. */
  deafen(): void {
    for (const socket of this.#sockets) this.#deafSockets.add(socket);
    for (const session of this.#sessions.values()) session.isDeaf = true;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, socket } = request;
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return;
    if (this.#deafSockets.has(socket)) return;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (this.kind === 'sse') return this.#receiveSse(method, url, body, response);
    const message = body === '' ? undefined : (JSON.parse(body) as JsonObject);
    if (this.#mind.era === '2026-07-28') return this.#receiveModern(method, message, response);
    return this.#receiveLegacy(request, message, response);
  }

  #receiveSse(method: string | undefined, url: URL, body: string, response: ServerResponse): void {
    if (method === 'GET' && url.pathname === '/sse') {
      const open = (): void => {
        const id = randomUUID();
        response.writeHead(200, EVENTS).write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
        this.#begin(id, response);
      };
      return void this.#mind.soon(open);
    }
    const session = this.#sessions.get(url.searchParams.get('sessionId') ?? '');
    if (session === undefined) return void this.#refuse(undefined, response);
    if (session.isDeaf) return;
    const message = JSON.parse(body) as JsonObject;
    if (this.refusesCall !== undefined && message['method'] === 'tools/call') {
      this.#refuse(message, response, this.refusesCall);
      this.refusesCall = undefined;
      return;
    }
    this.#mind.soon(() => response.writeHead(202, JSON_TYPE).end('{"accepted":true}'));
    const { link } = session;
    this.#mind.receive(message, { link, end: link.send, send: link.send });
  }

  #begin(id: string, stream?: ServerResponse): Session {
    const session: Session = {
      stream,
      isDeaf: false,
      link: {
        watched: new Set(),
        send: (message) => {
          if (!session.isDeaf) session.stream?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
        },
      },
    };
    this.#sessions.set(id, session);
    this.#mind.open(session.link);
    stream?.once('close', () => this.#mind.leave(session.link));
    return session;
  }

  #receiveModern(method: string | undefined, message: JsonObject | undefined, response: ServerResponse): void {
    if (method !== 'POST' || message === undefined) return void response.writeHead(405).end();
    const link: Link = { watched: new Set(), send: () => undefined };
    response.once('close', () => {
      this.#mind.leave(link);
      if (!response.writableEnded) this.#mind.abandon(link);
    });
    if (message['method'] === 'subscriptions/listen') {
      this.#mind.soon(() => response.writeHead(200, EVENTS).flushHeaders());
      const send = (event: JsonObject): void =>
        void response.write(`event: message\ndata: ${JSON.stringify(event)}\n\n`);
      return void this.#mind.receive(message, { link, send, end: send });
    }
    if (message['id'] === undefined) return void this.#mind.soon(() => response.writeHead(202).end());
    if (!isModern(message)) {
      const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
      const error = { code: -32022, message: 'Unsupported protocol version', data };
      return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], error }));
    }
    const unknown = (answer: JsonObject): number => ((answer['error'] as JsonObject)?.['code'] === -32601 ? 404 : 200);
    const end = (answer: JsonObject): void =>
      void response.writeHead(unknown(answer), JSON_TYPE).end(JSON.stringify(answer));
    this.#mind.receive(message, { link, end, send: () => undefined });
  }

  #receiveLegacy(
    { method, headers }: IncomingMessage,
    message: JsonObject | undefined,
    response: ServerResponse,
  ): void {
    const id = headers['mcp-session-id'];
    const isFirst = message?.['method'] === 'initialize';
    const given = isFirst ? randomUUID() : String(id);
    const session = isFirst ? this.#begin(given) : this.#sessions.get(given);
    if (session === undefined && id === undefined) {
      // What it does not know before a session: it does not speak 2026-07-28, and begins no session with anything else.
      const error = { code: -32600, message: 'Bad Request: no session' };
      return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    if (session === undefined) return void this.#refuse(message, response);
    if (session.isDeaf) return;
    if (method === 'GET') {
      return void this.#mind.soon(() => {
        response.writeHead(200, EVENTS).flushHeaders();
        session.stream = response;
      });
    }
    if (method === 'DELETE') {
      this.#sessions.delete(given);
      this.#mind.leave(session.link);
      return void response.writeHead(200).end();
    }
    if (message?.['id'] === undefined || message['method'] === undefined) {
      if (message !== undefined)
        this.#mind.receive(message, { link: session.link, end: () => undefined, send: () => undefined });
      return void this.#mind.soon(() => response.writeHead(202).end());
    }
    const own = isFirst ? { 'mcp-session-id': given } : {};
    const end = (answer: JsonObject): void =>
      void response.writeHead(200, { ...JSON_TYPE, ...own }).end(JSON.stringify(answer));
    this.#mind.receive(message, { link: session.link, end, send: () => undefined });
  }

  #refuse(message: JsonObject | undefined, response: ServerResponse, form = this.lostForm): void {
    const id = message?.['id'] ?? null;
    if ('code' in form) {
      const error = { code: form.code, message: form.text };
      return void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    response.writeHead(form.status, { 'content-type': 'text/plain' }).end(form.text);
  }
}

/** Each request of 2026-07-28 says so. */
function isModern({ params }: JsonObject): boolean {
  const meta = (params as JsonObject | undefined)?.['_meta'] as JsonObject | undefined;
  return meta?.['io.modelcontextprotocol/protocolVersion'] === '2026-07-28';
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
