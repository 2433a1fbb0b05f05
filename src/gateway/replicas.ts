import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { JsonObject } from '../base/json/json.js';
import type { Observer } from '../base/observe/observation.js';
import type { OtherReplicas } from '../base/protocol/other-replicas.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { fingerprintConfig } from '../policy/decisions.js';
import { failClosedReads } from '../store/fail-closed.js';
import type { SharedSpace, StateStore } from '../store/state-store.js';
import { Vault } from '../upstream/credentials/vault.js';
import type { ReplicasState } from './status.js';

/** What this gateway shares with others of one store, so that any of them can answer a client's next request. */
export interface Replicas {
  /** The parts of large answers. */
  readonly results: SharedSpace;
  /** What a session's client has said. */
  readonly sessions: SharedSpace;
  /** Which operations were used most, for the cursors of lists that begin with them. */
  readonly rankings: SharedSpace;
  /** Encrypts with the configuration's key; undefined where it has none. */
  readonly vault: Vault | undefined;
  /** A key for one purpose that all gateways of the store have; undefined until the store has been reached. */
  keyFor(purpose: string): Buffer | undefined;
  /** `degraded` where another gateway of the store is configured differently. */
  state(): ReplicasState;
  others(): OtherReplicas;
  close(): Promise<void>;
}

/** A store that was emptied gets a new secret, which is then taken over. */
const LOOK_MS = 10_000;

const SECRET_BYTES = 32;
const SECRET_LIFE_MS = 10 * 365 * 86_400_000;

/**
 * Opens what gateways share; undefined where the store is of one machine. Waits until the store has answered or refused once, and
 * goes on without it.
 */
export async function openReplicas(
  store: StateStore,
  current: () => GatewayConfig,
  observe: Observer,
): Promise<Replicas | undefined> {
  const { credentials } = current();
  if (store.openSpace === undefined) return undefined;
  const secret = new SharedSecret(store);
  const vault = credentials.key === undefined ? undefined : new Vault(credentials.key);
  const roll = new ReplicaRoll({ store, config: current, vault, observe });
  await secret.look();
  // A store that is away delays the start once, not twice.
  void roll.beat();
  const looking = setInterval(() => {
    void secret.look();
    void roll.beat();
  }, LOOK_MS).unref();
  const results = store.openSpace('results');
  return {
    vault,
    // They hold what servers answered, which who reads the store need not see.
    results: failClosedReads(vault === undefined ? results : new SealedSpace(results, vault)),
    sessions: store.openSpace('sessions'),
    rankings: store.openSpace('rankings'),
    keyFor: (purpose) => secret.value && createHmac('sha256', secret.value).update(purpose).digest(),
    state: () => roll.state(),
    others: () => roll.others(),
    close: () => {
      clearInterval(looking);
      return roll.leave();
    },
  };
}

/** A secret that the first gateway of a store makes and the others find. */
class SharedSecret {
  value: Buffer | undefined;
  readonly #store: Pick<StateStore, 'get' | 'insert'>;

  constructor(store: Pick<StateStore, 'get' | 'insert'>) {
    this.#store = store;
  }

  /** Never rejects: while the store cannot be reached, the secret stays what it is. */
  async look(): Promise<void> {
    const made = this.value ?? randomBytes(SECRET_BYTES);
    const expiresAt = Date.now() + SECRET_LIFE_MS;
    try {
      const isOurs = await this.#store.insert('secret', 'replicas', { hex: made.toString('hex') }, { expiresAt });
      const found = isOurs ? undefined : await this.#store.get('secret', 'replicas');
      const hex = found?.value['hex'];
      this.value = typeof hex === 'string' ? Buffer.from(hex, 'hex') : made;
    } catch {
      // The store's own state says what is wrong.
    }
  }
}

/** How long a gateway that was killed is still known, also to one whose clock is a minute behind or ahead. */
const LIFE_MS = 120_000;

const PLACE = 'replica';

interface ReplicaRollOptions {
  readonly store: Pick<StateStore, 'insert' | 'list' | 'remove'>;
  readonly config: () => GatewayConfig;
  /** Of the configured key; undefined where there is none. */
  readonly vault: Vault | undefined;
  readonly observe: Observer;
}

/**
 * The gateways of one store, and how they differ from this one where they must not. Each leaves a record again and again, which says
 * what it is configured with in forms that reveal nothing: a digest, and a text that is sealed with its key.
 */
export class ReplicaRoll {
  readonly #options: ReplicaRollOptions;
  readonly #id = randomUUID();
  #beats = 0;
  #written: readonly string[] = [];
  #differences: readonly string[] = [];
  #others: OtherReplicas = { same: 0, different: 0 };

  constructor(options: ReplicaRollOptions) {
    this.#options = options;
  }

  /** As of the last look. */
  state(): ReplicasState {
    const differences = this.#differences;
    return differences.length === 0
      ? { state: 'ok', ...this.#others }
      : { state: 'degraded', problem: differences.join(' '), ...this.#others };
  }

  /** The other gateways of the store, as of the last look. */
  others(): OtherReplicas {
    return this.#others;
  }

  /** Says that this gateway is there, and looks at the others. Never rejects: the store's own state says what is wrong. */
  async beat(): Promise<void> {
    const { store, observe, config } = this.#options;
    const configuration = fingerprintConfig(config());
    this.#beats += 1;
    const key = `${this.#id}:${this.#beats}`;
    try {
      const expiresAt = Date.now() + LIFE_MS;
      if (await store.insert('replica', key, this.#describe(configuration), { expiresAt }))
        this.#written = [...this.#written, key];
      const found = await store.list('replica');
      // Those that expire first come first, so that the newest of each gateway stays.
      const others = new Map(found.map(({ value }) => [String(value['id']), value]));
      others.delete(this.#id);
      const compared = [...others.values()].map((other) => this.#compare(other, configuration));
      const same = compared.filter((each) => each.length === 0).length;
      this.#others = { same, different: compared.length - same };
      const differences = compared.flat();
      const news = differences.filter((each) => !this.#differences.includes(each));
      this.#differences = differences;
      for (const message of news) observe({ kind: 'notice', level: 'warn', message });
      await this.#forget(this.#written.slice(0, -1));
    } catch {
      // A look at the next beat.
    }
  }

  /** A gateway that stops is not compared with any more. Never rejects. */
  async leave(): Promise<void> {
    await this.#forget(this.#written).catch(() => {});
  }

  async #forget(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#options.store.remove('replica', key);
    this.#written = this.#written.filter((key) => !keys.includes(key));
  }

  #describe(configuration: string): JsonObject {
    const { vault } = this.#options;
    return {
      id: this.#id,
      name: `${hostname()}:${process.pid}`,
      configuration,
      ...(vault && { sealed: vault.seal({}, PLACE) }),
    };
  }

  #compare({ name, configuration, sealed }: JsonObject, own: string): readonly string[] {
    const { vault } = this.#options;
    const isSame = configuration === own;
    const hasKey = vault === undefined ? sealed === undefined : vault.open(sealed, PLACE) !== undefined;
    const other = `The gateway '${String(name)}' shares this store and has another`;
    return [
      ...(isSame ? [] : [`${other} configuration: confirmations that one of them asks for are refused by the other.`]),
      ...(hasKey ? [] : [`${other} 'credentials.key': large results of one of them are not found by the other.`]),
    ];
  }
}

/** A space whose bytes the store cannot read. What was sealed with another key is not there. */
export class SealedSpace implements SharedSpace {
  readonly #space: SharedSpace;
  readonly #vault: Vault;

  constructor(space: SharedSpace, vault: Vault) {
    this.#space = space;
    this.#vault = vault;
  }

  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean> {
    return this.#space.put(name, this.#vault.sealBytes(bytes, name), options);
  }

  async get(name: string): Promise<Buffer | undefined> {
    const sealed = await this.#space.get(name);
    return sealed && this.#vault.openBytes(sealed, name);
  }

  renew(name: string, expiresAt: number): Promise<void> {
    return this.#space.renew(name, expiresAt);
  }

  remove(name: string): Promise<void> {
    return this.#space.remove(name);
  }
}
