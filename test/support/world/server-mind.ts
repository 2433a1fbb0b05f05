import type { JsonObject } from '../../../src/base/json/json.js';

/** The two generations of the protocol that servers and clients speak. */
export type Era = '2025-11-25' | '2026-07-28';

/** What a server has beside its three tools. */
export interface Offer {
  /** One more tool, `list_NAME_extras`. */
  readonly extra: boolean;
  readonly resources: boolean;
  /** Of resources: a server without does not know the method. */
  readonly templates: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  /** The number in the names of its resource and its prompt. */
  readonly edition: number;
}

/** @returns such as `extra, prompts`; empty where it has its tools alone */
export function namesOfOffer({ edition: _, templates, ...offer }: Offer): string {
  const has = { ...offer, templates: offer.resources && templates };
  return Object.entries(has)
    .flatMap(([name, isThere]) => (isThere ? [name] : []))
    .join(', ');
}

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** One conversation with the server: a session, an event stream or a pipe. */
export interface Link {
  /** Sends what nobody asked for. */
  send(message: JsonObject): void;
  /** Resources that it has subscribed to, by requests (2025-11-25). */
  readonly watched: Set<string>;
}

/** A `subscriptions/listen` stream (2026-07-28). */
interface Listener {
  readonly filter: JsonObject;
  readonly send: (message: JsonObject) => void;
}

/** How a request is answered. */
export interface Answering {
  readonly link: Link;
  /** The last message; undefined ends without one. */
  readonly end: (message: JsonObject) => void;
  /** A message before it: only streams (2026-07-28) have them here. */
  readonly send: (message: JsonObject) => void;
}

export interface Run {
  readonly tool: string;
  /** How often it has run. */
  times: number;
  cancelled: boolean;
}

type Pending = () => void;

/** What the ids of calls begin with whose answers hold a picture: more than the buffers of two sockets. */
export const LARGE = 'large-';
const PICTURE_CHARACTERS = 9_000_000;

/** What a server knows and does, whatever carries its messages. It writes down each run of each call by the call's id. */
export class ServerMind {
  readonly name: string;
  era: Era;
  offer: Offer;
  readonly runs = new Map<string, Run>();
  /** `initialize` and `server/discover` so far. */
  handshakes = 0;
  /** Lists that are never answered. */
  readonly hanging = new Set<ListMethod>();
  /** Answers nothing, and keeps what comes. */
  isSilent = false;
  /** Whether writes run and wait with their answers. */
  holdsWrites = false;
  /** Resolves what waits for a held write to begin. */
  #heldSince: (() => void)[] = [];
  #pending: Pending[] = [];
  #held: Pending[] = [];
  #links = new Set<Link>();
  #listeners = new Set<Listener>();
  readonly #requests = new WeakMap<Link, Map<unknown, string>>();

  constructor(name: string, era: Era, offer: Offer) {
    this.name = name;
    this.era = era;
    this.offer = offer;
  }

  /** A new life: nothing of before is known, and what has not been answered never will be. */
  restart(): void {
    this.#pending = [];
    this.#held = [];
    this.#links = new Set();
    this.#listeners = new Set();
    this.isSilent = false;
    this.holdsWrites = false;
  }

  /** Ends its silence. @param isLate whether what came meanwhile is worked off, rather than never answered */
  speak(isLate = true): void {
    this.isSilent = false;
    this.hanging.clear();
    const pending = this.#pending;
    this.#pending = [];
    if (isLate) for (const work of pending) work();
  }

  /** Answers the writes that have run. */
  release(): void {
    this.holdsWrites = false;
    const held = this.#held;
    this.#held = [];
    for (const answer of held) answer();
  }

  /** Resolves when a write has run and waits with its answer. */
  untilHeld(): Promise<void> {
    if (this.#held.length > 0) return Promise.resolve();
    return new Promise((resolve) => this.#heldSince.push(resolve));
  }

  open(link: Link): void {
    this.#links.add(link);
  }

  leave(link: Link): void {
    this.#links.delete(link);
  }

  /** Tells everybody who wants to hear it that a list is another one now. */
  announce(kind: 'tools' | 'resources' | 'prompts'): void {
    const message = { jsonrpc: '2.0', method: `notifications/${kind}/list_changed` };
    if (this.era === '2025-11-25') for (const link of this.#links) link.send(message);
    for (const { filter, send } of this.#listeners) if (filter[`${kind}ListChanged`] === true) send(message);
  }

  /** Tells who watches it that its resource has changed. */
  touch(): void {
    const uri = this.uri;
    const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
    for (const link of this.#links) if (link.watched.has(uri)) link.send(message);
    for (const { filter, send } of this.#listeners) {
      const wanted = filter['resourceSubscriptions'];
      if (Array.isArray(wanted) && wanted.includes(uri)) send(message);
    }
  }

  get uri(): string {
    return `mem://${this.name}/note${this.offer.edition}`;
  }

  get prompt(): string {
    return `ask_${this.name}_${this.offer.edition}`;
  }

  get tools(): readonly string[] {
    const { name, offer } = this;
    return [`read_${name}`, `create_${name}`, `update_${name}`, ...(offer.extra ? [`list_${name}_extras`] : [])];
  }

  /** Does something as soon as it is not silent. */
  soon(work: () => void): void {
    if (this.isSilent) this.#pending.push(work);
    else work();
  }

  /** Takes a message; answers now, later or never. */
  receive(message: JsonObject, answering: Answering): void {
    this.soon(() => this.#take(message, answering));
  }

  #take(message: JsonObject, answering: Answering): void {
    const { id, method } = message;
    const params = (message['params'] ?? {}) as JsonObject;
    if (method === 'notifications/cancelled') return void this.#cancel(params['requestId'], answering.link);
    if (id === undefined || typeof method !== 'string') return;
    const reply = (body: JsonObject): void => answering.end({ jsonrpc: '2.0', id, ...body });
    if (method === 'tools/call') return void this.#call(id, params, answering.link, reply);
    if (method === 'subscriptions/listen' && this.era === '2026-07-28') return void this.#listen(id, params, answering);
    if (this.hanging.has(method as ListMethod))
      return void this.#pending.push(() => reply(this.#answer(method, params)));
    if (method === 'resources/subscribe') answering.link.watched.add(String(params['uri']));
    if (method === 'resources/unsubscribe') answering.link.watched.delete(String(params['uri']));
    reply(this.#answer(method, params));
  }

  /** Whose request is given up. */
  abandon(link: Link): void {
    for (const id of this.#requests.get(link)?.values() ?? []) this.#noteCancelled(id);
  }

  #cancel(requestId: unknown, link: Link): void {
    const id = this.#requests.get(link)?.get(requestId);
    if (id !== undefined) this.#noteCancelled(id);
  }

  #noteCancelled(id: string): void {
    const run = this.runs.get(id);
    if (run !== undefined) run.cancelled = true;
  }

  #listen(id: unknown, params: JsonObject, { send, link }: Answering): void {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    const filter = (params['notifications'] ?? {}) as JsonObject;
    const tagged = (message: JsonObject): void =>
      send({ ...message, params: { ...(message['params'] as JsonObject), _meta } });
    const listener = { filter, send: tagged };
    this.#listeners.add(listener);
    this.#links.add(link);
    tagged({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: filter } });
  }

  #call(requestId: unknown, params: JsonObject, link: Link, reply: (body: JsonObject) => void): void {
    const tool = String(params['name']);
    const id = String((params['arguments'] as JsonObject | undefined)?.['id']);
    if (!this.tools.includes(tool)) return void reply({ error: { code: -32602, message: `Unknown tool: ${tool}` } });
    const requests = this.#requests.get(link) ?? new Map<unknown, string>();
    this.#requests.set(link, requests.set(requestId, id));
    const run = this.runs.get(id) ?? { tool, times: 0, cancelled: false };
    run.times += 1;
    this.runs.set(id, run);
    const answer = (): void => {
      requests.delete(requestId);
      const text = JSON.stringify({ server: this.name, tool, id });
      const picture = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(PICTURE_CHARACTERS) };
      const content = [{ type: 'text', text }, ...(id.startsWith(LARGE) ? [picture] : [])];
      reply({ result: this.#complete({ content }) });
    };
    if (!this.holdsWrites || tool.startsWith('read') || tool.startsWith('list')) return void answer();
    this.#held.push(answer);
    for (const resume of this.#heldSince.splice(0)) resume();
  }

  #complete(result: JsonObject): JsonObject {
    return this.era === '2026-07-28' ? { resultType: 'complete', ...result } : result;
  }

  #listed(result: JsonObject): JsonObject {
    return this.#complete(this.era === '2026-07-28' ? { ttlMs: 0, cacheScope: 'private', ...result } : result);
  }

  #answer(method: string, params: JsonObject): JsonObject {
    const result = this.#resultOf(method, params);
    return result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  }

  #resultOf(method: string, params: JsonObject): JsonObject | undefined {
    const { offer, name, era } = this;
    if (method === 'initialize' && era === '2025-11-25') {
      this.handshakes += 1;
      return { protocolVersion: '2025-11-25', capabilities: this.#capabilities(), serverInfo: this.#info() };
    }
    if (method === 'server/discover' && era === '2026-07-28') {
      this.handshakes += 1;
      const known = { supportedVersions: ['2026-07-28'], capabilities: this.#capabilities(), serverInfo: this.#info() };
      return this.#listed(known);
    }
    if (method === 'ping' && era === '2025-11-25') return {};
    if (method === 'tools/list') return this.#listed({ tools: this.tools.map((tool) => this.#define(tool)) });
    if (offer.resources) {
      if (method === 'resources/list') return this.#listed({ resources: [{ uri: this.uri, name: `note of ${name}` }] });
      if (method === 'resources/templates/list' && offer.templates)
        return this.#listed({
          resourceTemplates: [{ uriTemplate: `mem://${name}/page/{page}`, name: `pages of ${name}` }],
        });
      if (method === 'resources/read')
        return this.#listed({ contents: [{ uri: params['uri'], text: `${name} says ${String(params['uri'])}` }] });
      if (method.endsWith('subscribe') && era === '2025-11-25') return {};
    }
    if (offer.prompts) {
      if (method === 'prompts/list') return this.#listed({ prompts: [{ name: this.prompt }] });
      if (method === 'prompts/get')
        return this.#complete({ messages: [{ role: 'user', content: { type: 'text', text: `${name} asks` } }] });
    }
    if (offer.completions && method === 'completion/complete')
      return this.#complete({ completion: { values: [name] } });
    return undefined;
  }

  #info(): JsonObject {
    return { name: this.name, version: '1' };
  }

  #capabilities(): JsonObject {
    const { resources, prompts, completions } = this.offer;
    return {
      tools: { listChanged: true },
      ...(resources ? { resources: { listChanged: true, subscribe: true } } : {}),
      ...(prompts ? { prompts: { listChanged: true } } : {}),
      ...(completions ? { completions: {} } : {}),
    };
  }

  #define(tool: string): JsonObject {
    const annotations = tool.startsWith('create')
      ? { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
      : tool.startsWith('update')
        ? { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
        : { readOnlyHint: true };
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    return { name: tool, description: `${tool} by its id.`, inputSchema, annotations };
  }
}
