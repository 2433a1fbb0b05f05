import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { JsonObject } from '../../../src/base/json/json.js';
import { MODERN_META, modernHeaders } from '../raw-http.js';
import type { Era } from './server-mind.js';

/** What comes of a request: MCP's result or error, a refusal by HTTP, or nothing, as the connection has gone. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonObject; readonly status?: number }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost' };

/** A client of the gateway, written by hand so that it can do whatever clients do. */
export interface WorldClient {
  readonly name: string;
  readonly era: Era;
  readonly front: 'http' | 'stdio';
  /** `initialize` or `server/discover`; begins a new session. */
  shakeHands(): Promise<Reply>;
  request(method: string, params?: JsonObject, sent?: SentRequest): Promise<Reply>;
  /** Hears the gateway's news from now on, of this resource too. */
  listen(uri: string | undefined): Promise<void>;
  /** The notifications so far. */
  readonly heard: readonly JsonObject[];
  /** Cuts its connections; it may go on afterwards, over HTTP in the same session. */
  drop(): void;
  close(): void;
}

/** A request on its way. */
export interface SentRequest {
  /** Set as soon as it is sent: tells the gateway that the answer is not wanted any more. */
  cancel?: () => void;
  requestId?: unknown;
  /** Of the last event on its stream, once there is one. */
  eventId?: string;
}

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

abstract class BaseClient {
  readonly heard: JsonObject[] = [];
  protected ids = 0;

  protected message(era: Era, method: string, params: JsonObject): JsonObject {
    this.ids += 1;
    const all = era === '2026-07-28' ? { ...params, _meta: MODERN_META } : params;
    return { jsonrpc: '2.0', id: this.ids, method, params: all };
  }
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'world', version: '1' } };

export class HttpClient extends BaseClient implements WorldClient {
  readonly front = 'http';
  readonly name: string;
  readonly era: Era;
  readonly #url: string;
  /** Of each request. */
  readonly #own: Readonly<Record<string, string>>;
  #agent = new Agent({ keepAlive: true });
  #session: string | undefined;
  readonly #open = new Set<ClientRequest>();
  readonly #reading = new Set<IncomingMessage>();

  constructor(name: string, era: Era, url: string, headers: Readonly<Record<string, string>> = {}) {
    super();
    this.name = name;
    this.era = era;
    this.#url = url;
    this.#own = headers;
  }

  async shakeHands(): Promise<Reply> {
    if (this.era === '2026-07-28') return this.request('server/discover');
    this.#session = undefined;
    const reply = await this.request('initialize', INITIALIZE);
    if (reply.kind === 'result') await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {});
    return reply;
  }

  request(method: string, params: JsonObject = {}, sent: SentRequest = {}): Promise<Reply> {
    return this.#post(this.message(this.era, method, params), sent);
  }

  #headers(message: JsonObject | undefined): Record<string, string> {
    if (this.era === '2026-07-28') {
      const { name, uri } = (message?.['params'] ?? {}) as JsonObject;
      const mirrored = name ?? uri;
      return {
        ...ACCEPT,
        ...this.#own,
        ...modernHeaders(String(message?.['method']), mirrored === undefined ? undefined : String(mirrored)),
      };
    }
    const all = { ...ACCEPT, ...this.#own };
    if (this.#session === undefined) return all;
    return { ...all, 'mcp-session-id': this.#session, 'mcp-protocol-version': this.era };
  }

  #post(message: JsonObject, sent: SentRequest, onEvent?: (event: JsonObject) => void): Promise<Reply> {
    return new Promise((resolve) => {
      const outgoing = request(this.#url, { method: 'POST', headers: this.#headers(message), agent: this.#agent });
      this.#open.add(outgoing);
      const end = (reply: Reply): void => {
        this.#open.delete(outgoing);
        resolve(reply);
      };
      sent.cancel = () => {
        if (this.era === '2026-07-28') outgoing.destroy();
        else
          void this.#post(
            { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message['id'] } },
            {},
          );
      };
      outgoing.once('error', () => end({ kind: 'lost' }));
      outgoing.once('response', (response) => {
        this.#reading.add(response.once('close', () => this.#reading.delete(response)));
        const session = response.headers['mcp-session-id'];
        if (message['method'] === 'initialize' && typeof session === 'string') this.#session = session;
        sent.requestId = message['id'];
        const onId = (id: string): void => {
          sent.eventId = id;
        };
        void readReply(response, message['id'], onEvent ?? this.#hear, onId).then(end, () => end({ kind: 'lost' }));
      });
      outgoing.end(JSON.stringify(message));
    });
  }

  /** Reads nothing more of the answers to its requests, until `resume`. */
  pause(): void {
    for (const response of this.#reading) response.pause();
  }

  resume(): void {
    for (const response of this.#reading) response.resume();
  }

  /** Goes on with the stream of a request whose connection was lost. */
  comeBackFor({ requestId, eventId = '' }: SentRequest): Promise<Reply> {
    return new Promise((resolve) => {
      const headers = { ...this.#headers(undefined), 'last-event-id': eventId };
      const outgoing = request(this.#url, { headers, agent: this.#agent });
      this.#open.add(outgoing);
      outgoing.once('error', () => resolve({ kind: 'lost' }));
      outgoing.once('response', (response) => {
        void readReply(response, requestId, this.#hear).then(resolve, () => resolve({ kind: 'lost' }));
      });
      outgoing.end();
    });
  }

  readonly #hear = (event: JsonObject): void => {
    if (event['method'] !== undefined) this.heard.push(event);
  };

  async listen(uri: string | undefined): Promise<void> {
    if (this.era === '2026-07-28') {
      const notifications = {
        toolsListChanged: true,
        resourcesListChanged: true,
        promptsListChanged: true,
        ...(uri === undefined ? {} : { resourceSubscriptions: [uri] }),
      };
      const message = this.message(this.era, 'subscriptions/listen', { notifications });
      await new Promise<void>((resolve) => {
        const onEvent = (event: JsonObject): void => {
          this.#hear(event);
          if (event['method'] === 'notifications/subscriptions/acknowledged') resolve();
        };
        void this.#post(message, {}, onEvent).then(() => resolve());
      });
      return;
    }
    if (uri !== undefined) await this.request('resources/subscribe', { uri });
    await new Promise<void>((resolve) => {
      const headers = { ...this.#own, accept: 'text/event-stream', 'mcp-session-id': this.#session ?? '' };
      const outgoing = request(this.#url, { headers, agent: this.#agent });
      this.#open.add(outgoing);
      outgoing.once('error', () => resolve());
      outgoing.once('response', (response) => {
        void readReply(response, undefined, this.#hear).catch(() => undefined);
        resolve();
      });
      outgoing.end();
    });
  }

  drop(): void {
    for (const outgoing of this.#open) outgoing.destroy();
    this.#open.clear();
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  close(): void {
    this.drop();
    this.#agent.destroy();
  }
}

async function readReply(
  response: IncomingMessage,
  id: unknown,
  onEvent: (event: JsonObject) => void,
  onId: (id: string) => void = () => undefined,
): Promise<Reply> {
  const status = response.statusCode ?? 0;
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  if (!isStream) {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    if (text === '' && status >= 300) return { kind: 'refused', status, text };
    // A notification has no answer, and neither has what was cancelled.
    if (text === '') return id === undefined ? { kind: 'result', result: {} } : { kind: 'lost' };
    const message = tryParse(text);
    return message === undefined ? { kind: 'refused', status, text } : replyOf(message, status);
  }
  for await (const line of createInterface({ input: response })) {
    if (line.startsWith('id:')) onId(line.slice(3).trim());
    if (!line.startsWith('data:')) continue;
    const event = tryParse(line.slice(5));
    if (event === undefined) continue;
    if (id !== undefined && event['id'] === id && event['method'] === undefined) return replyOf(event, status);
    onEvent(event);
  }
  return { kind: 'lost' };
}

function tryParse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

function replyOf(message: JsonObject, status?: number): Reply {
  if (message['error'] !== undefined)
    return { kind: 'error', error: message['error'] as JsonObject, ...(status === undefined ? {} : { status }) };
  return { kind: 'result', result: message['result'] as JsonObject };
}

/** Opens a pair of streams to the gateway. */
export type PipeOpener = (input: PassThrough, output: PassThrough) => void;

export class StdioClient extends BaseClient implements WorldClient {
  readonly front = 'stdio';
  readonly name: string;
  readonly era: Era;
  readonly #openPipe: PipeOpener;
  readonly #waiting = new Map<unknown, (reply: Reply) => void>();
  #input: PassThrough | undefined;

  constructor(name: string, era: Era, openPipe: PipeOpener) {
    super();
    this.name = name;
    this.era = era;
    this.#openPipe = openPipe;
  }

  #connect(): PassThrough {
    if (this.#input !== undefined) return this.#input;
    const [input, output] = [new PassThrough(), new PassThrough()];
    this.#input = input;
    this.#openPipe(input, output);
    createInterface({ input: output }).on('line', (line) => {
      const message = tryParse(line);
      if (message === undefined) return;
      if (message['method'] !== undefined) return void this.heard.push(message);
      const resolve = this.#waiting.get(message['id']);
      this.#waiting.delete(message['id']);
      resolve?.(replyOf(message));
    });
    return input;
  }

  /** Over stdio a client that shakes hands is a new process. */
  async shakeHands(): Promise<Reply> {
    this.drop();
    if (this.era === '2026-07-28') return this.request('server/discover');
    const reply = await this.request('initialize', INITIALIZE);
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return reply;
  }

  #write(message: JsonObject): void {
    this.#connect().write(`${JSON.stringify(message)}\n`);
  }

  request(method: string, params: JsonObject = {}, sent: SentRequest = {}): Promise<Reply> {
    const message = this.message(this.era, method, params);
    return new Promise((resolve) => {
      this.#waiting.set(message['id'], resolve);
      sent.cancel = () => {
        this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message['id'] } });
        // The protocol has no answer to what was cancelled.
        this.#waiting.delete(message['id']);
        resolve({ kind: 'lost' });
      };
      this.#write(message);
    });
  }

  async listen(uri: string | undefined): Promise<void> {
    if (this.era === '2025-11-25') {
      if (uri !== undefined) await this.request('resources/subscribe', { uri });
      return;
    }
    const notifications = {
      toolsListChanged: true,
      resourcesListChanged: true,
      promptsListChanged: true,
      ...(uri === undefined ? {} : { resourceSubscriptions: [uri] }),
    };
    this.#write({ ...this.message(this.era, 'subscriptions/listen', { notifications }), id: `listen-${this.ids}` });
  }

  drop(): void {
    this.#input?.end();
    this.#input = undefined;
    for (const resolve of this.#waiting.values()) resolve({ kind: 'lost' });
    this.#waiting.clear();
  }

  close(): void {
    this.drop();
  }
}
