import { type Era, type ListMethod, namesOfOffer, type Offer } from '../support/world/server-mind.js';
import { USERS } from '../support/world/users.js';
import { type ServerKind, World, WorldServer } from '../support/world/world.js';
import type { WorldClient } from '../support/world/world-client.js';
import { type Call, type Mode, makeCall, type Told, type Verb } from './calls.js';
import { Violation } from './violation.js';
import { ENDING_MS, IDLE_MS, KEEP_ALIVE_MS, TIMEOUTS, within } from './waiting.js';

/** What a server is like at the beginning. */
export interface Beginning {
  readonly kind: ServerKind;
  readonly offer: Offer;
  /** Whether it runs, takes connections and is silent (as it is still starting), or is not there. */
  readonly starts: 'at once' | 'slowly' | 'never';
  /** Whether it is in the configuration. */
  readonly isConfigured: boolean;
}

/** A world before the first step. */
export interface Setting {
  readonly mode: Mode;
  /** Whether a connection is proven after `IDLE_MS` of silence; else a call alone shows that it is dead. */
  readonly provesConnections: boolean;
  /** Whether clients over HTTP are known by name, and may connect an account at a server that holds something else for each. */
  readonly hasUsers: boolean;
  readonly servers: readonly Beginning[];
  /** The client that is there from the beginning. */
  readonly client: { readonly front: 'http' | 'stdio'; readonly era: Era };
}

const NAMES: Readonly<Record<ServerKind, string>> = {
  sessions: 'ash',
  stateless: 'birch',
  sse: 'cedar',
  process: 'dogwood',
  'stateless process': 'elm',
};

/** A server, and what is known of how the gateway stands to it. */
export interface Actor {
  readonly server: WorldServer;
  isConfigured: boolean;
  trouble: 'none' | 'down' | 'silent';
  /** It has let somebody wait in vain: the gateway may have learnt that it answers no pings. */
  hasHung: boolean;
  /** A READ was served since it was last disturbed: from then on each must be. */
  isServed: boolean;
  /** Its operations are known: a call of it brings on the next attempt to connect. */
  isKnown: boolean;
  /** Its lists that hang, and have been waited for once since. */
  readonly awaited: Set<ListMethod>;
  /** Its lists were right since they last changed or it was disturbed: from then on they must be. */
  isListed: boolean;
}

/** A client that stays, and what it wants to hear of. */
export interface Player {
  readonly client: WorldClient;
  /** The resource that it watches, and whose it is. */
  watched: { readonly actor: Actor; readonly uri: string } | undefined;
}

/** One world, and the sentences that tell what has happened in it. */
export class Story {
  readonly lines: string[] = [];
  readonly mode: Mode;
  readonly provesConnections: boolean;
  readonly world: World;
  readonly actors: readonly Actor[];
  readonly players: Player[] = [];
  readonly counts = { steps: 0, calls: 0, faults: 0 };
  readonly #told: { readonly call: Call; readonly told: Told }[] = [];
  #ids = 0;

  readonly #first: Setting['client'];

  constructor({ mode, provesConnections, hasUsers, servers, client }: Setting) {
    this.#first = client;
    this.mode = mode;
    this.provesConnections = provesConnections;
    this.actors = servers.map(({ kind, offer, starts, isConfigured }) => ({
      server: new WorldServer(NAMES[kind], kind, offer),
      isConfigured,
      trouble: starts === 'at once' ? 'none' : starts === 'slowly' ? 'silent' : 'down',
      hasHung: false,
      isServed: false,
      isKnown: false,
      awaited: new Set(),
      isListed: false,
    }));
    this.world = new World(
      this.actors.map(({ server }) => server),
      {
        store: { type: 'memory' },
        endpoint: { mode },
        programs: { enabled: true, maxPerClient: 16 },
        // Clients that wait for long find their connection as they left it.
        server: { drainMs: 500, longCallKeepAliveMs: KEEP_ALIVE_MS, keepAliveMs: 3_600_000 },
        defaults: {
          timeoutMs: TIMEOUTS.call,
          connectTimeoutMs: TIMEOUTS.connect,
          maxCallMs: 4 * TIMEOUTS.call,
          pings: { afterIdleMs: provesConnections ? IDLE_MS : 0 },
        },
      },
      hasUsers,
    );
    for (const [index, { kind, offer, starts, isConfigured }] of servers.entries()) {
      const name = this.actors[index]?.server.name;
      const has = namesOfOffer(offer);
      const offers = has === '' ? 'three tools' : `three tools and ${has}`;
      this.tell(`${name} (${kind}) has ${offers}, starts ${starts}${isConfigured ? '' : ', and is not configured'}`);
    }
    if (provesConnections) this.tell('the gateway proves connections after a second of silence');
    if (hasUsers) this.tell('the gateway knows its users, and a server of diaries holds something else for each');
    this.tell(`the gateway starts in the mode ${mode}, and ${USERS[0]} connects over ${client.front} (${client.era})`);
  }

  tell(sentence: string): void {
    this.lines.push(sentence);
  }

  async begin(): Promise<void> {
    await this.world.reserve();
    for (const { trouble, server } of this.actors) {
      if (trouble === 'silent') server.mind.isSilent = true;
      if (trouble !== 'down') await server.door.open();
    }
    await this.world.start(this.configured());
  }

  async enterFirst(): Promise<void> {
    await this.enter(USERS[0], this.#first.front, this.#first.era);
  }

  /** A client comes that stays. @throws Violation */
  async enter(name: string, front: 'http' | 'stdio', era: Era): Promise<void> {
    const client = this.world.newClient(name, front, era);
    const reply = await within(ENDING_MS, client.shakeHands());
    if (reply?.kind !== 'result')
      throw new Violation('a handshake fails', `${name} over ${front} (${era}): ${JSON.stringify(reply)}`);
    this.players.push({ client, watched: undefined });
  }

  configured(): readonly WorldServer[] {
    return this.actors.filter(({ isConfigured }) => isConfigured).map(({ server }) => server);
  }

  async reload(): Promise<void> {
    await this.world.reload(this.configured());
  }

  /** Something has happened to a server: what follows must be proven anew. */
  disturb(actor: Actor, fault = true): void {
    actor.isServed = false;
    actor.isListed = false;
    actor.awaited.clear();
    if (fault) this.counts.faults += 1;
  }

  newCall(client: string, { server }: Actor, verb: Verb): Call {
    this.#ids += 1;
    return { client, server, verb, id: `${verb}-${this.#ids}` };
  }

  /** Makes a call and keeps what was told of it. @throws Violation */
  async call(client: WorldClient, call: Call, sent = {}): Promise<Told> {
    this.counts.calls += 1;
    const told = await makeCall(client, call, this.mode, sent);
    this.note(call, told);
    return told;
  }

  /** Keeps what was told of a call. */
  note(call: Call, told: Told): void {
    this.#told.push({ call, told });
  }

  /** What was told stays true, and nothing that changes something runs twice. @throws Violation */
  checkRuns(): void {
    for (const { call, told } of this.#told) {
      const run = call.server.mind.runs.get(call.id);
      const what = `${call.client}'s ${call.verb} ${call.id} of ${call.server.name}: ${told.words}`;
      if (told.outcome === 'not_run' && run !== undefined)
        throw new Violation('what was told as not run ran later', what);
      const most = call.verb === 'create' ? 1 : 2;
      if ((run?.times ?? 0) > most) throw new Violation('a call ran twice', `${what} (${run?.times} times)`);
    }
  }
}
