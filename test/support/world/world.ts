import type { JsonObject } from '../../../src/base/json/json.js';
import { type HostedGateway, hostGateway } from '../hosted-gateway.js';
import { sendHttp } from '../raw-http.js';
import { HttpDoor } from './http-door.js';
import { type Era, type Offer, ServerMind } from './server-mind.js';
import { StdioDoor } from './stdio-door.js';
import { Users } from './users.js';
import { HttpClient, StdioClient, type WorldClient } from './world-client.js';

/** How a server is reached, and in which era. */
export const SERVER_KINDS = ['sessions', 'stateless', 'sse', 'process', 'stateless process'] as const;

export type ServerKind = (typeof SERVER_KINDS)[number];

/** A server of the world. */
export class WorldServer {
  readonly name: string;
  readonly kind: ServerKind;
  readonly mind: ServerMind;
  readonly door: HttpDoor | StdioDoor;
  /** How often its entry in the configuration has been changed. */
  alterations = 0;

  constructor(name: string, kind: ServerKind, offer: Offer) {
    this.name = name;
    this.kind = kind;
    this.mind = new ServerMind(name, kind.startsWith('stateless') ? '2026-07-28' : '2025-11-25', offer);
    this.door =
      kind === 'sessions' || kind === 'stateless'
        ? new HttpDoor('http', this.mind)
        : kind === 'sse'
          ? new HttpDoor('sse', this.mind)
          : new StdioDoor(this.mind);
  }

  /** Its entry of `mcpServers`. */
  get entry(): JsonObject {
    const { entry } = this.door;
    if (this.alterations === 0) return entry;
    const mark = String(this.alterations);
    return this.door.kind === 'stdio'
      ? { ...entry, env: { ALTERED: mark } }
      : { ...entry, headers: { 'x-altered': mark } };
  }

  /** It ends and is started anew at once, and knows nothing of before. */
  async restart(): Promise<void> {
    await this.door.shut();
    this.mind.restart();
    await this.door.open();
  }

  /** It ends. */
  async die(): Promise<void> {
    await this.door.shut();
    this.mind.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.door.shut();
    if (this.door instanceof StdioDoor) await this.door.end();
  }
}

export interface Readiness {
  readonly isReady: boolean;
  readonly operations: number;
  readonly states: ReadonlyMap<string, string>;
}

/** The servers, a gateway in this process, and its clients. What they do is up to the test. */
export class World {
  readonly servers: readonly WorldServer[];
  readonly clients: WorldClient[] = [];
  readonly #settings: JsonObject;
  readonly #hasUsers: boolean;
  #users: Users | undefined;
  #gateway: HostedGateway | undefined;

  /**
   * @param settings of the gateway's configuration, beside its servers
   * @param hasUsers whether its clients are known by name, and have a server where each may connect an account
   */
  constructor(servers: readonly WorldServer[], settings: JsonObject, hasUsers = false) {
    this.servers = servers;
    this.#settings = settings;
    this.#hasUsers = hasUsers;
  }

  /** Starts the gateway. The doors of the servers are open where the test has opened them. */
  async start(configured: readonly WorldServer[]): Promise<void> {
    this.#gateway = await hostGateway(this.#config(configured), { atOnce: true, port: this.#users?.port ?? 0 });
  }

  /** Takes the addresses of the servers; before anything else. */
  async reserve(): Promise<void> {
    for (const { door } of this.servers) await door.reserve();
    if (this.#hasUsers) this.#users = await Users.start();
  }

  #config(configured: readonly WorldServer[]): object {
    const mcpServers = Object.fromEntries(configured.map(({ name, entry }) => [name, entry]));
    if (this.#users === undefined) return { ...this.#settings, mcpServers };
    return { ...this.#users.addTo(this.#settings), mcpServers: { ...mcpServers, diaries: this.#users.entry } };
  }

  get users(): Users | undefined {
    return this.#users;
  }

  get url(): string {
    return this.#running.url;
  }

  get #running(): HostedGateway {
    if (this.#gateway === undefined) throw new Error('the gateway has not been started');
    return this.#gateway;
  }

  /** Has the gateway read a configuration with these servers. */
  async reload(configured: readonly WorldServer[]): Promise<void> {
    await this.#running.reload(this.#config(configured));
  }

  /** A client that has not said anything yet. */
  newClient(name: string, front: 'http' | 'stdio', era: Era): WorldClient {
    const open = (): WorldClient =>
      front === 'http'
        ? new HttpClient(name, era, this.url, this.#users?.headersOf(name))
        : new StdioClient(name, era, (input, output) => this.#running.serveStdio(input, output));
    const client = open();
    this.clients.push(client);
    return client;
  }

  /** `/readyz`: whether it says ready, how many operations there are, and what it says of each server. */
  async readiness(): Promise<Readiness> {
    const { status, json } = await sendHttp(new URL('/readyz', this.url).href, { method: 'GET' });
    const states = (json.upstreams as readonly { name: string; state: string }[]).map(
      ({ name, state }) => [name, state] as const,
    );
    return { isReady: status === 200, operations: Number(json.operations), states: new Map(states) };
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    await this.#gateway?.[Symbol.asyncDispose]();
  }

  async end(): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
    await this.#users?.[Symbol.asyncDispose]();
  }
}
